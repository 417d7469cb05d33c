#include "app/window/capture.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "app/canvas/text.h"
#include "app/texts/texts.h"
#include "app/window/caption.h"
#include "gpu/core/files.h"
#include "gpu/labs/labs.h"
#include "gpu/picture/picture_file.h"

namespace ws {
namespace {

constexpr int kWidest = 4096;

// Reduces by averaging squares of factor x factor pixels.
template <typename PixelAt>
void paste_reduced(RgbaImage& target, int left, Extent size, int factor, const PixelAt& pixel_at) {
    for (int y = 0; y < size.height / factor; ++y) {
        for (int x = 0; x < size.width / factor; ++x) {
            int sum[3] = {};
            for (int dy = 0; dy < factor; ++dy) {
                for (int dx = 0; dx < factor; ++dx) {
                    const std::size_t at =
                        std::size_t(y * factor + dy) * std::size_t(size.width) + std::size_t(x * factor + dx);
                    for (int channel = 0; channel < 3; ++channel) sum[channel] += pixel_at(at, channel);
                }
            }
            std::uint8_t* out =
                &target.bytes[4 * (std::size_t(y) * std::size_t(target.size.width) + std::size_t(left + x))];
            for (int channel = 0; channel < 3; ++channel)
                out[channel] = std::uint8_t(sum[channel] / (factor * factor));
        }
    }
}

std::filesystem::path free_stem(const std::filesystem::path& folder, const std::string& stem) {
    std::error_code status;
    std::filesystem::path path = folder / stem;
    const auto taken = [&] {
        return std::filesystem::exists(path.string() + "_both.png", status) ||
               std::filesystem::exists(path.string() + "_detail.png", status);
    };
    for (int i = 2; taken() && i < 1000; ++i) {
        path = folder / (stem + "-" + std::to_string(i));
    }
    return path;
}

}  // namespace

std::string_view describe_drawn(const Drawn& drawn) {
    const Lab& lab = lab_named(drawn.key.lab);
    const std::string_view view = translated(lab.views[std::size_t(drawn.view)].title);
    if (drawn.native) return say("caption.native", view);
    const Version& version = version_of(lab, drawn.version);
    return say("caption.drawn", view, version.number, translated(version.title),
               translated(lab.steps[std::size_t(drawn.step)].name), to_string(drawn.block));
}

namespace {

// "2026-11-20_231500_V5_32x8"; without a version where none of its kernels ran.
std::string file_stem(const Snapshot& snapshot) {
    const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
    std::string time = fmt::format("{:%Y-%m-%d_%H%M%S}", fmt::localtime(now));
    if (!runs_anything(snapshot.work) || !snapshot.result.drawn) return time;
    const Drawn& drawn = *snapshot.result.drawn;
    if (drawn.native) return time + "_native";
    return fmt::format("{}_V{}_{}x{}", time, drawn.version, drawn.block.x, drawn.block.y);
}

// The times of the picture; where it was simulated, its estimate. Empty where there is neither.
std::string times_line(const Snapshot& snapshot) {
    std::string stages;
    double estimated_ms = 0;
    for (const StepSnapshot& step : snapshot.steps) {
        if (!step.runs) continue;
        if (step.times.ms.samples > 0)
            stages += fmt::format("{} {}, ", translated(step.name), time_text(step.times.ms.median));
        if (!snapshot.run.progress) continue;
        if (!step.estimate() || step.estimate()->ms <= 0) return "";
        estimated_ms += step.estimate()->ms;
    }
    if (estimated_ms > 0)
        return std::string(say("caption.estimated", time_text(estimated_ms), snapshot.target.gpu.name));
    if (snapshot.times.total_ms.samples == 0 || snapshot.run.stale) return "";
    return std::string(say("caption.total", stages, time_text(snapshot.times.total_ms.median),
                           snapshot.times.total_ms.samples));
}

}  // namespace

CaptureRequest describe_capture(const Snapshot& snapshot, std::filesystem::path folder) {
    CaptureRequest request;
    const Work& work = snapshot.work;
    const bool original = !runs_anything(work) || !snapshot.result.drawn;
    request.label = original ? "original" : work.lab->views[std::size_t(snapshot.result.drawn->view)].title;
    request.folder = std::move(folder);
    request.stem = file_stem(snapshot);
    request.reduced = phrase("caption.reduced");
    const std::string picture(
        say("caption.input", snapshot.input_name, snapshot.shown_size.width, snapshot.shown_size.height));
    if (original) {
        request.caption = {fmt::format("Warpscope, {}", say("caption.original")), picture};
        return request;
    }
    request.caption = {fmt::format("Warpscope, {}", describe_drawn(*snapshot.result.drawn)),
                       fmt::format("{}, {}", shown_name(snapshot.device), picture)};
    if (std::string times = times_line(snapshot); !times.empty()) request.caption.push_back(std::move(times));
    return request;
}

namespace {

constexpr std::uint8_t kGround = 24;  // below and beside pictures

// As bright as the ground, all of it.
RgbaImage grounds(Extent size) {
    RgbaImage made(size);
    for (std::size_t i = 0; i < made.bytes.size(); ++i) made.bytes[i] = i % 4 == 3 ? 255 : kGround;
    return made;
}

}  // namespace

RgbaImage cut_out(const RgbaImage& whole, int left, int top, Extent size) {
    left = std::clamp(left, 0, whole.size.width);
    top = std::clamp(top, 0, whole.size.height);
    RgbaImage made({std::clamp(size.width, 0, whole.size.width - left),
                    std::clamp(size.height, 0, whole.size.height - top)});
    const std::size_t row = 4 * std::size_t(made.size.width);
    for (int y = 0; y < made.size.height; ++y) {
        const std::size_t from =
            4 * (std::size_t(top + y) * std::size_t(whole.size.width) + std::size_t(left));
        std::copy_n(&whole.bytes[from], row, &made.bytes[std::size_t(y) * row]);
    }
    return made;
}

RgbaImage captioned(const RgbaImage& detail, const std::vector<std::string>& caption) {
    const float line = std::clamp(float(detail.size.width) / 40, 14.0f, 28.0f);
    const int gap = 8;
    const int bar = int(line * 1.15f) * int(caption.size()) + 2 * gap;
    RgbaImage made =
        grounds({std::max(detail.size.width, text_width(caption, line) + 2 * gap), detail.size.height + bar});
    for (int y = 0; y < detail.size.height; ++y)
        std::copy_n(&detail.bytes[4 * std::size_t(y) * std::size_t(detail.size.width)],
                    4 * std::size_t(detail.size.width),
                    &made.bytes[4 * std::size_t(y) * std::size_t(made.size.width)]);
    draw_text(made, caption, gap, detail.size.height + gap, line);
    return made;
}

RgbaImage side_by_side(const CaptureRequest& request) {
    const Extent size = request.original->size;
    const int factor =
        std::max({1, (2 * size.width + kWidest - 1) / kWidest, (size.height + kWidest - 1) / kWidest});
    const Extent part{std::max(1, size.width / factor), std::max(1, size.height / factor)};
    const int gap = std::max(4, part.width / 100);
    const float line = std::clamp(float(2 * part.width) / 70, 14.0f, 40.0f);
    std::vector<std::string> caption = request.caption;
    if (factor > 1) caption.back() += fmt::format(fmt::runtime(request.reduced), factor);
    if (!request.sides.empty()) caption.insert(caption.begin(), request.sides);
    const int width = std::max(2 * part.width + gap, text_width(caption, line) + 2 * gap);
    const int bar = int(line * 1.15f) * int(caption.size()) + 2 * gap;
    RgbaImage both = grounds({width, part.height + bar});

    const PixelBytes& original = request.original->bytes;
    const auto original_at = [&](std::size_t at, int channel) {
        return int(original[4 * at + std::size_t(channel)]);
    };
    if (request.a && request.a->size == size)
        paste_reduced(both, 0, size, factor, [&](std::size_t at, int) { return int(request.a->bytes[at]); });
    else
        paste_reduced(both, 0, size, factor, original_at);
    if (request.current) {
        paste_reduced(both, part.width + gap, size, factor,
                      [&](std::size_t at, int) { return int(request.current->bytes[at]); });
    } else {
        paste_reduced(both, part.width + gap, size, factor, original_at);
    }
    draw_text(both, caption, gap, part.height + gap, line);
    return both;
}

std::vector<std::filesystem::path> write_capture(const CaptureRequest& request) {
    const std::string stem = free_stem(request.folder, request.stem).string();
    std::vector<std::filesystem::path> paths;
    const auto next = [&](const std::string& end) { return paths.emplace_back(stem + end); };
    const auto label_of = [](std::string label) {
        std::replace_if(
            label.begin(), label.end(), [](char c) { return c == ' ' || c == '/' || c == '\\'; }, '-');
        return label;
    };
    if (request.detail) {
        write_png(next("_detail.png"), captioned(*request.detail, request.caption));
    } else {
        write_png(next("_original.png"), *request.original);
        if (request.current) write_png(next("_" + label_of(request.label) + ".png"), *request.current);
        if (request.a) write_png(next("_A_" + label_of(request.a_label) + ".png"), *request.a);
        write_png(next("_both.png"), side_by_side(request));
        if (request.view) write_png(next("_view.png"), *request.view);
    }
    if (!request.state.empty()) write_file(next(".json"), request.state);
    return paths;
}

void CaptureWriter::start(CaptureRequest request) {
    job_ = Job<std::string>([request = std::move(request)](const std::stop_token&) {
        const std::vector<std::filesystem::path> paths = write_capture(request);
        std::string names;
        for (const auto& path : paths) names += (names.empty() ? "" : ", ") + path.filename().string();
        return fmt::format("saved in {}: {}", std::filesystem::absolute(request.folder).string(), names);
    });
}

std::optional<CaptureWriter::Outcome> CaptureWriter::poll() {
    const std::optional<Result<std::string>> saved = job_.poll();
    if (!saved) return std::nullopt;
    if (saved->ok()) return Outcome{saved->value(), false};
    return Outcome{fmt::format("the pictures were not saved: {}", saved->message()), true};
}

}  // namespace ws

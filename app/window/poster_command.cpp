#include "app/window/poster_command.h"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <memory>
#include <thread>

#include "app/canvas/text.h"
#include "app/cli/commands.h"
#include "app/cli/replay.h"
#include "app/texts/texts.h"
#include "app/views/poster_view.h"
#include "app/window/buffer_picture.h"
#include "app/window/gui.h"
#include "app/window/stage.h"
#include "gpu/core/files.h"
#include "gpu/core/thread_pool.h"
#include "gpu/engine/engine.h"
#include "gpu/engine/matrix_picture.h"
#include "gpu/engine/run_to_end.h"
#include "gpu/picture/picture_file.h"

namespace ws {
namespace {

constexpr double kA3Points = 1190.55;  // 420 mm
constexpr double kImageScale = 1.5;    // 3600 pixels across: 218 an inch on A3

// Samples of every version on the GPU of this machine. One that cannot run there stays without a time.
void measure_versions(Engine& engine, const Work& work) {
    constexpr int kSamples = 30;
    HostTarget target;
    for (const Version& version : work.lab->versions) {
        try {
            run_to_end(engine, with_version(work, version), kSamples, target);
        } catch (const UsageError&) {
            throw;
        } catch (const Error& error) {
            fmt::print("V{} has no time: {}\n", version.number, error.what());
        }
    }
}

void wait_for_versions(Engine& engine, const Work& work) {
    const Beside beside{nullptr, true, false, {}};
    engine.prepare(work, beside);
    engine.wait_for_counts();
    while (engine.comparing()) {
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        engine.prepare(work, beside);
    }
    engine.prepare(work, beside);
}

// As it is defined; of what is no picture the corner in gray values of its own.
GrayImage defined_result(const Problem& problem, int buffer) {
    const Lab& lab = *problem.lab;
    const Buffer& about = lab.buffers[std::size_t(buffer)];
    HostBytes bytes(bytes_of(about, problem.size));
    ThreadPool pool;
    lab.native.whole(pool, problem, buffer, bytes.data());
    if (about.element == Element::gray)
        return std::move(buffer_picture(about, problem.size, std::move(bytes)).gray);
    const Extent whole = extent_of(about, problem.size);
    const Extent corner{std::min(kCorner, whole.width), std::min(kCorner, whole.height)};
    std::vector<float> values;
    for (int row = 0; row < corner.height; ++row) {
        for (int column = 0; column < corner.width; ++column)
            values.push_back(float(value_at(about.element, whole, bytes.data(), column, row)));
    }
    return gray_picture(Element::float32, corner, reinterpret_cast<const std::uint8_t*>(values.data()));
}

std::map<int, GrayImage> defined_results(const Poster& poster, const Problem& problem) {
    std::map<int, GrayImage> results;
    if (!problem || !problem.lab->native.whole) return results;
    for (const PosterRow& row : poster.rows) {
        if (!results.contains(row.buffer)) results[row.buffer] = defined_result(problem, row.buffer);
    }
    return results;
}

// What the window would show of the lab, without a window.
Poster made_poster(const Options& options) {
    const KernelLibrary library(options.kernel_folder);
    Engine engine(engine_options(options));
    Work work = work_of(options);
    work = with_version(work, work.lab->versions.back());
    if (!options.replay.empty()) {
        Replay replay = load_replay(options, library);
        for (const std::string& note : replay.notes) fmt::print("{}\n", note);
        if (!options.gpu) work.target_gpu = replay.recordings.gpus().front();
        engine.replay(std::make_shared<const Recordings>(std::move(replay.recordings)));
    }
    const bool elsewhere = options.gpu || !options.replay.empty();
    if (elsewhere && !options.device) work.device = DeviceKind::simt;
    if (work.lab->takes_picture())
        engine.set_picture(load_picture(options.image), picture_label(options.image));
    engine.prepare(work);
    if (engine.snapshot().device.can.measures_time)
        measure_versions(engine, work);
    else if (!engine.snapshot().device.can.shows_progress) {
        work.device = DeviceKind::simt;  // no kernel runs on the processor
    }
    wait_for_versions(engine, work);
    Poster poster = poster_of(engine.snapshot());
    poster.results = defined_results(poster, engine.snapshot().problem);
    return poster;
}

}  // namespace

void poster_command(const Options& options) {
    const std::filesystem::path& path = options.output;
    const bool pdf = path.extension() == ".pdf";
    if (!pdf && path.extension() != ".png")
        throw UsageError("a poster is a .pdf or a .png", path.string(), "name such a file with --output");
    if (!can_print()) (void)pdf_of({{}, {}, {}}, kA3Points);  // says why, before all the work
    speak(language_named(options.language));
    begin_frame_texts();
    const Poster poster = made_poster(options);

    const GuiContext gui;
    load_fonts(kPosterUnit);
    ImGuiIO& io = ImGui::GetIO();
    unsigned char* pixels = nullptr;
    int width = 0;
    int height = 0;
    io.Fonts->GetTexDataAsAlpha8(&pixels, &width, &height);
    io.DisplaySize = {float(kPosterSize.width), float(kPosterSize.height)};
    ImGui::NewFrame();
    Drawing drawing;
    std::vector<SheetPicture> pictures;
    {
        const StageWindow stage;
        Canvas canvas(*ImGui::GetWindowDrawList(), Theme::light, kPosterUnit, drawing);
        pictures = draw_poster(canvas, poster);
    }
    ImGui::EndFrame();
    const Sheet sheet{drawing, pictures, kPosterSize};
    if (pdf)
        write_file(path, pdf_of(sheet, kA3Points));
    else
        write_png(path, image_of(sheet, kImageScale));
    fmt::print("wrote {} ({} versions)\n", path.string(), poster.rows.size());
}

}  // namespace ws

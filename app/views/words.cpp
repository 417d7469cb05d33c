#include "app/views/words.h"

#include <algorithm>
#include <cmath>

#include "app/texts/texts.h"
#include "gpu/core/traffic_unit.h"

namespace ws {
namespace {

// Three digits at least, and no more behind the point than that takes.
std::string_view three_digits(double value) {
    if (value >= 99.95) return text("{:.0f}", value);
    return value >= 9.995 ? text("{:.1f}", value) : text("{:.2f}", value);
}

}  // namespace

std::string_view short_time(double ms) {
    if (ms < 1) return text("{} µs", three_digits(ms * 1000));
    return text("{} ms", three_digits(ms));
}

std::string_view short_time(double ms, double most_ms) {
    constexpr double kZeros = 0.00995;
    return ms >= kZeros && ms < 1 && most_ms >= 1 ? text("{} ms", figure_text(ms)) : short_time(ms);
}

std::string_view big_number(double value) {
    if (value >= 99.5e6 && value < 1e9) return say("number.million", text("{:.0f}", value / 1e6));
    if (value >= 1e9) return say("number.billion", text("{:.2g}", value / 1e9));
    if (value >= 1e6) return say("number.million", text("{:.2g}", value / 1e6));
    if (value >= 1e4) return text("{} {:03}", int(value) / 1000, int(value) % 1000);
    return text("{:.0f}", value);
}

std::string_view grouped_number(std::uint64_t value) {
    std::string_view made = text("{}", value % 1000);
    while (value >= 1000) {
        const std::uint64_t rest = value / 1000;
        made = text("{} {:03}{}", rest % 1000, value % 1000,
                    made.size() > 3 ? made.substr(3) : std::string_view{});
        value = rest;
    }
    return made;
}

std::string_view value_text(Form form, double value) {
    switch (form) {
        case Form::time:
            return short_time(value);
        case Form::count:
            return big_number(value);
        case Form::percent:
            return text("{:.1f} %", 100 * value);
        case Form::ratio:
            break;
    }
    return text("{:.2f}", value);
}

namespace {

// Values of a change are written in millions where one of them has so many.
bool in_millions(const Shift& shift) {
    constexpr double kMillions = 1e6;
    return shift.form == Form::count && std::max(shift.before, shift.now) >= kMillions;
}
std::string_view millions(double value) {
    return value >= 9.95e6 ? text("{:.0f}", value / 1e6) : text("{:.2g}", value / 1e6);
}

// "4 load requests instead of 8".
std::string_view instead_of(const Shift& shift) {
    const ValuePair values = values_of(shift);
    return say("story.instead", values.now, said(shift.quantity), values.before);
}

}  // namespace

ValuePair values_of(const Shift& shift) {
    const auto written = [](double value) {
        return value == 0 ? std::string_view("0") : say("number.million", millions(value));
    };
    if (in_millions(shift)) return {written(shift.before), written(shift.now)};
    return {value_text(shift.form, shift.before), value_text(shift.form, shift.now)};
}

std::string_view change_text(const Shift& shift) {
    const ValuePair values = values_of(shift);
    const bool once = in_millions(shift) && shift.now != 0;  // the unit
    return text("{} → {}", once ? millions(shift.before) : values.before, values.now);
}

std::string_view blocks_text(int blocks) {
    return say(blocks == 1 ? "number.block" : "number.blocks", blocks);
}

std::string_view warps_text(int warps) {
    return say(warps == 1 ? "number.warp" : "number.warps", warps);
}

std::string_view why_text(const Reasons& reasons, std::string_view key, bool with_limits) {
    if (reasons.alike) return say("story.alike");
    const std::string_view limit = translated(reasons.limiter_now);
    const bool same = reasons.limiter_now == reasons.limiter_before;
    const std::string_view before = translated(reasons.limiter_before);
    // Without an estimate of both nothing is known of that.
    const bool known = !limit.empty() && !before.empty();
    if (reasons.shifts.empty() && !known) return say("story.limit.unknown");
    if (reasons.shifts.empty()) return same ? say("story.still", limit) : say("story.moved", limit, before);
    std::string_view counts = instead_of(reasons.shifts.front());
    if (reasons.against) counts = say("story.but", counts, instead_of(*reasons.against));
    if (!with_limits || !known) return text("{}.", counts);
    return say(key, counts, same ? say("story.limit.same", limit) : say("story.limit.moved", limit, before));
}

std::string_view version_name(int number) {
    return text("V{}", number);
}

std::string_view block_text(Block block) {
    return text("{} × {}", block.x, block.y);
}

std::string_view size_text(Extent size) {
    return text("{} × {}", size.width, size.height);
}

std::string_view input_text(const Snapshot& snapshot) {
    return snapshot.work.lab->takes_picture() ? snapshot.input_name : size_text(snapshot.work.size);
}

std::string_view byte_text(std::int64_t bytes) {
    for (const auto& [unit, bits] : {std::pair{"GiB", 30}, {"MiB", 20}, {"KiB", 10}}) {
        const std::int64_t one = std::int64_t(1) << bits;
        if (bytes >= one && bytes % one == 0) return text("{} {}", bytes / one, unit);
    }
    return text("{} {}", bytes, say(bytes == 1 ? "unit.byte" : "unit.bytes"));
}

std::string_view figure_text(double value) {
    if (value == std::round(value)) return text("{:.0f}", value);
    if (value >= 99.95) return text("{:.0f}", value);
    if (value >= 9.995) return text("{:.1f}", value);
    return text("{:.3g}", value);
}

std::string_view part_text(double share) {
    const double percent = 100 * share;
    if (percent > 0 && percent < 0.095) return "< 0.1";
    if (percent < 100 && percent >= 99.95) return "> 99.9";
    return text("{:.1f}", percent);
}

std::string_view speedup_text(double ratio) {
    if (ratio >= 9.95) return text("{:.0f}", ratio);
    return ratio >= 0.0995 ? text("{:.2f}", ratio) : text("{:.2g}", ratio);
}

std::string_view work_name(const Work& work, const Work& now) {
    const Version& version = version_of(*work.lab, work.version);
    const int step = main_step(*work.lab, version);
    std::string_view name = version_name(work.version);
    const Block block = work.block(step);
    const bool same_version = work.version == now.version;
    if (!(block == version.steps[std::size_t(step)].block) || (same_version && !(block == now.block(step))))
        name = text("{}  {}", name, block_text(block));
    if (work.target_gpu != now.target_gpu && !work.target_gpu.empty())
        name = text("{}  {}", name, work.target_gpu);
    return name;
}

namespace {

std::optional<int> knob_of(const Work& work, const std::string& name) {
    const KnobValues& own = version_of(*work.lab, work.version).knobs;
    for (const KnobValues* values : {&work.knobs, &own}) {
        if (const auto found = values->find(name); found != values->end()) return found->second;
    }
    return std::nullopt;
}

// "ILP 8": the first knob that has another value in the other work; empty where none has, or its value is
// not known here.
std::string_view different_knob(const Work& work, const Work& other) {
    for (const KnobValues* values : {&work.knobs, &other.knobs}) {
        for (const auto& [name, unused] : *values) {
            const std::optional<int> value = knob_of(work, name);
            if (value && value != knob_of(other, name)) return text("{} {}", name, *value);
        }
    }
    return {};
}

}  // namespace

std::string_view distinct_name(const Work& work, const Work& other) {
    if (work.version != other.version || work.lab != other.lab) return version_name(work.version);
    const int step = main_step(*work.lab, version_of(*work.lab, work.version));
    if (!(work.block(step) == other.block(step))) return block_text(work.block(step));
    if (const std::string_view knob = different_knob(work, other); !knob.empty()) return knob;
    if (!(work.size == other.size) && work.size.width > 0) return size_text(work.size);
    if (work.target_gpu != other.target_gpu && !work.target_gpu.empty()) return work.target_gpu;
    return version_name(work.version);
}

std::string_view short_name(std::string_view name, int characters) {
    std::size_t end = 0;
    std::size_t before_last = 0;
    for (int i = 0; i < characters && end < name.size(); ++i) {
        before_last = end++;
        while (end < name.size() && (static_cast<unsigned char>(name[end]) & 0xC0) == 0x80) ++end;
    }
    return end == name.size() ? name : text("{}…", name.substr(0, before_last));
}

std::string_view gpu_name(const Snapshot& snapshot, Kind kind) {
    std::string_view name = snapshot.target.gpu.name;
    constexpr std::string_view kMaker = "NVIDIA ";
    if (name.substr(0, kMaker.size()) == kMaker) name.remove_prefix(kMaker.size());
    if (kind == Kind::measured) return name;
    return say(kind == Kind::recorded ? "gpu.recorded" : "gpu.simulated", name);
}

std::string_view gpu_name(const Snapshot& snapshot) {
    const bool is_here =
        snapshot.device.can.measures_time && snapshot.device.profile.name == snapshot.target.gpu.name;
    return gpu_name(snapshot, is_here                      ? Kind::measured
                              : snapshot.told.now.recorded ? Kind::recorded
                                                           : Kind::estimated);
}

const StepResult* step_of(const WorkFigures& figures, int step) {
    for (const StepResult& result : figures.steps) {
        if (result.key.launch.step == step) return &result;
    }
    return nullptr;
}

const StepSnapshot& chosen_step(const Snapshot& snapshot, std::string_view preferred) {
    for (const StepSnapshot& step : snapshot.steps) {
        if (step.name == preferred && is_listed(snapshot, step)) return step;
    }
    return main_step(snapshot);
}

std::string_view traffic_word(ComputeCapability capability) {
    return translated(traffic_unit(capability));
}

std::string_view time_title(const Lab& lab, bool micro) {
    const bool alone = std::all_of(lab.versions.begin(), lab.versions.end(), [](const Version& version) {
        return std::count_if(version.steps.begin(), version.steps.end(),
                             [](const StepKernel& step) { return !step.kernel.empty(); }) == 1;
    });
    if (alone) return say(micro ? "chart.kernel.micro" : "chart.kernel.milli");
    return say(micro ? "chart.micro" : "chart.milli");
}

std::string_view moved_words(int pieces, ComputeCapability capability) {
    const bool sectors = traffic_unit(capability) == "sectors";
    return pieces == 1 ? say(sectors ? "warp.sectors.one" : "warp.transactions.one")
                       : say(sectors ? "warp.sectors" : "warp.transactions", pieces);
}

double bandwidth(const WorkFigures& figures, double ms) {
    return ms > 0 ? figures.least_bytes / (ms * 1e6) : 0;
}

}  // namespace ws

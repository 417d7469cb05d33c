#include "gpu/engine/sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <set>

#include "gpu/core/error.h"
#include "gpu/core/numbers.h"
#include "gpu/engine/planner.h"

namespace ws {

std::vector<int> values_of(const Knob& knob) {
    constexpr int kMostValues = 33;  // every one of 0 to 32
    std::set<int> values{knob.value};
    const int count = std::min(kMostValues, knob.high - knob.low + 1);
    for (int i = 0; i < count; ++i)
        values.insert(knob.low + (knob.high - knob.low) * i / std::max(1, count - 1));
    return {values.begin(), values.end()};
}

std::vector<std::string> places_of(const Knob& knob) {
    std::vector<std::string> places;
    for (const int value : values_of(knob)) places.push_back(std::to_string(value));
    return places;
}

const Knob* running_knob(const Work& work, std::string_view name, const KernelLibrary& library) {
    const Version& version = version_of(*work.lab, work.version);
    for (const int step : work.lab->by_weight) {
        const std::string_view kernel = version.steps[std::size_t(step)].kernel;
        if (kernel.empty() || !runs_step(work, step)) continue;
        for (const Knob& knob : library.find(kernel).knobs) {
            if (knob.name == name && !is_block_side(knob)) return &knob;
        }
    }
    return nullptr;
}

namespace {

// Sizes that pictures usually have.
constexpr Extent kPictureSizes[]{{640, 480},   {1280, 720},  {1920, 1080},
                                 {2048, 1536}, {2592, 1944}, {3648, 2736}};

std::string size_text(Extent size) {
    return fmt::format("{} x {}", size.width, size.height);
}
Extent size_of(const std::string& text) {
    const auto side = [&](std::string_view part) { return parse_number<int>(part).value_or(1); };
    return {side(std::string_view(text).substr(0, text.find(' '))),
            side(std::string_view(text).substr(text.rfind(' ') + 1))};
}

// The knob in a kernel of the version; null if it has none.
const Knob* find_knob(const KernelLibrary& library, const Version& version, const std::string& name) {
    for (const StepKernel& step : version.steps) {
        if (step.kernel.empty()) continue;
        for (const Knob& knob : library.find(step.kernel).knobs) {
            if (knob.name == name && !is_block_side(knob)) return &knob;
        }
    }
    return nullptr;
}

// Blocks of less than a warp come last: they are slow, and nobody wants them.
std::vector<std::string> block_places() {
    constexpr int kThreadsOfWarp = 32;
    std::vector<std::string> places;
    for (const bool whole : {true, false}) {
        for (int y = 1; y <= kMaxThreadsPerBlock; y *= 2) {
            for (int x = 1; x * y <= kMaxThreadsPerBlock; x *= 2) {
                if ((x * y >= kThreadsOfWarp) == whole) places.push_back(to_string(Block{x, y}));
            }
        }
    }
    return places;
}

std::vector<std::string> row_places() {
    std::vector<std::string> places;
    for (int y = 1; 32 * y <= kMaxThreadsPerBlock; ++y) places.push_back(to_string(Block{32, y}));
    return places;
}

std::vector<std::string> size_places(const Lab& lab, Extent picture) {
    std::vector<std::string> places;
    if (!lab.takes_picture()) {
        for (const Extent size : lab.sizes.swept) places.push_back(size_text(size));
        return places;
    }
    for (const Extent size : kPictureSizes) {
        if (size.width <= picture.width && size.height <= picture.height) places.push_back(size_text(size));
    }
    return places;
}

std::string axes_of(const Lab& lab, const KernelLibrary& library, const std::vector<int>& versions) {
    std::set<std::string> names{"block", "size", "threads"};
    for (const int number : versions) {
        for (const StepKernel& step : version_of(lab, number).steps) {
            if (step.kernel.empty()) continue;
            for (const Knob& knob : library.find(step.kernel).knobs) {
                if (!is_block_side(knob)) names.insert(knob.name);
            }
        }
    }
    return fmt::format("{}", fmt::join(names, ", "));
}

// Puts the work at a place; false if this version has no such place.
bool move_to(SweepItem& item, const SweepAxis& axis, const std::string& at, const KernelLibrary& library) {
    Work& work = item.work;
    const Version& version = version_of(*work.lab, work.version);
    if (axis.name == "size") {
        (work.lab->takes_picture() ? item.cut : work.size) = size_of(at);
    } else if (axis.name == "block" || axis.name == "threads") {
        const int step = swept_step(work);
        const Block block = parse_block(at);
        const StepKernel& kernel = version.steps[std::size_t(step)];
        if (!(fitted(library.find(kernel.kernel), block) == block)) return false;
        work.block(step) = block;
    } else {
        const Knob* knob = find_knob(library, version, axis.name);
        const int value = parse_number<int>(at).value_or(0);
        if (!knob || value < knob->low || value > knob->high) return false;
        work.knobs[axis.name] = value;
    }
    item.at.push_back(at);
    return true;
}

Work in_version(const Work& base, int number, const KernelLibrary& library) {
    if (number == base.version) return base;
    const Version& version = version_of(*base.lab, number);
    Work work = with_version(base, version);
    for (const auto& [name, value] : base.knobs) {
        if (find_knob(library, version, name)) work.knobs[name] = value;
    }
    return work;
}

// The rest of the axes, one within the other.
void add_items(const SweepPlan& plan, std::size_t axis, const SweepItem& so_far, const KernelLibrary& library,
               std::vector<SweepItem>& items) {
    if (axis == plan.axes.size()) {
        items.push_back(so_far);
        return;
    }
    for (const std::string& at : plan.axes[axis].places) {
        SweepItem item = so_far;
        if (move_to(item, plan.axes[axis], at, library)) add_items(plan, axis + 1, item, library, items);
    }
}

}  // namespace

int swept_step(const Work& work) {
    for (const int step : work.lab->by_weight) {
        if (runs_step(work, step)) return step;
    }
    return main_step(*work.lab, version_of(*work.lab, work.version));
}

SweepSubject subject_of(Work work, const InputKey& input, SweepOver over) {
    InputKey of = input;
    switch (over.kind) {
        case SweepOver::Kind::block:
            work.block(swept_step(work)) = {1, 1};
            break;
        case SweepOver::Kind::size:
            work.size = {};
            of = {};
            break;
        case SweepOver::Kind::knob:
            work.knobs.erase(over.knob);
            if (!work.lab->takes_picture()) of = {};  // size and knobs decide on it
            if (work.lab->made_input.knobs.contains(over.knob)) of.knobs = 0;
            break;
    }
    return {std::move(work), of, std::move(over)};
}

std::vector<Extent> sizes_within(const Lab& lab, std::size_t bytes) {
    std::vector<Extent> sizes;
    for (const Extent size : lab.sizes.swept) {
        const bool fits = std::all_of(lab.buffers.begin(), lab.buffers.end(),
                                      [&](const Buffer& buffer) { return bytes_of(buffer, size) <= bytes; });
        if (fits) sizes.push_back(size);
    }
    return sizes;
}

SweepAxis size_axis(const std::vector<Extent>& sizes) {
    SweepAxis axis{"size", {}};
    for (const Extent size : sizes) axis.places.push_back(size_text(size));
    return axis;
}

SweepAxis sweep_axis(const std::string& name, const Work& base, const std::vector<int>& versions,
                     Extent picture, const KernelLibrary& library) {
    const Lab& lab = *base.lab;
    SweepAxis axis{name, {}};
    if (name == "size") axis.places = size_places(lab, picture);
    if (name == "block") axis.places = block_places();
    if (name == "threads") axis.places = row_places();
    for (const int number : versions) {
        if (!axis.places.empty()) break;
        if (const Knob* knob = find_knob(library, version_of(lab, number), name))
            axis.places = places_of(*knob);
    }
    if (axis.places.empty())
        throw UsageError(name == "size"
                             ? fmt::format("the picture of {} is smaller than every size", size_text(picture))
                             : fmt::format("'{}' is no axis of {}", name, lab.id),
                         "", "choose one of " + axes_of(lab, library, versions));
    return axis;
}

std::vector<SweepItem> sweep_items(const SweepPlan& plan, const KernelLibrary& library) {
    std::vector<SweepItem> items;
    std::vector<std::string> gpus = plan.gpus;
    if (gpus.empty()) gpus.push_back(plan.base.target_gpu);
    // An input is made once: sizes go round the versions.
    const bool by_size = !plan.axes.empty() && plan.axes.front().name == "size";
    const std::vector<std::string> sizes = by_size ? plan.axes.front().places : std::vector<std::string>{""};
    for (const std::string& gpu : gpus) {
        for (const std::string& size : sizes) {
            for (const int number : plan.versions) {
                SweepItem item;
                item.work = in_version(plan.base, number, library);
                item.work.target_gpu = gpu;
                if (!by_size || move_to(item, plan.axes.front(), size, library))
                    add_items(plan, by_size ? 1 : 0, item, library, items);
            }
        }
    }
    return items;
}

}  // namespace ws

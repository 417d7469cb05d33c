#include "gpu/core/lab.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <string>

#include "gpu/core/content_hash.h"
#include "gpu/core/error.h"

namespace ws {
namespace {

int buffer_of(const std::vector<Argument>& arguments, Argument::Kind kind) {
    const auto found = std::find_if(arguments.begin(), arguments.end(),
                                    [&](const Argument& argument) { return argument.kind == kind; });
    return found == arguments.end() ? -1 : found->buffer;
}

template <typename List>
int place_of(const List& list, std::string_view name) {
    const auto found =
        std::find_if(list.begin(), list.end(), [&](const auto& entry) { return entry.name == name; });
    return found == list.end() ? -1 : int(found - list.begin());
}

}  // namespace

Problem picture_problem(const Lab& lab, const Picture& picture) {
    return {&lab,
            picture->size,
            std::shared_ptr<const PixelBytes>(picture, &picture->bytes),
            {},
            content_hash(picture->bytes.data(), picture->bytes.size())};
}

Problem generated_problem(const Lab& lab, Extent size) {
    const Buffer& buffer = lab.buffers.front();
    auto bytes = std::make_shared<PixelBytes>(bytes_of(buffer, size));
    // From 2^24 on the nearest that a float can hold. Of 32 bits, so that the compiler makes SIMD of it.
    const auto count = std::int32_t(size.pixels());
    for (std::int32_t i = 0; i < count; ++i) {
        const auto value = float(i);
        std::memcpy(bytes->data() + std::size_t(i) * sizeof value, &value, sizeof value);
    }
    // The size says it all.
    const std::array<int, 3> made_of{size.width, size.height, int(buffer.element)};
    return {&lab, size, std::move(bytes), {}, content_hash(made_of.data(), sizeof made_of)};
}

Extent extent_of(const Buffer& buffer, Extent size) {
    return buffer.turned ? Extent{size.height, size.width} : size;
}

std::size_t bytes_of(const Buffer& buffer, Extent size) {
    const std::size_t elements = buffer.elements > 0 ? buffer.elements : size.pixels();
    return elements * std::size_t(bytes_of(buffer.element));
}

const std::vector<Pass>* way_of(const View& view, const Version& version) {
    static const std::vector<Pass> kNothing;
    if (view.ways.empty()) return &kNothing;
    const auto has = [&](const Pass& pass) { return !version.steps[std::size_t(pass.step)].kernel.empty(); };
    const auto found = std::find_if(view.ways.begin(), view.ways.end(), [&](const std::vector<Pass>& way) {
        return std::all_of(way.begin(), way.end(), has);
    });
    return found == view.ways.end() ? nullptr : &*found;
}

int shown_buffer(const View& view, const Version& version) {
    const std::vector<Pass>* way = way_of(view, version);
    return way && !way->empty() ? output_of(way->back().arguments) : view.shows;
}

bool is_shortcut(const Lab& lab, int step) {
    return std::any_of(lab.views.begin(), lab.views.end(), [&](const View& view) {
        const auto alone = [&](const std::vector<Pass>& way) {
            return way.size() == 1 && way.front().step == step;
        };
        const auto longer = [](const std::vector<Pass>& way) { return way.size() > 1; };
        return std::any_of(view.ways.begin(), view.ways.end(), alone) &&
               std::any_of(view.ways.begin(), view.ways.end(), longer);
    });
}

int input_of(const std::vector<Argument>& arguments) {
    return buffer_of(arguments, Argument::Kind::input);
}

int output_of(const std::vector<Argument>& arguments) {
    return buffer_of(arguments, Argument::Kind::output);
}

double least_bytes(const Lab& lab, const std::vector<Argument>& arguments, Extent size) {
    double sum = 0;
    for (const Argument& argument : arguments) {
        if (argument.buffer >= 0) sum += double(bytes_of(lab.buffers[std::size_t(argument.buffer)], size));
    }
    return sum;
}

const Version& version_of(const Lab& lab, int number) {
    const auto found = std::find_if(lab.versions.begin(), lab.versions.end(),
                                    [&](const Version& version) { return version.number == number; });
    if (found == lab.versions.end()) {
        throw UsageError("there is no version " + std::to_string(number), "",
                         "choose one from " + std::to_string(lab.versions.front().number) + " to " +
                             std::to_string(lab.versions.back().number));
    }
    return *found;
}

const Version* version_before(const Lab& lab, int number) {
    const Version* before = nullptr;
    for (const Version& version : lab.versions) {
        if (version.number == number) return before;
        before = &version;
    }
    return nullptr;
}

int step_named(const Lab& lab, std::string_view name) {
    return place_of(lab.steps, name);
}

int view_named(const Lab& lab, std::string_view name) {
    return place_of(lab.views, name);
}

int view_with(const Lab& lab, int view, bool everything) {
    const View& now = lab.views[std::size_t(view)];
    if (everything) return now.base.empty() ? view : view_named(lab, now.base);
    for (std::size_t i = 0; i < lab.views.size(); ++i) {
        if (lab.views[i].base == now.name) return int(i);
    }
    return view;
}

int main_step(const Lab& lab, const Version& version) {
    for (const int step : lab.by_weight) {
        if (!version.steps[std::size_t(step)].kernel.empty()) return step;
    }
    return lab.by_weight.front();
}

}  // namespace ws

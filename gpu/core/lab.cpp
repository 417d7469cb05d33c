#include "gpu/core/lab.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>

#include "gpu/core/content_hash.h"
#include "gpu/core/error.h"
#include "gpu/core/ulps.h"

namespace ws {
namespace {

int buffer_of(const std::vector<Argument>& arguments, Argument::Kind kind) {
    const auto found = std::find_if(arguments.begin(), arguments.end(),
                                    [&](const Argument& argument) { return argument.kind == kind; });
    return found == arguments.end() ? -1 : found->buffer;
}

template <typename T>
double read_as(const std::uint8_t* at) {
    T value{};
    std::memcpy(&value, at, sizeof value);
    return double(value);
}

void fill_with_ramp(Element element, Extent size, std::uint8_t* out) {
    // Of 32 bits, so that the compiler makes SIMD of it.
    const auto count = std::int32_t(size.pixels());
    if (element != Element::float32) {
        for (std::int32_t i = 0; i < count; ++i) std::memcpy(out + std::size_t(i) * sizeof i, &i, sizeof i);
        return;
    }
    for (std::int32_t i = 0; i < count; ++i) {
        // From 2^24 on the nearest that a float can hold.
        const auto value = float(i);
        std::memcpy(out + std::size_t(i) * sizeof value, &value, sizeof value);
    }
}

struct QuantityRow {
    std::string_view name, unit;
    bool counted = false;
};
constexpr std::array kQuantities{
    QuantityRow{"throughput", "GB/s"},
    QuantityRow{"time", "ms"},
    QuantityRow{"transferred by a load request", "bytes", true},
    QuantityRow{"of what loads transfer is requested", "%", true},
    QuantityRow{"of a load request to shared memory", "wavefronts", true},
    QuantityRow{"the worst bank conflict", "ways", true},
    QuantityRow{"of a request to constant memory", "addresses", true},
    QuantityRow{"per clock and multiprocessor", "operations"},
    QuantityRow{"error at most", "ulp"},
    QuantityRow{"absolute error at most", "x 2^-22"},
};

template <typename List>
int place_of(const List& list, std::string_view name) {
    const auto found =
        std::find_if(list.begin(), list.end(), [&](const auto& entry) { return entry.name == name; });
    return found == list.end() ? -1 : int(found - list.begin());
}

}  // namespace

Problem picture_problem(const Lab& lab, const Picture& picture, const KnobValues& knobs) {
    return {&lab,
            picture->size,
            std::shared_ptr<const PixelBytes>(picture, &picture->bytes),
            {},
            content_hash(picture->bytes.data(), picture->bytes.size()),
            input_knobs(lab, knobs)};
}

double value_of(Element element, const std::uint8_t* at) {
    switch (element) {
        case Element::gray:
            return *at;
        case Element::float32:
            return read_as<float>(at);
        case Element::int32:
            return read_as<std::int32_t>(at);
        case Element::rgba:
        case Element::uint32:
            return read_as<std::uint32_t>(at);
        case Element::int64:
            return read_as<std::int64_t>(at);
        case Element::float64:
            return read_as<double>(at);
    }
    return 0;
}

bool is_as_defined(const Buffer& buffer, const std::uint8_t* made, const std::uint8_t* defined,
                   const std::uint8_t* argument) {
    if (std::memcmp(made, defined, std::size_t(bytes_of(buffer.element))) == 0) return true;
    if (buffer.allowed_ulps && argument) {
        const auto right = float(read_as<float>(defined));
        return ulps_apart(float(read_as<float>(made)), right) <=
               buffer.allowed_ulps(float(read_as<float>(argument)), right);
    }
    return buffer.tolerance > 0 &&
           std::abs(value_of(buffer.element, made) - value_of(buffer.element, defined)) <= buffer.tolerance;
}

bool approximates(const Lab& lab) {
    return std::any_of(lab.buffers.begin(), lab.buffers.end(),
                       [](const Buffer& buffer) { return buffer.allowed_ulps != nullptr; });
}

std::string_view name_of(PublishedQuantity quantity) {
    return kQuantities[std::size_t(quantity)].name;
}
std::string_view unit_of(PublishedQuantity quantity) {
    return kQuantities[std::size_t(quantity)].unit;
}
bool is_counted(PublishedQuantity quantity) {
    return kQuantities[std::size_t(quantity)].counted;
}

const PublishedFigure* published(const Lab& lab, int version, std::string_view gpu,
                                 PublishedQuantity quantity) {
    const auto found = std::find_if(lab.figures.begin(), lab.figures.end(), [&](const PublishedFigure& one) {
        return one.version == version && one.gpu == gpu && one.quantity == quantity;
    });
    return found == lab.figures.end() ? nullptr : &*found;
}

KnobValues input_knobs(const Lab& lab, const KnobValues& knobs) {
    KnobValues made = lab.made_input.knobs;
    for (auto& [name, value] : made) {
        if (const auto chosen = knobs.find(name); chosen != knobs.end()) value = chosen->second;
    }
    return made;
}

namespace {

void make_further(Problem& problem) {
    const Lab& lab = *problem.lab;
    if (!lab.made_input.make_further) return;
    problem.given.resize(lab.buffers.size());
    for (std::size_t i = 1; i < lab.buffers.size(); ++i) {
        if (lab.buffers[i].content != Content::made) continue;
        auto bytes = std::make_shared<PixelBytes>(bytes_of(lab.buffers[i], problem.size));
        lab.made_input.make_further(int(i), problem.size, problem.knobs, bytes->data());
        problem.given[i] = std::move(bytes);
    }
}

}  // namespace

Problem generated_problem(const Lab& lab, Extent size, const KnobValues& knobs) {
    const Buffer& buffer = lab.buffers.front();
    auto bytes = std::make_shared<PixelBytes>(bytes_of(buffer, size));
    Problem problem{&lab, size, bytes, {}, 0, input_knobs(lab, knobs)};
    if (buffer.content == Content::made)
        lab.made_input.make(size, problem.knobs, bytes->data());
    else
        fill_with_ramp(buffer.element, size, bytes->data());
    make_further(problem);
    // These say it all.
    std::vector<int> made_of{size.width, size.height, int(buffer.element)};
    for (const auto& [name, value] : problem.knobs) made_of.push_back(value);
    problem.content = content_hash(made_of.data(), made_of.size() * sizeof made_of.front());
    return problem;
}

namespace {

Extent squares_of(const Buffer& buffer, Extent size) {
    const int side = buffer.square_of;
    return {(size.width + side - 1) / side, (size.height + side - 1) / side};
}

std::size_t elements_of(const Buffer& buffer, Extent size) {
    if (buffer.square) return Extent{size.height, size.height}.pixels();
    if (buffer.square_of > 1) return squares_of(buffer, size).pixels();
    return buffer.elements > 0 ? buffer.elements : (size.pixels() + buffer.each - 1) / buffer.each;
}

}  // namespace

Extent extent_of(const Buffer& buffer, Extent size) {
    if (buffer.elements > 0 || buffer.each > 1) return {int(elements_of(buffer, size)), 1};
    if (buffer.square) return {size.height, size.height};
    if (buffer.square_of > 1) return squares_of(buffer, size);
    return buffer.turned ? Extent{size.height, size.width} : size;
}

std::size_t bytes_of(const Buffer& buffer, Extent size) {
    return elements_of(buffer, size) * std::size_t(bytes_of(buffer.element));
}

int texture_channels(const Buffer& buffer) {
    switch (buffer.element) {
        case Element::rgba:
            return 4;
        case Element::gray:
        case Element::float32:
            return 1;
        default:
            throw Error("buffer '" + std::string(buffer.name) +
                        "' is no texture: its elements are neither pixels nor floats");
    }
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

int first_view(const Lab& lab) {
    const auto found = std::ranges::find_if(lab.views, &View::first);
    return found == lab.views.end() ? 0 : int(found - lab.views.begin());
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
    const int read = buffer_of(arguments, Argument::Kind::input);
    return read >= 0 ? read : buffer_of(arguments, Argument::Kind::texture);
}

int output_of(const std::vector<Argument>& arguments) {
    const int written = buffer_of(arguments, Argument::Kind::output);
    return written >= 0 ? written : buffer_of(arguments, Argument::Kind::both);
}

double least_bytes(const Lab& lab, const std::vector<Argument>& arguments, Extent size) {
    double sum = 0;
    for (const Argument& argument : arguments) {
        if (argument.buffer >= 0)
            sum += double(bytes_of(lab.buffers[std::size_t(argument.buffer)], size)) / argument.part;
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

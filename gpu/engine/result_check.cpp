#include "gpu/engine/result_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "gpu/core/ulps.h"
#include "gpu/cpu/cpu_device.h"
#include "gpu/engine/difference.h"

namespace ws {
namespace {

constexpr std::uint8_t kPoisons[2] = {0xA5, 0x5A};

std::string value_text(Element element, const std::uint8_t* at) {
    if (element == Element::rgba) return fmt::format("({}, {}, {}, {})", at[0], at[1], at[2], at[3]);
    if (element == Element::float32) return fmt::format("{}", float(value_of(element, at)));
    return fmt::format("{}", value_of(element, at));
}

// What the result of a picture is made of has another name.
bool is_picture(const Buffer& buffer) {
    return buffer.element == Element::gray || buffer.element == Element::rgba;
}

const std::uint8_t* argument_at(const PixelBytes* arguments, std::size_t element) {
    return arguments ? arguments->data() + element * sizeof(float) : nullptr;
}

float float_at(const std::uint8_t* at) {
    float value = 0;
    std::memcpy(&value, at, sizeof value);
    return value;
}

Accuracy accuracy_of(const Buffer& buffer, const HostBytes& made, const HostBytes& reference,
                     const PixelBytes& arguments) {
    Accuracy accuracy;
    const std::size_t count = reference.size() / sizeof(float);
    double sum = 0;
    for (std::size_t i = 0; i < count; ++i) {
        const float argument = float_at(argument_at(&arguments, i));
        const float defined = float_at(&reference[i * sizeof(float)]);
        const double ulps = ulps_apart(float_at(&made[i * sizeof(float)]), defined);
        sum += ulps;
        if (!std::isfinite(buffer.allowed_ulps(argument, defined))) ++accuracy.unstated;
        if (ulps <= accuracy.largest_ulps) continue;
        accuracy.largest_ulps = ulps;
        accuracy.at = argument;
    }
    accuracy.mean_ulps = count > 0 ? sum / double(count) : 0;
    return accuracy;
}

// Within the bounds, as far as there are any.
Message text_of(const Accuracy& accuracy, std::size_t all) {
    const std::string largest = fmt::format("{:.3g}", accuracy.largest_ulps);
    const std::string mean = fmt::format("{:.2g}", accuracy.mean_ulps);
    if (accuracy.unstated == 0)
        return message("errors up to {} ulp, {} on average, within the stated bound", largest, mean);
    if (accuracy.unstated == all)
        return message("errors up to {} ulp, {} on average; no bound is stated", largest, mean);
    return message("errors up to {} ulp, {} on average; no bound is stated for {} of {}", largest, mean,
                   accuracy.unstated, all);
}
// Its approximations are functions of doubles, rounded once.
Message text_of_simulated(const Accuracy& accuracy) {
    return message("errors up to {} ulp, {} on average, of the simulated GPU: roundings alone",
                   fmt::format("{:.3g}", accuracy.largest_ulps), fmt::format("{:.2g}", accuracy.mean_ulps));
}

}  // namespace

Check compare(const Buffer& buffer, Extent size, const HostBytes& first, std::uint8_t first_poison,
              const HostBytes& second, std::uint8_t second_poison, const HostBytes& reference,
              const PixelBytes* arguments) {
    if (first.size() != reference.size() || second.size() != reference.size())
        return {Check::State::failed, message("the result has the wrong size")};
    const Extent extent = extent_of(buffer, size);
    const auto bytes = std::size_t(bytes_of(buffer.element));
    const char* const what = is_picture(buffer) ? "pixels" : "elements";
    const auto keeps = [bytes](const HostBytes& made, std::size_t at, std::uint8_t poison) {
        return std::all_of(made.begin() + std::ptrdiff_t(at), made.begin() + std::ptrdiff_t(at + bytes),
                           [poison](std::uint8_t byte) { return byte == poison; });
    };
    std::size_t different = 0;
    std::size_t unwritten = 0;
    std::size_t first_at = extent.pixels();
    if (first != reference || second != reference) {
        for (std::size_t i = 0; i < extent.pixels(); ++i) {
            const std::size_t at = i * bytes;
            if (keeps(first, at, first_poison) && keeps(second, at, second_poison)) {
                ++unwritten;
            } else if (is_as_defined(buffer, &first[at], &reference[at], argument_at(arguments, i)) &&
                       is_as_defined(buffer, &second[at], &reference[at], argument_at(arguments, i))) {
                continue;
            } else {
                ++different;
            }
            first_at = std::min(first_at, i);
        }
    }
    const std::size_t all = extent.pixels();
    if (different + unwritten == 0 && buffer.allowed_ulps && arguments) {
        const Accuracy accuracy = accuracy_of(buffer, first, reference, *arguments);
        return {Check::State::equal, text_of(accuracy, all), accuracy};
    }
    if (different + unwritten == 0 && buffer.tolerance > 0)
        return {Check::State::equal,
                message("every element within {} of its definition", fmt::format("{}", buffer.tolerance))};
    if (different + unwritten == 0)
        return {Check::State::equal,
                is_picture(buffer) ? message("every pixel as defined") : message("every element as defined")};
    if (unwritten == all)
        return {Check::State::different,
                message("the kernels write nothing: not one of the {} {} was written", all, what)};
    const auto width = std::size_t(extent.width);
    const std::string made = value_text(buffer.element, &first[first_at * bytes]);
    const std::string defined = value_text(buffer.element, &reference[first_at * bytes]);
    const std::size_t column = first_at % width;
    const std::size_t row = first_at / width;
    if (different == 0)
        return {Check::State::different,
                message("{} of {} {} are never written; the first at column {}, row {}: {} instead of {}",
                        unwritten, all, what, column, row, made, defined)};
    if (unwritten == 0)
        return {Check::State::different,
                message("{} of {} {} differ from the definition; the first at column {}, row {}: {} instead "
                        "of {}",
                        different, all, what, column, row, made, defined)};
    return {Check::State::different,
            message("{0} of {2} {3} are never written; {1} of {2} {3} differ from the definition; the first "
                    "at column {4}, row {5}: {6} instead of {7}",
                    unwritten, different, all, what, column, row, made, defined)};
}

ResultCheck::Made ResultCheck::compared(const Plan& plan, const Problem& problem, const InputKey& input,
                                        const Ran& ran, SharedReference known) {
    if (!ran.failure.empty())
        return {{plan.generation, {Check::State::failed, ran.failure}, nullptr, {}}, known};
    if (!known || !(known->input == input) || known->lab != plan.lab->id || known->buffer != plan.shows)
        known = std::make_shared<const Reference>(
            Reference{input, std::string(plan.lab->id), plan.shows, reference_result(problem, plan.shows)});
    Made made{{plan.generation, {}, ran.first, {}}, known};
    Outcome& outcome = made.outcome;
    if (!ran.first) {  // the native pipeline
        outcome.result = {known, &known->bytes};
        outcome.check = {Check::State::equal, message("the native pipeline is the reference itself")};
        return made;
    }
    const Buffer& buffer = plan.lab->buffers[std::size_t(plan.shows)];
    // One run is computed over one poison, which no element of the two can have at once.
    const bool once = ran.first == ran.second;
    const PixelBytes* const arguments = buffer.allowed_ulps ? problem.input.get() : nullptr;
    outcome.check = compare(buffer, problem.size, *ran.first, once ? 0 : kPoisons[0], *ran.second,
                            once ? 255 : kPoisons[1], known->bytes, arguments);
    if (outcome.check.accuracy && ran.simulated)
        outcome.check.message = text_of_simulated(*outcome.check.accuracy);
    if (outcome.check.state == Check::State::different && ran.first->size() == known->bytes.size() &&
        buffer.element != Element::rgba)
        outcome.difference = difference_of(buffer, problem.size, *ran.first, known->bytes,
                                           plan.launches.back().tile, arguments);
    return made;
}

ResultCheck::Ran ResultCheck::run_twice(Device& device, const Plan& plan) {
    Ran ran;
    for (const std::uint8_t poison : kPoisons) {
        Result<HostBytes> made = device.run_poisoned(plan, poison);
        if (!made.ok()) return {nullptr, nullptr, made.message(), false};
        auto& bytes = ran.first ? ran.second : ran.first;
        bytes = std::make_shared<const HostBytes>(std::move(made.value()));
    }
    return ran;
}

void ResultCheck::begin(DeviceLoan loan, const Plan& plan, const Problem& problem, const InputKey& input) {
    const Abilities& can = loan.device().facts().can;
    Ran ran;
    if (can.shows_progress) {
        ran.first = ran.second = loan.device().result();
        if (!ran.first) return;
    }
    const bool simulated = !can.measures_time;
    ran.simulated = simulated;
    const bool runs = !can.shows_progress && !can.is_reference;
    if (!runs) loan.give_back();
    generation_ = plan.generation;
    job_ = Job<Made>([=, loan = std::move(loan), known = reference_](const std::stop_token&) mutable {
        if (runs) ran = run_twice(loan.device(), plan);
        ran.simulated = simulated;
        loan.give_back();
        return compared(plan, problem, input, ran, known);
    });
}

ResultCheck::Outcome ResultCheck::taken(Result<Made> made) {
    if (!made.ok()) return {generation_, {Check::State::failed, made.message()}, nullptr, {}};
    reference_ = std::move(made.value().reference);
    return std::move(made.value().outcome);
}

std::optional<ResultCheck::Outcome> ResultCheck::poll() {
    std::optional<Result<Made>> made = job_.poll();
    if (!made) return std::nullopt;
    return taken(std::move(*made));
}

ResultCheck::Outcome ResultCheck::wait() {
    return taken(job_.wait());
}

}  // namespace ws

#include "gpu/core/experiment.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <limits>
#include <utility>

#include "gpu/core/error.h"
#include "gpu/core/numbers.h"
#include "gpu/core/overloaded.h"

namespace ws {
namespace {

constexpr std::int64_t kMostPlaces = 16;

std::pair<std::int64_t, std::int64_t> range_of(const Control& control) {
    using Range = std::pair<std::int64_t, std::int64_t>;
    return std::visit(Overloaded{[](const ChoiceControl& choice) {
                                     return Range{0, std::int64_t(choice.options.size()) - 1};
                                 },
                                 [](const NumberControl& number) {
                                     return Range{number.low, number.high};
                                 },
                                 [](const BytesControl& bytes) {
                                     return Range{bytes.low, bytes.high};
                                 },
                                 [](const FlagControl&) {
                                     return Range{0, 1};
                                 }},
                      control.takes);
}

// What can be written instead.
std::string choices_of(const Control& control) {
    if (const auto* choice = std::get_if<ChoiceControl>(&control.takes)) {
        std::string names;
        for (const ChoiceControl::Option& option : choice->options)
            names += (names.empty() ? "" : ", ") + std::string(option.name);
        return "choose one of " + names;
    }
    if (std::holds_alternative<FlagControl>(control.takes)) return "choose on or off";
    return "choose from " + text_of(control, low_of(control)) + " to " + text_of(control, high_of(control));
}

std::optional<std::int64_t> parsed(const Control& control, const std::string& text) {
    return std::visit(Overloaded{[&](const ChoiceControl& choice) -> std::optional<std::int64_t> {
                                     for (std::size_t i = 0; i < choice.options.size(); ++i) {
                                         if (choice.options[i].name == text) return std::int64_t(i);
                                     }
                                     return std::nullopt;
                                 },
                                 [&](const NumberControl&) { return parse_number<std::int64_t>(text); },
                                 [&](const BytesControl&) { return parse_bytes(text); },
                                 [&](const FlagControl&) -> std::optional<std::int64_t> {
                                     if (text == "on") return 1;
                                     if (text == "off") return 0;
                                     return std::nullopt;
                                 }},
                      control.takes);
}

}  // namespace

ControlValues first_values(const Experiment& experiment) {
    ControlValues values;
    values.reserve(experiment.controls.size());
    for (const Control& control : experiment.controls) values.push_back(control.first);
    return values;
}

int control_named(const Experiment& experiment, std::string_view name) {
    for (std::size_t i = 0; i < experiment.controls.size(); ++i) {
        if (experiment.controls[i].name == name) return int(i);
    }
    return -1;
}

std::int64_t low_of(const Control& control) {
    return range_of(control).first;
}
std::int64_t high_of(const Control& control) {
    return range_of(control).second;
}

bool goes_by_powers(const Control& control) {
    const auto* number = std::get_if<NumberControl>(&control.takes);
    return std::holds_alternative<BytesControl>(control.takes) || (number && number->by_powers);
}

std::int64_t fitted(const Control& control, std::int64_t value) {
    const auto [low, high] = range_of(control);
    return std::clamp(value, low, high);
}

std::vector<std::int64_t> places_of(const Control& control) {
    const auto [low, high] = range_of(control);
    std::vector<std::int64_t> places;
    if (goes_by_powers(control)) {
        for (std::int64_t power = low; power < high; power *= 2) places.push_back(power);
        places.push_back(high);
        return places;
    }
    const bool all = !std::holds_alternative<NumberControl>(control.takes);
    const std::int64_t count = all ? high - low + 1 : std::min(kMostPlaces, high - low + 1);
    for (std::int64_t i = 0; i < count; ++i)
        places.push_back(low + (high - low) * i / std::max<std::int64_t>(1, count - 1));
    return places;
}

std::int64_t stepped(const Control& control, std::int64_t value, int by) {
    const std::vector<std::int64_t> places = places_of(control);
    if (by > 0) {
        const auto above = std::upper_bound(places.begin(), places.end(), value);
        return above == places.end() ? value : *above;
    }
    const auto from = std::lower_bound(places.begin(), places.end(), value);
    return from == places.begin() ? value : *std::prev(from);
}

std::int64_t value_of(const Control& control, const std::string& text) {
    const std::optional<std::int64_t> value = parsed(control, text);
    if (!value || *value < low_of(control) || *value > high_of(control))
        throw UsageError("'" + text + "' is no value of " + std::string(control.name), "",
                         choices_of(control));
    return *value;
}

std::string text_of(const Control& control, std::int64_t value) {
    return std::visit(Overloaded{[&](const ChoiceControl& choice) {
                                     return std::string(choice.options.at(std::size_t(value)).name);
                                 },
                                 [&](const NumberControl&) { return std::to_string(value); },
                                 [&](const BytesControl&) { return bytes_text(value); },
                                 [&](const FlagControl&) { return std::string(value ? "on" : "off"); }},
                      control.takes);
}

std::string bytes_text(std::int64_t bytes) {
    constexpr std::array<std::pair<const char*, int>, 3> kUnits{{{" GiB", 30}, {" MiB", 20}, {" KiB", 10}}};
    for (const auto& [unit, bits] : kUnits) {
        const std::int64_t one = std::int64_t(1) << bits;
        if (bytes >= one && bytes % one == 0) return std::to_string(bytes / one) + unit;
    }
    return std::to_string(bytes) + (bytes == 1 ? " byte" : " bytes");
}

std::optional<std::int64_t> parse_bytes(std::string_view text) {
    std::size_t digits = 0;
    while (digits < text.size() && std::isdigit(static_cast<unsigned char>(text[digits]))) ++digits;
    const std::optional<std::int64_t> number = parse_number<std::int64_t>(text.substr(0, digits));
    std::string unit(text.substr(digits));
    if (!unit.empty() && unit.front() == ' ') unit.erase(0, 1);
    for (char& c : unit) c = char(std::toupper(static_cast<unsigned char>(c)));
    int bits = -1;
    for (const auto& [letter, value] : {std::pair{'K', 10}, {'M', 20}, {'G', 30}}) {
        const std::string one(1, letter);
        if (unit == one || unit == one + "B" || unit == one + "IB") bits = value;
    }
    if (unit.empty() || unit == "BYTES" || unit == "BYTE" || unit == "B") bits = 0;
    if (!number || bits < 0 || *number > (std::numeric_limits<std::int64_t>::max() >> bits))
        return std::nullopt;
    return *number << bits;
}

}  // namespace ws

#pragma once
// Options with a number in a range. A value that is none, or lies outside, is an error of the parser.

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <optional>
#include <string>

#include "gpu/core/numbers.h"

namespace ws {

// The parser's own conversion takes 010 for 8 and "" for 0.
template <typename T>
void add_number(CLI::App& app, const std::string& name, T& number, T low, T high, const std::string& text,
                const char* type = "N") {
    app.add_option_function<std::string>(
           name,
           [name, &number, low, high](const std::string& value) {
               const std::optional<T> parsed = parse_number<T>(value);
               if (!parsed || !(*parsed >= low && *parsed <= high))  // not what is no number, either
                   throw CLI::ValidationError(
                       name, fmt::format("'{}' is not in the range of {} to {}", value, low, high));
               number = *parsed;
           },
           text)
        ->type_name(type);
}

}  // namespace ws

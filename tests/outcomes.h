#pragma once
// What an experiment found out, as tests look it up.

#include <algorithm>
#include <cstddef>
#include <string>
#include <variant>

#include "gpu/core/outcome.h"

namespace ws {

// Null where there is none of the title.
[[nodiscard]] inline const ResultTable* table_named(const Outcome& outcome, const std::string& title) {
    const auto found = std::find_if(outcome.tables.begin(), outcome.tables.end(),
                                    [&](const ResultTable& table) { return english(table.title) == title; });
    return found == outcome.tables.end() ? nullptr : &*found;
}
// Of the first column.
[[nodiscard]] inline std::string name_of_row(const ResultTable& table, std::size_t row) {
    return english(std::get<Message>(table.rows.at(row).front()));
}
[[nodiscard]] inline double cell(const ResultTable& table, std::size_t row, std::size_t column) {
    return std::get<TableFigure>(table.rows.at(row).at(column)).value;
}

}  // namespace ws

// The error that a badge tells is that of the times in the docs: read from there, and compared anew.

#include "gpu/analysis/estimate_error.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

namespace ws {
namespace {

using Cells = std::vector<std::string>;

std::string trimmed(const std::string& text) {
    const auto from = text.find_first_not_of(' ');
    return from == std::string::npos ? "" : text.substr(from, text.find_last_not_of(' ') - from + 1);
}

// The first table below a heading, without its rule.
std::vector<Cells> table_below(std::string_view file, std::string_view heading) {
    std::ifstream in(std::string(WARPSCOPE_SOURCE_DIR) + "/docs/" + std::string(file));
    std::vector<Cells> rows;
    std::string line;
    bool below = false;
    while (std::getline(in, line)) {
        if (line == heading) below = true;
        if (!below || (line.empty() && rows.empty())) continue;
        if (line.empty() || line[0] != '|') {
            if (rows.empty()) continue;
            break;
        }
        Cells row;
        std::stringstream cells(line.substr(1));
        for (std::string cell; std::getline(cells, cell, '|');) row.push_back(trimmed(cell));
        if (row.front().find("---") != 0) rows.push_back(std::move(row));
    }
    return rows;
}

struct Pair {
    double estimated = 0, measured = 0;
};

std::size_t column_of(const Cells& head, const std::string& name) {
    return std::size_t(std::find(head.begin(), head.end(), name) - head.begin());
}

// "V0 1.29, V1 0.89": estimated over measured.
std::vector<Pair> ratios_of(const std::string& cell) {
    std::vector<Pair> pairs;
    const std::regex one("V[0-9]+ ([0-9.]+)");
    for (std::sregex_iterator at(cell.begin(), cell.end(), one), end; at != end; ++at)
        pairs.push_back({std::stod((*at)[1]), 1});
    return pairs;
}

// Tables have estimate and measurement in columns of these names, in rows of them, or version by version; or
// a lab's ratios in a row.
std::vector<Pair> pairs_of(const EstimateError& error) {
    const std::vector<Cells> rows = table_below(error.file, error.heading);
    std::vector<Pair> pairs;
    if (rows.size() < 2) return pairs;
    const Cells& head = rows.front();
    if (head.front() == "lab") {
        for (const Cells& row : rows)
            if (row.front() == "`" + std::string(error.lab) + "`") return ratios_of(row.at(1));
        return pairs;
    }
    if (head.front() == "GPU") {
        for (std::size_t i = 1; i < rows.size(); ++i) {
            for (std::size_t version = 0; version < 3; ++version)
                pairs.push_back({std::stod(rows[i][5 + version]), std::stod(rows[i][1 + version])});
        }
        return pairs;
    }
    if (rows[1].front().starts_with("estimated")) {
        for (std::size_t i = 1; i < head.size(); ++i)
            pairs.push_back({std::stod(rows[1][i]), std::stod(rows[2][i])});
        return pairs;
    }
    const std::size_t by_bounds = column_of(head, "by the bounds");
    const std::size_t estimated = by_bounds < head.size() ? by_bounds : column_of(head, "estimated");
    const std::size_t measured = std::min(column_of(head, "measured"), column_of(head, "lecture"));
    for (std::size_t i = 1; i < rows.size(); ++i)
        pairs.push_back({std::stod(rows[i].at(estimated)), std::stod(rows[i].at(measured))});
    return pairs;
}

TEST(EstimateErrors, AreThoseOfTheTimesInTheDocs) {
    for (const EstimateError& error : estimate_errors()) {
        const std::vector<Pair> pairs = pairs_of(error);
        ASSERT_EQ(int(pairs.size()), error.times) << error.lab << " " << error.heading;
        double sum = 0;
        double worst = 1;
        for (const Pair& pair : pairs) {
            const double ratio = pair.estimated / pair.measured;
            sum += std::abs(ratio - 1);
            worst = std::max({worst, ratio, 1 / ratio});
        }
        // The mean has hundredths, and so have the ratios of the docs.
        EXPECT_NEAR(error.mean, sum / double(pairs.size()), 0.01) << error.lab << " " << error.heading;
        EXPECT_NEAR(error.worst, worst, 0.03) << error.heading;
    }
}

TEST(EstimateErrors, AreFoundByLabAndCapability) {
    ASSERT_TRUE(estimate_error("filters", {8, 6}));
    EXPECT_EQ(estimate_error("filters", {8, 6})->measured_on, "NVIDIA H200");
    EXPECT_EQ(estimate_error("filters", {8, 6})->file, "clock.md");
    EXPECT_EQ(estimate_error("filters", {7, 0})->file, "measurements.md") << "its machine code is not read";
    EXPECT_EQ(estimate_error("transpose", {1, 3})->measured_on, "GTX 280");
    EXPECT_FALSE(estimate_error("filters", {3, 0})) << "times of a debug build tell an order alone";
    EXPECT_FALSE(estimate_error("no lab", {9, 0}));
    // No capability has two rows.
    for (const EstimateError& one : estimate_errors()) {
        EXPECT_EQ(estimate_error(one.lab, one.from), &one);
        EXPECT_EQ(estimate_error(one.lab, one.to), &one);
    }
}

}  // namespace
}  // namespace ws

#include "gpu/analysis/calibration_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <nlohmann/json.hpp>
#include <regex>
#include <span>

#include "gpu/core/embedded_file.h"
#include "gpu/core/files.h"
#include "gpu/core/numbers.h"

namespace ws::embedded_calibrations {
std::span<const EmbeddedFile> files();
}

namespace ws {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr int kSchema = 1;
constexpr std::size_t kMostBytes = 1 << 16;
constexpr std::size_t kMostLetters = 200;

[[noreturn]] void refuse(const std::string& why) {
    throw Error(why);
}

const Json& member(const Json& json, const char* key) {
    const auto found = json.find(key);
    if (found == json.end()) refuse(fmt::format("it has no '{}'", key));
    return *found;
}
std::string text_at(const Json& json, const char* key) {
    const Json& value = member(json, key);
    if (!value.is_string() || value.get_ref<const std::string&>().size() > kMostLetters)
        refuse(fmt::format("'{}' is no short text", key));
    return value.get<std::string>();
}
double number_at(const Json& json, const char* key, double low, double high) {
    const Json& value = member(json, key);
    const double number = value.is_number() ? value.get<double>() : std::nan("");
    if (!(number >= low && number <= high))
        refuse(fmt::format("'{}' is no number from {} to {}", key, low, high));
    return number;
}
int whole_at(const Json& json, const char* key, int high) {
    const double number = number_at(json, key, 1, high);
    if (number != std::floor(number)) refuse(fmt::format("'{}' is no whole number", key));
    return int(number);
}

ComputeCapability capability_of(const std::string& text) {
    const std::size_t dot = text.find('.');
    const auto major = parse_number<int>(text.substr(0, dot));
    const auto minor = dot == std::string::npos ? std::nullopt : parse_number<int>(text.substr(dot + 1));
    if (!major || !minor || *major < 1 || *major > 99 || *minor < 0 || *minor > 9)
        refuse(fmt::format("'{}' is no compute capability", text));
    return {*major, *minor};
}

GpuRate rate_named(const std::string& name) {
    for (int i = 0; i < kGpuRates; ++i)
        if (row_of(GpuRate(i)).name == name) return GpuRate(i);
    refuse(fmt::format("there is no rate '{}'", name));
}

Calibration parsed(std::string_view text) {
    const Json json = Json::parse(text);
    if (!json.is_object()) refuse("it is no calibration");
    if (const double schema = number_at(json, "calibration", 1, 1e6); schema != kSchema)
        refuse(fmt::format("it is of schema {}, this program reads {}", schema, kSchema));
    Calibration made;
    made.gpu = text_at(json, "gpu");
    made.capability = capability_of(text_at(json, "capability"));
    made.multiprocessors = whole_at(json, "multiprocessors", 10000);
    made.clock_mhz = whole_at(json, "clock_mhz", 100000);
    made.bandwidth_gb_s = number_at(json, "bandwidth_gb_s", 0, 1e6);
    made.date = text_at(json, "date");
    static const std::regex kDate("\\d{4}-\\d{2}-\\d{2}");
    if (!std::regex_match(made.date, kDate)) refuse("'date' is not written as 2026-11-23");
    made.driver = text_at(json, "driver");
    made.compiler = text_at(json, "compiler");
    made.samples = whole_at(json, "samples", 1000000);
    const Json& rates = member(json, "rates");
    if (!rates.is_object()) refuse("'rates' is no object");
    for (const auto& [name, entry] : rates.items()) {
        const GpuRate rate = rate_named(name);
        if (!entry.is_object()) refuse(fmt::format("'{}' is no object", name));
        if (text_at(entry, "unit") != row_of(rate).unit)
            refuse(fmt::format("'{}' is in another unit than {}", name, row_of(rate).unit));
        const MeasuredRate one{number_at(entry, "value", -1e9, 1e9), number_at(entry, "spread", 0, 1e9)};
        if (const std::string doubt = doubt_of(rate, one, made); !doubt.empty())
            refuse(fmt::format("'{}' is not plausible ({})", name, doubt));
        made.at(rate) = one;
    }
    return made;
}

// In four digits: no more were measured.
double in_four_digits(double value) {
    if (value == 0) return 0;
    const double step = std::pow(10.0, std::floor(std::log10(std::abs(value))) - 3);
    return std::stod(fmt::format("{:.4g}", std::round(value / step) * step));
}

}  // namespace

std::string calibration_text(const Calibration& calibration) {
    Json json{{"calibration", kSchema},
              {"gpu", calibration.gpu},
              {"capability", calibration.capability.text()},
              {"multiprocessors", calibration.multiprocessors},
              {"clock_mhz", calibration.clock_mhz},
              {"bandwidth_gb_s", calibration.bandwidth_gb_s},
              {"date", calibration.date},
              {"driver", calibration.driver},
              {"compiler", calibration.compiler},
              {"samples", calibration.samples},
              {"rates", Json::object()}};
    for (int i = 0; i < kGpuRates; ++i) {
        const std::optional<MeasuredRate>& one = calibration.at(GpuRate(i));
        if (!one) continue;
        const RateRow& row = row_of(GpuRate(i));
        json["rates"][std::string(row.name)] = {{"value", in_four_digits(one->value)},
                                                {"spread", in_four_digits(one->spread)},
                                                {"unit", row.unit}};
    }
    return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

Result<Calibration> read_calibration(std::string_view text) {
    try {
        return parsed(text);
    } catch (const nlohmann::json::exception&) {
        return Result<Calibration>::failure("it is no JSON, or not all of it");
    } catch (const Error& error) {
        return Result<Calibration>::failure(error.what());
    }
}

Calibrations read_calibrations(const fs::path& folder) {
    Calibrations made;
    std::error_code status;
    std::vector<fs::path> paths;
    for (const auto& entry : fs::directory_iterator(folder, status)) {
        if (entry.path().extension() == ".json") paths.push_back(entry.path());
    }
    std::sort(paths.begin(), paths.end());
    for (const fs::path& path : paths) {
        try {
            Result<Calibration> one = read_calibration(read_file(path, kMostBytes));
            if (!one.ok()) throw Error("a calibration is left out", path.string(), one.message());
            made.all.push_back(std::move(one.value()));
        } catch (const Error& error) {
            made.problems.emplace_back(error.what());
        }
    }
    return made;
}

std::vector<Calibration> shipped_calibrations() {
    std::vector<Calibration> made;
    for (const EmbeddedFile& file : embedded_calibrations::files()) {
        Result<Calibration> one = read_calibration(file.text);
        if (!one.ok())
            throw Error("a calibration of the program is broken", std::string(file.name), one.message());
        made.push_back(std::move(one.value()));
    }
    return made;
}

std::string calibration_file_name(const Calibration& calibration) {
    std::string name;
    for (const char letter : calibration.gpu) {
        const auto c = static_cast<unsigned char>(letter);
        if (c < 128 && std::isalnum(c))
            name += char(std::tolower(c));
        else if (!name.empty() && name.back() != '-')
            name += '-';
    }
    while (name.ends_with('-')) name.pop_back();
    return name + "-" + calibration.capability.text() + ".json";
}

}  // namespace ws

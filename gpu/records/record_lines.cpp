#include "gpu/records/record_lines.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>

#include "gpu/core/error.h"
#include "gpu/core/numbers.h"

namespace ws {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMostText = 400;  // of any name
constexpr double kMostMs = 1e9;

// Six digits are more than a time has.
double rounded(double value) {
    return parse_number<double>(fmt::format("{:.6g}", value)).value_or(0);
}
std::string hex(std::uint64_t value) {
    return fmt::format("{:016x}", value);
}

std::uint64_t from_hex(const std::string& text) {
    std::uint64_t value = 0;
    for (const char c : text) {
        const std::size_t digit = std::string_view("0123456789abcdef").find(c);
        if (digit == std::string_view::npos || text.size() != 16)
            throw Error("'" + text.substr(0, 20) + "' is no content hash");
        value = value * 16 + digit;
    }
    return value;
}

// ---- reading

std::string text_at(const Json& json, const char* name) {
    auto text = json.at(name).get<std::string>();
    if (text.size() > kMostText) throw Error(fmt::format("'{}' is longer than {} bytes", name, kMostText));
    return text;
}
double ms_of(const Json& json) {
    const auto ms = json.get<double>();
    if (!(ms >= 0) || ms > kMostMs) throw Error(fmt::format("{} is no time", json.dump()));
    return ms;
}
int count_of(const Json& json, int most) {
    const auto count = json.get<std::int64_t>();
    if (count < 0 || count > most) throw Error(fmt::format("{} is not within 0 to {}", count, most));
    return int(count);
}
ComputeCapability capability_of(const std::string& text) {
    const std::size_t dot = text.find('.');
    const auto major = parse_number<int>(std::string_view(text).substr(0, dot));
    const auto minor =
        dot == std::string::npos ? std::nullopt : parse_number<int>(std::string_view(text).substr(dot + 1));
    if (!major || !minor) throw Error("'" + text.substr(0, 20) + "' is no compute capability");
    return {*major, *minor};
}

// What stands for the records that follow.
struct Shared {
    bool begun = false;
    RecordPlace place;
    std::string lab, view;
    Extent size;
    std::map<std::string, std::uint64_t> kernels;
    std::string check;
};

void read_place(const Json& json, Shared& shared) {
    const int schema = json.at("warpscope_records").get<int>();
    if (schema != kRecordSchema)
        throw UsageError(fmt::format("these are records of schema {}; this program reads schema {}", schema,
                                     kRecordSchema),
                         "", "use the program that wrote them, or record again");
    Shared read;
    read.place.gpu = text_at(json, "gpu");
    read.place.capability = capability_of(text_at(json, "capability"));
    read.place.driver = text_at(json, "driver");
    read.place.compiler = text_at(json, "compiler");
    read.place.input = text_at(json, "input");
    read.place.content = from_hex(text_at(json, "content"));
    const std::string kind = text_at(json, "kind");
    const bool measured = kind == name_of(Kind::measured);
    if (!measured && kind != name_of(Kind::estimated)) throw Error("the kind '" + kind + "' is not known");
    if (json.contains("uuid")) read.place.uuid = text_at(json, "uuid");
    read.place.kind = measured ? Kind::measured : Kind::estimated;
    read.lab = text_at(json, "lab");
    read.view = text_at(json, "view");
    constexpr int kMostSide = 1 << 24;
    read.size = {count_of(json.at("size").at(0), kMostSide), count_of(json.at("size").at(1), kMostSide)};
    read.kernels = std::move(shared.kernels);
    read.begun = true;
    shared = std::move(read);
}

void read_kernels(const Json& json, Shared& shared) {
    for (const auto& [name, text] : json.items()) shared.kernels[name] = from_hex(text.get<std::string>());
}

Record read_record(const Json& json, Shared& shared) {
    if (!shared.begun) throw Error("no line before it says which GPU and which work it is of");
    Record record;
    record.place = shared.place;
    record.key.lab = shared.lab;
    record.key.view = shared.view;
    record.key.size = shared.size;
    record.key.version = count_of(json.at("v"), 1 << 20);
    for (const Json& one : json.at("kernels")) {
        const auto name = one.at(1).get<std::string>();
        const auto known = shared.kernels.find(name);
        if (known == shared.kernels.end()) throw Error("no line before it has the text of " + name);
        RecordedKernel kernel{one.at(0).get<std::string>(),
                              name,
                              known->second,
                              {count_of(one.at(2), 1 << 16), count_of(one.at(3), 1 << 16)},
                              {}};
        if (one.size() > 5) {
            for (const auto& [knob, value] : one[5].items()) kernel.knobs[knob] = value.get<int>();
        }
        record.key.kernels.push_back(std::move(kernel));
        record.step_ms.push_back(ms_of(one.at(4)));
    }
    if (json.contains("ms")) {
        const Json& ms = json["ms"];
        record.total_ms = {ms_of(ms.at(0)), ms_of(ms.at(1)), ms_of(ms.at(2)), count_of(ms.at(3), 1 << 30)};
    }
    if (json.contains("mhz"))
        record.clock = {count_of(json["mhz"].at(0), 1 << 20), count_of(json["mhz"].at(1), 1 << 20)};
    if (json.contains("occupancy"))
        record.occupancy = std::clamp(json["occupancy"].get<double>(), 0.0, 100.0);
    if (json.contains("check")) shared.check = text_at(json, "check");
    record.check = shared.check;
    if (json.contains("wrong")) record.wrong = json["wrong"].get<bool>();
    if (json.contains("refused")) record.refused = text_at(json, "refused");
    if (record.total_ms.median <= 0 && record.refused.empty())
        throw Error("it has neither a time nor a reason");
    return record;
}

// ---- writing

Json place_line(const Record& record) {
    const RecordPlace& place = record.place;
    Json line{{"warpscope_records", kRecordSchema},
              {"gpu", place.gpu},
              {"capability", place.capability.text()},
              {"driver", place.driver},
              {"compiler", place.compiler},
              {"kind", name_of(place.kind)},
              {"input", place.input},
              {"content", hex(place.content)},
              {"lab", record.key.lab},
              {"view", record.key.view},
              {"size", Json::array({record.key.size.width, record.key.size.height})}};
    if (!place.uuid.empty()) line["uuid"] = place.uuid;
    return line;
}

Json record_line(const Record& record, bool tells_check) {
    Json line{{"v", record.key.version}};
    Json kernels = Json::array();
    for (std::size_t i = 0; i < record.key.kernels.size(); ++i) {
        const RecordedKernel& kernel = record.key.kernels[i];
        Json one = Json::array({kernel.step, kernel.name, kernel.block.x, kernel.block.y,
                                i < record.step_ms.size() ? rounded(record.step_ms[i]) : 0.0});
        if (!kernel.knobs.empty()) one.push_back(kernel.knobs);
        kernels.push_back(std::move(one));
    }
    line["kernels"] = std::move(kernels);
    const Statistics& ms = record.total_ms;
    if (ms.median > 0)
        line["ms"] = Json::array({rounded(ms.median), rounded(ms.low), rounded(ms.high), ms.samples});
    if (record.clock.high > 0) line["mhz"] = Json::array({record.clock.low, record.clock.high});
    if (record.occupancy > 0) line["occupancy"] = std::round(record.occupancy * 100) / 100;
    if (tells_check) line["check"] = record.check.substr(0, kMostText);
    if (record.wrong) line["wrong"] = true;
    if (!record.refused.empty()) line["refused"] = record.refused.substr(0, kMostText);
    return line;
}

std::string line_of(const Json& json) {
    return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace

std::string RecordWriter::lines_of(const Record& record) {
    std::string lines;
    const RecordKey& key = record.key;
    if (!begun_ || !(place_ == record.place) || lab_ != key.lab || view_ != key.view ||
        !(size_ == key.size)) {
        lines += line_of(place_line(record));
        begun_ = true;
        place_ = record.place;
        lab_ = key.lab;
        view_ = key.view;
        size_ = key.size;
        check_.clear();
    }
    Json told;
    for (const RecordedKernel& kernel : key.kernels) {
        const auto known = std::find_if(kernels_.begin(), kernels_.end(),
                                        [&](const auto& one) { return one.first == kernel.name; });
        if (known != kernels_.end() && known->second == kernel.text) continue;
        if (known != kernels_.end())
            known->second = kernel.text;
        else
            kernels_.emplace_back(kernel.name, kernel.text);
        told[kernel.name] = hex(kernel.text);
    }
    if (!told.empty()) lines += line_of({{"texts", std::move(told)}});
    const bool tells_check = std::exchange(check_, record.check) != record.check;
    return lines + line_of(record_line(record, tells_check));
}

RecordLines read_records(std::string_view text) {
    RecordLines read;
    Shared shared;
    for (int number = 1; !text.empty(); ++number) {
        const std::size_t end = text.find('\n');
        const std::string_view line = text.substr(0, end);
        text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
        if (line.find_first_not_of(" \t\r") == std::string_view::npos) continue;
        try {
            const Json json = Json::parse(line);
            if (!json.is_object()) throw Error("it is no JSON object");
            if (json.contains("warpscope_records"))
                read_place(json, shared);
            else if (json.contains("texts"))
                read_kernels(json["texts"], shared);
            else
                read.records.push_back(read_record(json, shared));
        } catch (const UsageError& error) {
            read.bad.push_back({number, error.what()});
            return read;
        } catch (const Error& error) {
            read.bad.push_back({number, error.what()});
        } catch (const Json::exception& error) {
            read.bad.push_back(
                {number, end == std::string_view::npos ? "it ends in the middle" : error.what()});
        }
    }
    return read;
}

}  // namespace ws

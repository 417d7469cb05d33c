#include "app/cli/kernel_argument.h"

#include <fmt/format.h>

#include <array>
#include <cinttypes>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <random>
#include <utility>

#include "gpu/core/error.h"
#include "gpu/core/files.h"
#include "gpu/core/numbers.h"

namespace ws {
namespace {

constexpr std::uint64_t kMostBytes = 4ull << 30;

[[noreturn]] void refuse(const std::string& text, const std::string& why) {
    throw UsageError(
        "'" + text + "' is not an argument: " + why, "",
        "write a buffer as f32[1024]=iota (or zero, random:1, poison, a raw file), a number as i32=1024");
}

std::optional<Element> type_named(std::string_view name) {
    static constexpr std::array<std::pair<std::string_view, Element>, 6> kNames{{{"u8", Element::gray},
                                                                                 {"i32", Element::int32},
                                                                                 {"u32", Element::uint32},
                                                                                 {"i64", Element::int64},
                                                                                 {"f32", Element::float32},
                                                                                 {"f64", Element::float64}}};
    for (const auto& [known, type] : kNames) {
        if (known == name) return type;
    }
    return std::nullopt;
}

// Stores a number of a type, from an integer or a real one; little-endian, as CPU and GPU are.
void store(std::uint8_t* to, Element element, std::int64_t whole, double real) {
    if (element == Element::float32) {
        const auto value = float(real);
        std::memcpy(to, &value, sizeof value);
    } else if (element == Element::float64) {
        std::memcpy(to, &real, sizeof real);
    } else {
        std::memcpy(to, &whole, std::size_t(bytes_of(element)));
    }
}

void store(KernelArgument& number, std::int64_t whole, double real) {
    std::uint8_t bytes[sizeof number.bits] = {};
    store(bytes, number.element, whole, real);
    std::memcpy(&number.bits, bytes, sizeof bytes);
}

std::uint64_t parse_count(const std::string& text, std::string_view digits) {
    const std::optional<std::uint64_t> count = parse_number<std::uint64_t>(digits);
    if (count.value_or(0) == 0) refuse(text, fmt::format("'{}' is not a number of elements", digits));
    return *count;
}

void parse_scalar(const std::string& text, std::string_view value, KernelArgument& made) {
    if (made.element == Element::float32 || made.element == Element::float64) {
        const std::optional<double> real = parse_number<double>(value);
        if (!real) refuse(text, fmt::format("'{}' is not a number", value));
        if (made.element == Element::float32 && std::isfinite(*real) &&
            std::abs(*real) > std::numeric_limits<float>::max())
            refuse(text, fmt::format("{} does not fit the type", value));
        store(made, 0, *real);
        return;
    }
    const std::optional<std::int64_t> parsed = parse_number<std::int64_t>(value);
    if (!parsed) refuse(text, fmt::format("'{}' is not a whole number", value));
    const std::int64_t whole = *parsed;
    const std::int64_t low = made.element == Element::int64   ? std::numeric_limits<std::int64_t>::min()
                             : made.element == Element::int32 ? INT32_MIN
                                                              : 0;
    const std::int64_t high = made.element == Element::int64    ? std::numeric_limits<std::int64_t>::max()
                              : made.element == Element::int32  ? INT32_MAX
                              : made.element == Element::uint32 ? std::int64_t(UINT32_MAX)
                                                                : 255;
    if (whole < low || whole > high) refuse(text, fmt::format("{} does not fit the type", whole));
    store(made, whole, 0);
}

void fill(const std::string& text, std::string_view how, KernelArgument& made) {
    if (how == "poison") return;
    const auto step = std::size_t(bytes_of(made.element));
    const std::size_t size = made.count * step;
    auto content = std::make_shared<PixelBytes>(size);  // all zero
    if (how == "iota") {
        for (std::uint64_t i = 0; i < made.count; ++i)
            store(content->data() + i * step, made.element, std::int64_t(i), double(i));
    } else if (how.substr(0, 7) == "random:") {
        const std::string_view digits = how.substr(7);
        const std::optional<std::uint64_t> seed = parse_number<std::uint64_t>(digits);
        if (!seed) refuse(text, fmt::format("'{}' is not a seed", digits));
        std::mt19937_64 random(*seed);
        for (std::uint64_t i = 0; i < made.count; ++i) {
            const std::uint64_t bits = random();
            store(content->data() + i * step, made.element, std::int64_t(bits), double(bits >> 11) * 0x1p-53);
        }
    } else if (how != "zero") {
        const std::string file = read_file(std::string(how));
        if (file.size() != size)
            throw Error(fmt::format("{} has {} bytes, the buffer {}", how, file.size(), size), text);
        std::memcpy(content->data(), file.data(), size);
    }
    made.content = std::move(content);
}

// What the machine can give without paging, where it says so.
std::optional<std::uint64_t> memory_available() {
    std::ifstream lines("/proc/meminfo");
    for (std::string line; std::getline(lines, line);) {
        std::uint64_t kib = 0;
        if (std::sscanf(line.c_str(), "MemAvailable: %" SCNu64 " kB", &kib) == 1) return kib << 10;
    }
    return std::nullopt;
}

void refuse_too_much(std::uint64_t bytes) {
    const auto gib = [](std::uint64_t size) { return double(size) / double(1 << 30); };
    if (bytes > kMostBytes)
        throw UsageError(fmt::format("the buffers take {:.1f} GiB together", gib(bytes)), "",
                         fmt::format("a launch may have {:.0f}: use smaller ones", gib(kMostBytes)));
    // A byte as it is given, one that the kernel changes, and one that says whether it was written.
    const std::uint64_t needed = 3 * bytes;
    const std::optional<std::uint64_t> available = memory_available();
    if (available && needed > *available)
        throw Error(fmt::format("the buffers and their checks need {:.1f} GiB of memory, {:.1f} are free",
                                gib(needed), gib(*available)),
                    "", "use smaller ones");
}

// The text of a float, without the sign that nan may have.
template <typename T>
std::string float_text(T value) {
    return std::isnan(value) ? "nan" : fmt::format("{}", value);
}

template <typename T>
T at(const std::uint8_t* bytes, std::size_t index) {
    T value;
    std::memcpy(&value, bytes + index * sizeof value, sizeof value);
    return value;
}

// An argument as it is written, before its bytes are made.
struct Written {
    KernelArgument argument;
    std::string_view value;
};

Written take_apart(const std::string& text) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos) refuse(text, "'=' is missing");
    const std::string_view left = std::string_view(text).substr(0, equals);
    const std::size_t bracket = left.find('[');
    const std::optional<Element> type = type_named(left.substr(0, bracket));
    if (!type) refuse(text, "the type must be u8, i32, u32, i64, f32 or f64");
    Written made;
    made.argument.element = *type;
    made.value = std::string_view(text).substr(equals + 1);
    if (made.value.empty()) refuse(text, "the value is missing");
    if (bracket == std::string_view::npos) return made;
    if (left.back() != ']') refuse(text, "']' is missing");
    made.argument.is_buffer = true;
    made.argument.count = parse_count(text, left.substr(bracket + 1, left.size() - bracket - 2));
    if (made.argument.count > kMostBytes / std::uint64_t(bytes_of(made.argument.element)))
        refuse(text, "the buffer is larger than 4 GiB");
    return made;
}

}  // namespace

std::string element_text(Element element, const std::uint8_t* bytes, std::size_t index) {
    switch (element) {
        case Element::gray:
            return fmt::format("{}", bytes[index]);
        case Element::int32:
            return fmt::format("{}", at<std::int32_t>(bytes, index));
        case Element::rgba:
        case Element::uint32:
            return fmt::format("{}", at<std::uint32_t>(bytes, index));
        case Element::int64:
            return fmt::format("{}", at<std::int64_t>(bytes, index));
        case Element::float32:
            return float_text(at<float>(bytes, index));
        case Element::float64:
            return float_text(at<double>(bytes, index));
    }
    return "";
}

nlohmann::ordered_json element_json(Element element, const std::uint8_t* bytes, std::size_t index) {
    const std::string text = element_text(element, bytes, index);
    if (text == "nan" || text == "inf" || text == "-inf") return text;
    return nlohmann::ordered_json::parse(text);
}

std::vector<KernelArgument> parse_arguments(const std::vector<std::string>& texts) {
    std::vector<Written> written;
    std::uint64_t bytes = 0;
    for (const std::string& text : texts) {
        written.push_back(take_apart(text));
        const KernelArgument& argument = written.back().argument;
        bytes += argument.count * std::uint64_t(bytes_of(argument.element));
    }
    refuse_too_much(bytes);
    std::vector<KernelArgument> made;
    for (std::size_t i = 0; i < texts.size(); ++i) {
        Written& one = written[i];
        if (one.argument.is_buffer)
            fill(texts[i], one.value, one.argument);
        else
            parse_scalar(texts[i], one.value, one.argument);
        made.push_back(std::move(one.argument));
    }
    return made;
}

}  // namespace ws

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

using Type = KernelArgument::Type;
constexpr std::uint64_t kMostBytes = 4ull << 30;
constexpr std::uint8_t kPoison = 0xA5;

[[noreturn]] void refuse(const std::string& text, const std::string& why) {
    throw UsageError(
        "'" + text + "' is not an argument: " + why, "",
        "write a buffer as f32[1024]=iota (or zero, random:1, poison, a raw file), a number as i32=1024");
}

std::optional<Type> type_named(std::string_view name) {
    static constexpr std::array<std::pair<std::string_view, Type>, 6> kNames{{{"u8", Type::u8},
                                                                              {"i32", Type::i32},
                                                                              {"u32", Type::u32},
                                                                              {"i64", Type::i64},
                                                                              {"f32", Type::f32},
                                                                              {"f64", Type::f64}}};
    for (const auto& [known, type] : kNames) {
        if (known == name) return type;
    }
    return std::nullopt;
}

template <typename T>
void append(std::vector<std::byte>& bytes, T value) {
    const std::size_t at = bytes.size();
    bytes.resize(at + sizeof value);
    std::memcpy(bytes.data() + at, &value, sizeof value);
}

// A number of a type, from an integer or a real one.
void append(std::vector<std::byte>& bytes, Type type, std::int64_t whole, double real) {
    switch (type) {
        case Type::u8:
            return append(bytes, std::uint8_t(whole));
        case Type::i32:
        case Type::u32:
            return append(bytes, std::uint32_t(whole));
        case Type::i64:
            return append(bytes, whole);
        case Type::f32:
            return append(bytes, float(real));
        case Type::f64:
            return append(bytes, real);
    }
}

std::uint64_t parse_count(const std::string& text, std::string_view digits) {
    const std::optional<std::uint64_t> count = parse_number<std::uint64_t>(digits);
    if (count.value_or(0) == 0) refuse(text, fmt::format("'{}' is not a number of elements", digits));
    return *count;
}

void parse_scalar(const std::string& text, std::string_view value, KernelArgument& made) {
    if (made.type == Type::f32 || made.type == Type::f64) {
        const std::optional<double> real = parse_number<double>(value);
        if (!real) refuse(text, fmt::format("'{}' is not a number", value));
        if (made.type == Type::f32 && std::isfinite(*real) &&
            std::abs(*real) > std::numeric_limits<float>::max())
            refuse(text, fmt::format("{} does not fit the type", value));
        append(made.bytes, made.type, 0, *real);
        return;
    }
    const std::optional<std::int64_t> parsed = parse_number<std::int64_t>(value);
    if (!parsed) refuse(text, fmt::format("'{}' is not a whole number", value));
    const std::int64_t whole = *parsed;
    const std::int64_t low = made.type == Type::i64   ? std::numeric_limits<std::int64_t>::min()
                             : made.type == Type::i32 ? INT32_MIN
                                                      : 0;
    const std::int64_t high = made.type == Type::i64   ? std::numeric_limits<std::int64_t>::max()
                              : made.type == Type::i32 ? INT32_MAX
                              : made.type == Type::u32 ? std::int64_t(UINT32_MAX)
                                                       : 255;
    if (whole < low || whole > high) refuse(text, fmt::format("{} does not fit the type", whole));
    append(made.bytes, made.type, whole, 0);
}

void fill(const std::string& text, std::string_view how, std::uint64_t count, KernelArgument& made) {
    const std::uint64_t size = count * made.element_bytes();
    if (how == "zero") {
        made.bytes.assign(size, std::byte{0});
    } else if (how == "poison") {
        made.bytes.assign(size, std::byte{kPoison});
        made.initialised = false;
    } else if (how == "iota") {
        made.bytes.reserve(size);
        for (std::uint64_t i = 0; i < count; ++i) append(made.bytes, made.type, std::int64_t(i), double(i));
    } else if (how.substr(0, 7) == "random:") {
        const std::string_view digits = how.substr(7);
        const std::optional<std::uint64_t> seed = parse_number<std::uint64_t>(digits);
        if (!seed) refuse(text, fmt::format("'{}' is not a seed", digits));
        std::mt19937_64 random(*seed);
        made.bytes.reserve(size);
        for (std::uint64_t i = 0; i < count; ++i) {
            const std::uint64_t bits = random();
            append(made.bytes, made.type, std::int64_t(bits), double(bits >> 11) * 0x1p-53);
        }
    } else {
        const std::string file = read_file(std::string(how));
        if (file.size() != size)
            throw Error(fmt::format("{} has {} bytes, the buffer {}", how, file.size(), size), text);
        made.bytes.resize(size);
        std::memcpy(made.bytes.data(), file.data(), size);
    }
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
    // Beside each byte stands one that says whether it was written.
    const std::uint64_t needed = 2 * bytes;
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
T element(const KernelArgument& argument, std::size_t index) {
    T value;
    std::memcpy(&value, argument.bytes.data() + index * sizeof value, sizeof value);
    return value;
}

// An argument as it is written, before its bytes are made.
struct Written {
    KernelArgument argument;
    std::string_view value;
    std::uint64_t count = 0;  // of a buffer's elements
};

Written take_apart(const std::string& text) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos) refuse(text, "'=' is missing");
    const std::string_view left = std::string_view(text).substr(0, equals);
    const std::size_t bracket = left.find('[');
    const std::optional<Type> type = type_named(left.substr(0, bracket));
    if (!type) refuse(text, "the type must be u8, i32, u32, i64, f32 or f64");
    Written made;
    made.argument.type = *type;
    made.value = std::string_view(text).substr(equals + 1);
    if (made.value.empty()) refuse(text, "the value is missing");
    if (bracket == std::string_view::npos) return made;
    if (left.back() != ']') refuse(text, "']' is missing");
    made.argument.is_buffer = true;
    made.count = parse_count(text, left.substr(bracket + 1, left.size() - bracket - 2));
    if (made.count > kMostBytes / made.argument.element_bytes())
        refuse(text, "the buffer is larger than 4 GiB");
    return made;
}

}  // namespace

std::size_t KernelArgument::element_bytes() const {
    return type == Type::u8 ? 1 : type == Type::i64 || type == Type::f64 ? 8 : 4;
}

std::string KernelArgument::element_text(std::size_t index) const {
    switch (type) {
        case Type::u8:
            return fmt::format("{}", element<std::uint8_t>(*this, index));
        case Type::i32:
            return fmt::format("{}", element<std::int32_t>(*this, index));
        case Type::u32:
            return fmt::format("{}", element<std::uint32_t>(*this, index));
        case Type::i64:
            return fmt::format("{}", element<std::int64_t>(*this, index));
        case Type::f32:
            return float_text(element<float>(*this, index));
        case Type::f64:
            return float_text(element<double>(*this, index));
    }
    return "";
}

// JSON has no words for what is no number: they are texts.
nlohmann::ordered_json KernelArgument::element_json(std::size_t index) const {
    const std::string text = element_text(index);
    if (text == "nan" || text == "inf" || text == "-inf") return text;
    return nlohmann::ordered_json::parse(text);
}

std::vector<KernelArgument> parse_arguments(const std::vector<std::string>& texts) {
    std::vector<Written> written;
    std::uint64_t bytes = 0;
    for (const std::string& text : texts) {
        written.push_back(take_apart(text));
        if (written.back().argument.is_buffer)
            bytes += written.back().count * written.back().argument.element_bytes();
    }
    refuse_too_much(bytes);
    std::vector<KernelArgument> made;
    for (std::size_t i = 0; i < texts.size(); ++i) {
        Written& one = written[i];
        if (one.argument.is_buffer)
            fill(texts[i], one.value, one.count, one.argument);
        else
            parse_scalar(texts[i], one.value, one.argument);
        made.push_back(std::move(one.argument));
    }
    return made;
}

}  // namespace ws

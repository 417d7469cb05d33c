#include "gpu/simt/formatted_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdio>
#include <string_view>
#include <utility>

#include "gpu/simt/integers.h"

namespace ws::simt {
namespace {

constexpr std::size_t kLongestText = 1 << 16;
constexpr int kWidest = 1 << 12;  // of a field

class Formatter {
  public:
    Formatter(const ReadMemory& memory, u64 arguments) : memory_(memory), next_(arguments) {}

    FormattedText run(std::string_view format) {
        for (std::size_t at = 0; at < format.size() && made_.size() < kLongestText;) {
            if (format[at] != '%') {
                made_ += format[at++];
            } else if (format.substr(at).starts_with("%%")) {
                made_ += '%';
                at += 2;
            } else {
                at = conversion(format, at);
            }
        }
        return {std::move(made_), conversions_};
    }

  private:
    u64 take(int bytes) {
        next_ = (next_ + u64(bytes) - 1) / u64(bytes) * u64(bytes);
        const u64 value = memory_(next_, bytes).value_or(0);
        next_ += u64(bytes);
        return value;
    }

    // Digits, or a star that takes an argument.
    void field(std::string_view format, std::size_t& at, std::string& spec) {
        if (at < format.size() && format[at] == '*') {
            spec += fmt::format("{}", std::clamp(s32(take(4)), -kWidest, kWidest));
            ++at;
            return;
        }
        int value = 0;
        bool any = false;
        for (; at < format.size() && format[at] >= '0' && format[at] <= '9'; ++at, any = true)
            value = std::min(kWidest, 10 * value + (format[at] - '0'));
        if (any) spec += fmt::format("{}", value);
    }

    std::size_t conversion(std::string_view format, std::size_t begin) {
        std::size_t at = begin + 1;
        std::string spec = "%";
        while (at < format.size() && std::string_view("-+ #0").find(format[at]) != std::string_view::npos)
            spec += format[at++];
        field(format, at, spec);
        if (at < format.size() && format[at] == '.') {
            spec += format[at++];
            field(format, at, spec);
        }
        int bytes = 4;
        for (; at < format.size() && std::string_view("hlLqjzt").find(format[at]) != std::string_view::npos;
             ++at)
            if (format[at] != 'h') bytes = 8;
        if (at == format.size() || !convert(spec, format[at], bytes)) {
            made_ += format.substr(begin, at - begin);  // no conversion: as it is written
            return at;
        }
        ++conversions_;
        return at + 1;
    }

    bool convert(const std::string& spec, char kind, int bytes) {
        if (std::string_view("di").find(kind) != std::string_view::npos) {
            const u64 value = take(bytes);
            print(spec + "lld", bytes == 8 ? s64(value) : s64(s32(value)));
        } else if (std::string_view("ouxX").find(kind) != std::string_view::npos) {
            print(spec + "ll" + kind, take(bytes));
        } else if (std::string_view("fFeEgGaA").find(kind) != std::string_view::npos) {
            print(spec + kind, std::bit_cast<double>(take(8)));
        } else if (kind == 'c') {
            print(spec + kind, int(take(4)));
        } else if (kind == 's') {
            print(spec + kind, text_at(memory_, take(8)).c_str());
        } else if (kind == 'p') {
            print(spec + "#llx", take(8));
        } else {
            return false;
        }
        return true;
    }

    template <typename T>
    void print(const std::string& spec, T value) {
        const int length = std::snprintf(nullptr, 0, spec.c_str(), value);
        if (length <= 0) return;
        std::string text(std::size_t(length) + 1, '\0');
        (void)std::snprintf(text.data(), text.size(), spec.c_str(), value);
        text.pop_back();
        made_ += text;
    }

    const ReadMemory& memory_;
    u64 next_;
    std::string made_;
    int conversions_ = 0;
};

}  // namespace

std::string text_at(const ReadMemory& memory, std::uint64_t address) {
    std::string made;
    while (made.size() < kLongestText) {
        const std::optional<u64> next = memory(address + made.size(), 1);
        if (!next || *next == 0) break;
        made += char(*next);
    }
    return made;
}

FormattedText formatted_text(const ReadMemory& memory, const std::string& format, std::uint64_t arguments) {
    return Formatter(memory, arguments).run(format);
}

}  // namespace ws::simt

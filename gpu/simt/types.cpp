#include "gpu/simt/types.h"

#ifdef __SSE2__
#include <xmmintrin.h>
#endif

#include <algorithm>
#include <array>
#include <cfenv>
#include <utility>

namespace ws::simt {

std::optional<Type> type_named(std::string_view name) {
    static constexpr std::array<std::pair<std::string_view, Type>, 19> kNames{{
        {"pred", Type::pred}, {"u8", Type::u8},       {"b8", Type::u8},         {"s8", Type::s8},
        {"u16", Type::u16},   {"b16", Type::u16},     {"s16", Type::s16},       {"f16", Type::f16},
        {"u32", Type::u32},   {"b32", Type::u32},     {"s32", Type::s32},       {"f32", Type::f32},
        {"u64", Type::u64},   {"b64", Type::u64},     {"s64", Type::s64},       {"f64", Type::f64},
        {"bf16", Type::bf16}, {"f16x2", Type::f16x2}, {"bf16x2", Type::bf16x2},
    }};
    for (const auto& [known, type] : kNames) {
        if (known == name) return type;
    }
    return std::nullopt;
}

#ifdef __SSE2__
// fesetround would also set the x87's rounding, which nothing here uses and which takes long.
RoundingScope::RoundingScope(Rounding rounding) : changed_(rounding != Rounding::nearest) {
    if (!changed_) return;
    constexpr std::array<unsigned, 4> kModes{_MM_ROUND_NEAREST, _MM_ROUND_TOWARD_ZERO, _MM_ROUND_DOWN,
                                             _MM_ROUND_UP};
    before_ = _mm_getcsr();
    _mm_setcsr((before_ & ~unsigned(_MM_ROUND_MASK)) | kModes[std::size_t(rounding)]);
}

RoundingScope::~RoundingScope() {
    if (changed_) _mm_setcsr(before_);
}
#else
RoundingScope::RoundingScope(Rounding rounding) : changed_(rounding != Rounding::nearest) {
    if (!changed_) return;
    constexpr std::array<int, 4> kModes{FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD};
    before_ = unsigned(std::fegetround());
    std::fesetround(kModes[std::size_t(rounding)]);
}

RoundingScope::~RoundingScope() {
    if (changed_) std::fesetround(int(before_));
}
#endif

}  // namespace ws::simt

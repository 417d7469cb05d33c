#pragma once
// What an instruction is beyond its operands d, a, b, c and e: one type for each kind that needs more, kept
// in pools of the program. One that names slots of the frame is looked at in liveness.cpp, too.

#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <tuple>
#include <utility>

#include "gpu/simt/barriers.h"
#include "gpu/simt/instruction.h"
#include "gpu/simt/types.h"

namespace ws::simt {

// Offsets into the frame, -1 where there is none.
using Elements = std::array<std::int32_t, 4>;
inline constexpr Elements kNoElements{-1, -1, -1, -1};

// How an access stands to others of the same place: .volatile; or atomic, .relaxed, .acquire, .release.
enum class Strength : std::uint8_t { plain, is_volatile, strong };

// What a load is counted for where the machine makes one of several (joined_loads.h): for `bytes` from
// `shift` bytes before its address on, or, of 0 bytes, as a part of another one's.
struct JoinedLoad {
    std::uint8_t bytes = 0;
    std::uint8_t shift = 0;
};

// A load to, or a store from, `elements`; the address is a + offset.
struct MemoryAccess : Detail {
    std::int64_t offset = 0;
    Elements elements = kNoElements;
    Space space = Space::generic;
    std::uint8_t bytes = 4;    // of one element
    std::uint8_t count = 1;    // of elements
    bool wide_address = true;  // the address register has 64 bits
    Strength strength = Strength::plain;
    bool releases = false;      // .release, .acq_rel
    bool beyond_block = true;   // its scope
    std::int32_t pattern = -1;  // index among the program's memory instructions
    std::optional<JoinedLoad> joined{};
    bool past_l1 = false;        // of a load, .cg
    bool known_address = false;  // it stands in the code
    bool read_only = false;      // of a load, .nc
    [[nodiscard]] int whole_bytes() const { return bytes * count; }
    // As it is counted.
    [[nodiscard]] int counted_bytes() const { return joined ? joined->bytes : whole_bytes(); }
    [[nodiscard]] bool counts_elsewhere() const { return joined && joined->bytes == 0; }
};

enum class Reduction : std::uint8_t { add, min, max, bit_and, bit_or, bit_xor, exch, cas, inc, dec };
// d or -1 = the old value; b and c are the operands.
struct AtomicAccess : MemoryAccess {
    Type type = Type::u32;
    Reduction reduction = Reduction::add;
};

// cp.async: copies `bytes` bytes from global address a + offset to shared address b + target_offset; only the
// first c of them if c is not -1, then zeros.
struct AsyncCopy : MemoryAccess {
    std::int64_t target_offset = 0;
    bool wide_target = true;
};
// How many groups may still be on their way, -1: no copy at all.
struct CopyWait : Detail {
    int groups = -1;
};

// Parameters of device functions: bytes of each lane at frame offset area + lane * stride + offset.
struct LaneParameterAccess : Detail {
    Elements elements = kNoElements;
    std::int64_t offset = 0;
    std::int32_t area = 0;
    std::int32_t stride = 0;
    std::uint8_t bytes = 4;
    std::uint8_t count = 1;
    bool is_signed = false;
    bool wide = false;  // registers of 64 bits
};

// `elements` = the texel at (b, c) of texture a, of one dimension if c is -1.
struct TextureFetch : Detail {
    Elements elements = kNoElements;
    bool whole_texel = false;        // integers instead of floats
    bool whole_coordinates = false;  // likewise
};

// d = `elements` packed, lowest first; each of `bytes` bytes. Or the reverse, from a.
struct VectorMove : Detail {
    Elements elements = kNoElements;
    std::uint8_t bytes = 4;
    std::uint8_t count = 1;
};

struct Conversion : Detail {
    Type to = Type::u32;
    Type from = Type::u32;
    bool to_whole = false;      // a float is rounded to a whole number
    bool not_negative = false;  // .relu: what is below 0 becomes 0
    int register_bits = 32;     // of the result
    bool wide_source = false;   // its register has 64 bits
};

enum class Comparison : std::uint8_t { eq, ne, lt, le, gt, ge, equ, neu, ltu, leu, gtu, geu, num, nan };
struct TypedComparison : Detail {
    Type type = Type::u32;
    Comparison comparison = Comparison::eq;
};

enum class ShuffleMode : std::uint8_t { up, down, bfly, idx };
struct Shuffle : Detail {
    ShuffleMode mode = ShuffleMode::idx;
    std::int32_t members = -1;  // slot of the member masks
    std::int32_t valid = -1;    // slot of the predicate of validity
};
enum class VoteMode : std::uint8_t { ballot, all, any, uni };
struct Vote : Detail {
    VoteMode mode = VoteMode::ballot;
    bool negated = false;       // of the predicate
    std::int32_t members = -1;  // slot of the masks that the lanes meet with; b holds them in any case
};
struct Match : Detail {
    bool wide = false;            // compares 64 bits
    std::int32_t predicate = -1;  // slot
};
struct WarpReduction : Detail {
    Reduction reduction = Reduction::add;
    bool is_signed = false;
};

// d = result, a = number, b = threads, c = predicate, each -1 if there is none.
struct BarrierUse : Detail {
    BarrierKind kind = BarrierKind::sync;
    bool negated = false;  // the predicate
};
struct FenceScope : Detail {
    bool beyond_block = true;
};

// Arithmetic on one or two floats of 16 bits in a register: d = operation(a, b, c).
enum class HalfOperation : std::uint8_t { add, sub, mul, fma, neg, abs, min, max, ex2, tanh };
struct HalfArithmetic : Detail {
    HalfOperation operation = HalfOperation::add;
    Type format = Type::f16;    // or bf16
    std::uint8_t count = 1;     // of floats in the register
    bool prefers_nan = false;   // .NaN: of a minimum, where either is none
    bool xor_sign = false;      // .xorsign.abs
    bool not_negative = false;  // .relu
};
// Compares the halves of a and b: d and e are the predicates of the lower and the upper one; or d is a
// register for 1.0 and 0, or for masks.
struct HalfComparison : Detail {
    Comparison comparison = Comparison::eq;
    Type format = Type::f16;
    bool to_register = false;
    bool as_mask = false;
};
// Of the 32-bit floats a and b, b into the lower half.
struct HalfPair : Detail {
    Type format = Type::f16;
    bool not_negative = false;
};

// d = a + b, a - b or a * b + c, with the carry that one instruction leaves for the next: e is its predicate.
struct CarryArithmetic : Detail {
    bool takes_carry = false;
    bool gives_carry = false;
    bool subtracts = false;
    bool multiplies = false;
    bool high_half = false;  // of the product
    bool is_signed = false;  // the product
    bool wide = false;       // 64 bits
};

// Bit 4a + 2b + c of the table is what a bit each of a, b and c become.
struct LogicOfThree : Detail {
    std::uint8_t table = 0;
};

// A call of a function that the GPU's system has: the places of its arguments and of its result among the
// lane's parameter bytes, which lie as LaneParameterAccess has them. It reads generic memory.
struct SystemCall : MemoryAccess {
    std::array<std::int32_t, 5> arguments{};
    std::int32_t result = -1;
    std::int32_t area = 0;
    std::int32_t stride = 0;
};

template <class T>
[[nodiscard]] inline const T& detail_of(const Instruction& instruction) {
    return *static_cast<const T*>(instruction.detail);
}
// Of an instruction that accesses memory, not by texture.
[[nodiscard]] inline const MemoryAccess& memory_of(const Instruction& instruction) {
    return detail_of<MemoryAccess>(instruction);
}

// Holds the details of a program's instructions; they stay where they are.
class DetailPools {
  public:
    DetailPools() = default;
    DetailPools(const DetailPools&) = delete;
    DetailPools& operator=(const DetailPools&) = delete;

    template <class T>
    T& add(T detail) {
        return std::get<std::deque<T>>(pools_).emplace_back(std::move(detail));
    }
    template <class T>
    [[nodiscard]] std::deque<T>& all() {
        return std::get<std::deque<T>>(pools_);
    }
    template <class T>
    [[nodiscard]] const std::deque<T>& all() const {
        return std::get<std::deque<T>>(pools_);
    }

  private:
    std::tuple<std::deque<MemoryAccess>, std::deque<AtomicAccess>, std::deque<AsyncCopy>,
               std::deque<CopyWait>, std::deque<LaneParameterAccess>, std::deque<TextureFetch>,
               std::deque<VectorMove>, std::deque<Conversion>, std::deque<TypedComparison>,
               std::deque<Shuffle>, std::deque<Vote>, std::deque<Match>, std::deque<WarpReduction>,
               std::deque<BarrierUse>, std::deque<FenceScope>, std::deque<HalfArithmetic>,
               std::deque<HalfComparison>, std::deque<HalfPair>, std::deque<CarryArithmetic>,
               std::deque<LogicOfThree>, std::deque<SystemCall>>
        pools_;
};

}  // namespace ws::simt

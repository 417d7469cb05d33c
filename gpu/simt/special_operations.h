#pragma once
// Those that tell observers what they do are tables of handlers, one pair for each set of observers.
//
// Operations that look beyond their own lane or need more than three operands: conversions with all their
// variants, comparisons of every type, shuffles, votes, atomics, textures, parameters of device functions.

#include "gpu/simt/instruction.h"
#include "gpu/simt/types.h"

namespace ws::simt {

// d = convert(a); v[0] and v[1] hold the types of d and a, v[2] the flags below, v[3] the bits of d's
// register, `bytes` of a lane of a's (4 or 8).
inline constexpr int kToWhole = 1;      // a float is rounded to a whole number
inline constexpr int kNotNegative = 2;  // .relu: what is below 0 becomes 0
void convert(Warp& warp, const Instruction& instruction);

enum class Comparison : std::uint8_t { eq, ne, lt, le, gt, ge, equ, neu, ltu, leu, gtu, geu, num, nan };
// d = a <modifiers.variant> b; v[0] holds the type.
void compare(Warp& warp, const Instruction& instruction);

// v[0] = member mask, v[1] = predicate of validity or -1; modifiers.variant is the mode.
enum class Shuffle : std::uint8_t { up, down, bfly, idx };
extern const Observed kShuffle;

enum class Vote : std::uint8_t { ballot, all, any, uni };
extern const Observed kVote;      // a = predicate, b = member mask
extern const Observed kMatchAny;  // a = value, b = member mask, bytes its size
extern const Observed kMatchAll;  // v[0] = predicate or -1
void active_mask(Warp& warp, const Instruction& instruction);

enum class Reduction : std::uint8_t { add, min, max, bit_and, bit_or, bit_xor, exch, cas, inc, dec };
extern const Observed kReduceWarp;  // a = value, b = member mask, v[0] its type
// d or -1 = the old value at a; b and c are the operands; v[0] the type.
extern const Observed kAtomic;

void commit_copies(Warp& warp, const Instruction& instruction);
// immediate: how many groups may still be on their way, -1: no copy at all.
extern const Observed kWaitForCopies;

// membar and fence; beyond_block is its scope.
extern const Observed kFence;

// v[0..3] = the texel at (b, c) of texture a; modifiers.variant 0: float, 1: whole numbers, bytes: of a
// coordinate.
extern const Observed kTexture2d;

// Parameters of device functions: bytes of each lane at frame offset a + lane * b + immediate.
void load_param(Warp& warp, const Instruction& instruction);
void store_param(Warp& warp, const Instruction& instruction);

void clock(Warp& warp, const Instruction& instruction);
extern const Observed kOrderWarp;  // bar.warp.sync

// d = v[0..count) packed, lowest first; each of `bytes` bytes. And the reverse.
void pack_vector(Warp& warp, const Instruction& instruction);
void unpack_vector(Warp& warp, const Instruction& instruction);

}  // namespace ws::simt

#pragma once
// Those that tell observers what they do are tables of handlers, one pair for each set of observers.
//
// Operations that look beyond their own lane or need more than three operands: conversions with all their
// variants, comparisons of every type, shuffles, votes, atomics, textures, parameters of device functions.

#include "gpu/simt/details.h"
#include "gpu/simt/instruction.h"

namespace ws::simt {

void convert(Warp& warp, const Instruction& instruction);  // d = convert(a)
void compare(Warp& warp, const Instruction& instruction);  // d = a ? b
[[nodiscard]] bool compares(Comparison comparison, double a, double b);

extern const Observed kShuffle;
extern const Observed kVote;      // a = predicate, b = member mask
extern const Observed kMatchAny;  // a = value, b = member mask
extern const Observed kMatchAll;  // the same
void active_mask(Warp& warp, const Instruction& instruction);
extern const Observed kReduceWarp;  // a = value, b = member mask
extern const Observed kOrderWarp;   // bar.warp.sync: b = member mask

extern const Observed kAtomic;
void commit_copies(Warp& warp, const Instruction& instruction);
extern const Observed kWaitForCopies;
extern const Observed kFence;
extern const Observed kFetchTexture;

void load_param(Warp& warp, const Instruction& instruction);
void store_param(Warp& warp, const Instruction& instruction);

void clock_32(Warp& warp, const Instruction& instruction);
void clock_64(Warp& warp, const Instruction& instruction);
void pack_vector(Warp& warp, const Instruction& instruction);
void unpack_vector(Warp& warp, const Instruction& instruction);

}  // namespace ws::simt

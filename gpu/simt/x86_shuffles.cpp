#include "gpu/simt/x86_shuffles.h"

#include <numeric>

namespace ws::simt {
namespace {

namespace x86 = asmjit::x86;

// Bits of a where b has 0, of c where it has 1: a table of vpternlog.
constexpr int kChosenByB = 0xB8;
// Predicates of vpcmpd.
constexpr int kAtMost = 2;
constexpr int kAtLeast = 5;

constexpr std::array<std::uint32_t, kLanes> kNumbers = [] {
    std::array<std::uint32_t, kLanes> made{};
    std::iota(made.begin(), made.end(), 0u);
    return made;
}();

}  // namespace

ShuffleSources shuffle_sources(ShuffleMode mode, std::uint32_t b, std::uint32_t c) {
    ShuffleSources made;
    const int moves = int(b & 31);
    const int clamp = int(c & 31);
    const int segment = int(c >> 8 & 31);
    for (int lane = 0; lane < kLanes; ++lane) {
        const int last = (lane & segment) | (clamp & ~segment);
        int from = (lane & segment) | (moves & ~segment);
        if (mode == ShuffleMode::up) from = lane - moves;
        if (mode == ShuffleMode::down) from = lane + moves;
        if (mode == ShuffleMode::bfly) from = lane ^ moves;
        const bool inside = mode == ShuffleMode::up ? from >= last : from <= last;
        made.lanes[std::size_t(lane)] = std::uint32_t(inside ? from : lane);
        made.inside |= std::uint32_t(inside) << lane;
    }
    return made;
}

void find_shuffle_sources(const ShufflePart& p, ShuffleMode mode, int index) {
    const x86::Zmm segment = p.t;
    const x86::Zmm last = p.u;
    const x86::Zmm from = p.v;
    const x86::Zmm lane = p.made;
    p.code.vmovdqa64(lane, p.constants.lanes(kNumbers, index));
    p.code.vpsrld(segment, p.c, 8);
    p.code.vpandd(segment, segment, p.constants.word(31));
    p.code.vpandd(last, p.c, p.constants.word(31));
    p.code.vpternlogd(last, segment, lane, kChosenByB);
    p.code.vpandd(from, p.b, p.constants.word(31));
    if (mode == ShuffleMode::up) p.code.vpsubd(from, lane, from);
    if (mode == ShuffleMode::down) p.code.vpaddd(from, lane, from);
    if (mode == ShuffleMode::bfly) p.code.vpxord(from, lane, from);
    if (mode == ShuffleMode::idx) p.code.vpternlogd(from, segment, lane, kChosenByB);
    p.code.vpcmpd(x86::k1, from, last, mode == ShuffleMode::up ? kAtLeast : kAtMost);
    p.code.k(x86::k1).vmovdqa32(lane, from);
    if (p.inside != x86::k1) p.code.kmovd(p.inside, x86::k1);
}

}  // namespace ws::simt

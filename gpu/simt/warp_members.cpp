#include "gpu/simt/warp_members.h"

#include <fmt/format.h>

#include <bit>

#include "gpu/simt/report.h"

namespace ws::simt {

// What becomes of lanes that a mask names and that are elsewhere. The paths of a diverged warp run one after
// the other, so that nobody can wait for lanes of another path.
void report_missing(Warp& warp, const Instruction& instruction, int lane, u32 mask, u32 missing) {
    report(warp, instruction, lane, Finding::Kind::absent_member, [&] {
        return fmt::format(
            "the member mask {:#010x} names {} {} not reach the instruction together with this one, the "
            "first of "
            "them thread {}: from compute capability 7.0 on it would wait for them, which the simulated GPU "
            "does "
            "not; what it computes here may be wrong",
            mask, std::popcount(missing),
            std::popcount(missing) == 1 ? "thread that does" : "threads that do",
            thread_text(*warp.worker, warp.index * kLanes + std::countr_zero(missing)));
    });
}

void report_stranger(Warp& warp, const Instruction& instruction, int lane, u32 mask) {
    report(warp, instruction, lane, Finding::Kind::warp_mask,
           [&] { return fmt::format("the thread is not in the member mask {:#010x} that it passes", mask); });
}

void report_absent_source(Warp& warp, const Instruction& instruction, int lane, int source) {
    report(warp, instruction, lane, Finding::Kind::absent_source, [&] {
        const int thread = warp.index * kLanes + source;
        const Worker& worker = *warp.worker;
        const bool exists = thread < worker.place.shape[0] * worker.place.shape[1] * worker.place.shape[2];
        const std::string from = exists ? "thread " + thread_text(worker, thread)
                                        : fmt::format("lane {}, which no thread of the block has", source);
        return fmt::format("it reads from {}{}: the value is undefined", from,
                           exists ? ", which does not take part" : "");
    });
}

}  // namespace ws::simt

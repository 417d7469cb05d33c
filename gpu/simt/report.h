#pragma once
// Findings of one lane: where it stands, in words.

#include <string>

#include "gpu/simt/finding_log.h"
#include "gpu/simt/warp.h"

namespace ws::simt {

// "(x, y, z)" of a thread of the block.
[[nodiscard]] std::string thread_text(const Worker& worker, int thread);
// "line, block and thread".
[[nodiscard]] std::string place_text(const Worker& worker, int line, int thread);
// Ranks threads: those of lower blocks first.
[[nodiscard]] std::uint64_t order_of(const Worker& worker, int thread);

// Adds a finding of a thread of the worker's block; `message` makes its text where it is kept.
template <typename Message>
void report(const Worker& worker, int line, int thread, Finding::Kind kind, const Message& message) {
    const std::uint64_t order = order_of(worker, thread);
    if (!worker.findings->wants(kind, line, order)) return;
    worker.findings->add(kind, line, order, message() + ", " + place_text(worker, line, thread));
}
template <typename Message>
void report(const Warp& warp, const Instruction& instruction, int lane, Finding::Kind kind,
            const Message& message) {
    report(*warp.worker, instruction.line, warp.index * kLanes + lane, kind, message);
}

// Ends the launch as a fault of the hardware would; the first of a block counts.
void end_launch(Worker& worker, int line, int thread, const std::string& message);

}  // namespace ws::simt

#include "gpu/simt/report.h"

#include <fmt/format.h>

namespace ws::simt {

std::uint64_t order_of(const Worker& worker, int thread) {
    const std::uint64_t block = (std::uint64_t(worker.place.block[2]) << 40) +
                                (std::uint64_t(worker.place.block[1]) << 20) +
                                std::uint64_t(worker.place.block[0]);
    return block * 2048 + std::uint64_t(thread);
}

std::string thread_text(const Worker& worker, int thread) {
    const int x = thread % worker.place.shape[0];
    const int y = thread / worker.place.shape[0] % worker.place.shape[1];
    const int z = thread / worker.place.shape[0] / worker.place.shape[1];
    return fmt::format("({}, {}, {})", x, y, z);
}

std::string place_text(const Worker& worker, int line, int thread) {
    return fmt::format("line {}, block ({}, {}, {}), thread {}", line, worker.place.block[0],
                       worker.place.block[1], worker.place.block[2], thread_text(worker, thread));
}

void end_launch(Worker& worker, int line, int thread, const std::string& message) {
    if (!worker.fault.text.empty()) return;
    worker.fault.text = message + ", thread " + thread_text(worker, thread);
    worker.fault.line = line;
}

}  // namespace ws::simt

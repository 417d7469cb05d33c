#pragma once
// The state of a warp while it executes, and of the worker thread that executes it.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "gpu/simt/access_pattern.h"
#include "gpu/simt/addresses.h"
#include "gpu/simt/instruction.h"
#include "gpu/simt/texture.h"

namespace ws::simt {

class AsyncCopies;
class DeviceHeap;
class DeviceLaunches;
class FindingLog;
class PrintSink;

// A buffer of the launch.
struct Region {
    std::uint64_t base = 0;
    std::uint64_t size = 0;
    std::byte* data = nullptr;
    bool writable = true;
    int index = 0;                         // among the buffers of the GPU; or one of these:
    static constexpr int kVariables = -1;  // of the module
    static constexpr int kHeap = -2;
};

// One worker thread and the block that it executes.
struct HeapPart {
    DeviceHeap* memory = nullptr;        // null where nothing has been allocated and nothing will be
    const Region* region = nullptr;      // of all of it; without data
    DeviceLaunches* launches = nullptr;  // whose parameters lie there; null: what is launched does not run
};

// The block that a worker runs.
struct BlockPlace {
    int block[3] = {0, 0, 0};
    int shape[3] = {1, 1, 1};  // of it
    std::uint64_t linear_block = 0;
    std::uint64_t turn = 0;  // among those that the launch runs
};

struct Fault {
    std::string text;  // empty: none
    int line = 0;
};

struct Worker {
    std::vector<Region>* regions = nullptr;
    const Region* last = nullptr;  // the region of the last access
    const Region* constants = nullptr;
    std::span<std::byte> shared;
    std::uint64_t local_bytes = 0;        // of a thread
    std::vector<AccessPattern> patterns;  // by memory instruction, of accesses of all lanes
    PartialPatterns partial_patterns;
    FindingLog* findings = nullptr;
    PrintSink* prints = nullptr;
    HeapPart heap;
    void* observer = nullptr;  // of the type that the executor is compiled for; see observer_of
    const std::vector<Texture>* textures = nullptr;
    BlockPlace place;
    AsyncCopies* copies = nullptr;
    Fault fault;              // ends the launch
    std::uint64_t steps = 0;  // warp instructions of this block
};

struct Warp {
    std::byte* frame = nullptr;
    std::uint32_t mask = 0;  // lanes that execute the current instruction
    Worker* worker = nullptr;
    int index = 0;               // in the block
    std::uint32_t live = 0;      // lanes that have not ended
    std::uint32_t ending = 0;    // lanes that will do nothing more
    std::byte* local = nullptr;  // local memory of lane 0; the next lane's follows after local_bytes
};

template <typename T>
[[nodiscard]] inline T* slot(Warp& warp, std::int32_t offset) {
    return reinterpret_cast<T*>(warp.frame + offset);
}
template <typename T>
[[nodiscard]] inline const T* slot(const Warp& warp, std::int32_t offset) {
    return reinterpret_cast<const T*>(warp.frame + offset);
}

// The same, declared to the compiler as aligned to a whole vector.
template <typename T>
[[nodiscard]] inline T* lanes(Warp& warp, std::int32_t offset) {
    return static_cast<T*>(__builtin_assume_aligned(slot<T>(warp, offset), 64));
}

// The region that holds [low, end), or null.
[[nodiscard]] inline const Region* find_region(Worker& worker, std::uint64_t low, std::uint64_t end) {
    const Region* last = worker.last;
    if (last && low >= last->base && end - last->base <= last->size) return last;
    for (const Region& region : *worker.regions) {
        if (low >= region.base && low - region.base < region.size && end - region.base <= region.size) {
            worker.last = &region;
            return &region;
        }
    }
    return nullptr;
}

}  // namespace ws::simt

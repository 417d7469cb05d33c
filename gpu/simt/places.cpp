#include "gpu/simt/places.h"

#include <fmt/format.h>

#include "gpu/simt/device_heap.h"
#include "gpu/simt/report.h"

namespace ws::simt {
namespace {

using std::uint64_t;

const char* verb(bool writes) {
    return writes ? "write" : "read";
}

// The buffer whose end or beginning is nearest, to be named in a message.
std::string buffer_text(const Worker& worker, uint64_t address) {
    const Region* nearest = nullptr;
    uint64_t distance = ~0ull;
    for (const Region& region : *worker.regions) {
        const uint64_t away =
            address < region.base ? region.base - address : address - region.base - region.size;
        if (away < distance) {
            distance = away;
            nearest = &region;
        }
    }
    if (!nearest || distance > (1 << 20)) return fmt::format("address {:#x} is in no buffer", address);
    const std::string name = nearest->index < 0 ? "a variable" : fmt::format("buffer {}", nearest->index);
    return address < nearest->base
               ? fmt::format("{} bytes before {} of {} bytes", nearest->base - address, name, nearest->size)
               : fmt::format("offset {} of {} of {} bytes", address - nearest->base, name, nearest->size);
}

// A lane's access that is looked at, with what its findings need to know.
struct Seeker {
    Warp& warp;
    const Instruction& instruction;
    LaneTouch made;

    [[nodiscard]] const Worker& worker() const { return *warp.worker; }
    template <typename Message>
    LaneTouch refuse(Finding::Kind kind, const Message& message) const {
        report(warp, instruction, made.lane, kind, message);
        return made;
    }
    [[nodiscard]] LaneTouch at(Space space, uint64_t address, std::byte* place) {
        made.space = space;
        made.address = address;
        made.place = place;
        return made;
    }

    [[nodiscard]] bool misaligned(uint64_t address) const {
        const int bytes = made.bytes;
        if (address % uint64_t(bytes) == 0) return false;
        report(warp, instruction, made.lane, Finding::Kind::misaligned, [&] {
            return fmt::format("{} of {} bytes at address {:#x}, which is not a multiple of {}",
                               verb(made.writes), bytes, address, bytes);
        });
        return true;
    }

    [[nodiscard]] LaneTouch shared(uint64_t offset) {
        if (offset < kWindowSize && offset + uint64_t(made.bytes) <= worker().shared.size())
            return at(Space::shared, offset, worker().shared.data() + offset);
        return refuse(Finding::Kind::out_of_bounds, [&] {
            return fmt::format("{} of {} bytes at offset {} of the block's {} bytes of shared memory",
                               verb(made.writes), made.bytes, std::int64_t(offset), worker().shared.size());
        });
    }

    [[nodiscard]] LaneTouch local(uint64_t offset) {
        if (offset + uint64_t(made.bytes) <= worker().local_bytes)
            return at(Space::local, offset, warp.local + uint64_t(made.lane) * worker().local_bytes + offset);
        return refuse(Finding::Kind::out_of_bounds, [&] {
            return fmt::format("{} of {} bytes at offset {} of the thread's {} bytes of local memory",
                               verb(made.writes), made.bytes, std::int64_t(offset), worker().local_bytes);
        });
    }

    [[nodiscard]] LaneTouch constant(uint64_t address) {
        const Region* constants = worker().constants;
        if (constants && !made.writes && address >= constants->base &&
            address + uint64_t(made.bytes) - constants->base <= constants->size)
            return at(Space::constant, address, constants->data + (address - constants->base));
        return refuse(Finding::Kind::out_of_bounds, [&] {
            return fmt::format("{} of {} bytes outside the constant variables", verb(made.writes),
                               made.bytes);
        });
    }

    [[nodiscard]] LaneTouch global(uint64_t address) {
        const Region* region = find_region(*warp.worker, address, address + uint64_t(made.bytes));
        if (region && (!made.writes || region->writable)) {
            made.region = region;
            return at(Space::global, address, region->data + (address - region->base));
        }
        // The heap is no region that the executor knows: whoever goes there comes here.
        DeviceHeap* heap = worker().heap.memory;
        const bool of_heap = heap && address - kHeapBase < DeviceHeap::kBytes;
        if (std::byte* place = of_heap ? heap->at(address, uint64_t(made.bytes)) : nullptr) {
            made.region = worker().heap.region;
            return at(Space::global, address, place);
        }
        return refuse(Finding::Kind::out_of_bounds, [&] {
            if (of_heap)
                return fmt::format("{} of {} bytes: {}", verb(made.writes), made.bytes,
                                   heap->text_of(address));
            if (region)
                return fmt::format("write of {} bytes to the read-only buffer {}", made.bytes, region->index);
            return fmt::format("{} of {} bytes: {}", verb(made.writes), made.bytes,
                               buffer_text(worker(), address));
        });
    }
};

}  // namespace

Space space_of(uint64_t address) {
    if (address - kSharedWindow < kWindowSize) return Space::shared;
    if (address - kLocalWindow < kWindowSize) return Space::local;
    if (address >= kConstantBase) return Space::constant;
    return Space::global;
}

LaneTouch find_place(Warp& warp, const Instruction& instruction, int lane, uint64_t address, int bytes,
                     bool reads, bool writes) {
    Seeker seeker{warp, instruction, {.instruction = instruction, .lane = lane, .bytes = bytes}};
    seeker.made.reads = reads;
    seeker.made.writes = writes;
    if (seeker.misaligned(address)) return seeker.made;
    Space space = memory_of(instruction).space;
    if (space == Space::generic) {
        space = space_of(address);
        if (space == Space::shared) address -= kSharedWindow;
        if (space == Space::local) address -= kLocalWindow;
    }
    switch (space) {
        case Space::shared:
            return seeker.shared(address);
        case Space::local:
            return seeker.local(address >= kLocalWindow ? address - kLocalWindow : address);
        case Space::constant:
            return seeker.constant(address);
        default:
            return seeker.global(address);
    }
}

LaneTouch find_shared_place(Warp& warp, const Instruction& instruction, int lane, uint64_t offset,
                            int bytes) {
    Seeker seeker{warp, instruction, {.instruction = instruction, .lane = lane, .bytes = bytes}};
    seeker.made.writes = true;
    return seeker.misaligned(offset) ? seeker.made : seeker.shared(offset);
}

}  // namespace ws::simt

#include "gpu/simt/block_order.h"

#include <cstring>
#include <vector>

#include "gpu/simt/details.h"
#include "gpu/simt/liveness.h"

namespace ws::simt {
namespace {

// Regions that an address may lead to, a bit for each.
using Regions = std::uint64_t;
constexpr std::size_t kMostRegions = 63;
constexpr Regions kAnywhere = Regions(1) << kMostRegions;  // what was loaded and may be an address

// What lies in no region is a number, which is added to a pointer.
Regions region_of(std::span<const Region> regions, std::uint64_t address) {
    for (std::size_t i = 0; i < regions.size(); ++i)
        if (address >= regions[i].base && address - regions[i].base < regions[i].size) return Regions(1) << i;
    return 0;
}

// To which regions the registers may lead of a kernel that calls nothing, wherever in it they are read.
class RegionsOfRegisters {
  public:
    RegionsOfRegisters(const KernelLaunch& launch, std::span<const Region> regions) {
        const Program& program = *launch.program;
        const Function& kernel = program.functions.front();
        of_.resize(std::size_t(kernel.frame_bytes) / kBytes + 1);
        for (const SlotParameter& one : kernel.parameters) {
            std::uint64_t value = 0;
            if (one.bytes != sizeof value || one.at + sizeof value > launch.parameters.size()) continue;
            std::memcpy(&value, launch.parameters.data() + one.at, sizeof value);
            at(one.offset) = region_of(regions, value);
        }
        for (const SlotConstant& one : kernel.constants)
            if (one.wide) at(one.offset) = region_of(regions, one.bits);
        follow(program);
    }

    [[nodiscard]] Regions of(std::int32_t slot) const { return slot < 0 ? 0 : of_[index(slot)]; }

  private:
    static constexpr std::size_t kBytes = 4;  // a slot begins at a multiple of them
    [[nodiscard]] static std::size_t index(std::int32_t slot) { return std::size_t(slot) / kBytes; }
    [[nodiscard]] Regions& at(std::int32_t slot) { return of_[index(slot)]; }

    void follow(const Program& program) {
        const SlotUses uses(program);
        std::vector<SlotUse> all;
        for (const Instruction& instruction : program.code) all.push_back(uses.of(instruction, false));
        for (bool changed = true; changed;) {
            changed = false;
            for (std::size_t i = 0; i < all.size(); ++i) {
                const Regions some = result_of(program.code[i], all[i]);
                for (const std::int32_t slot : all[i].changed) {
                    changed |= (some & ~at(slot)) != 0;
                    at(slot) |= some;
                }
            }
        }
    }

    [[nodiscard]] Regions result_of(const Instruction& instruction, const SlotUse& use) const {
        constexpr int kBytesOfAddress = 8;
        if (instruction.kind == AccessKind::none) {
            Regions made = 0;
            for (const std::int32_t slot : use.read)
                if (slot != instruction.guard) made |= of(slot);
            return made;
        }
        const bool loads = instruction.kind != AccessKind::write && instruction.kind != AccessKind::texture;
        return loads && memory_of(instruction).bytes == kBytesOfAddress ? kAnywhere : 0;
    }

    std::vector<Regions> of_;
};

bool is_shared_by_blocks(Space space) {
    return space == Space::global || space == Space::generic;
}

}  // namespace

bool blocks_stand_alone(const KernelLaunch& launch, std::span<const Region> regions) {
    const Program& program = *launch.program;
    const bool calls = program.functions.size() > 1 || !program.details.all<SystemCall>().empty();
    if (calls || program.uses_heap || program.launches_from || regions.size() > kMostRegions) return false;
    const RegionsOfRegisters registers(launch, regions);
    Regions read = 0;
    Regions written = 0;
    for (const Instruction& instruction : program.code) {
        if (instruction.kind == AccessKind::none || instruction.kind == AccessKind::texture) continue;
        // A copy's space is that of its source.
        if (!is_shared_by_blocks(memory_of(instruction).space)) continue;
        const Regions some = registers.of(instruction.a);
        if (instruction.kind == AccessKind::atomic || some == 0 || (some & kAnywhere) != 0) return false;
        (instruction.kind == AccessKind::write ? written : read) |= some;
    }
    return (read & written) == 0;
}

}  // namespace ws::simt

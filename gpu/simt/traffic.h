#pragma once
// What one request of a warp is to the memory of the GPU.

#include <array>
#include <cstdint>
#include <optional>

#include "gpu/simt/access_rules.h"
#include "gpu/simt/observer.h"

namespace ws::simt {

// What one request adds to the counts of its instruction.
struct RequestCounts {
    std::uint16_t sectors = 0;            // or wavefronts, or different constant addresses
    std::uint16_t bytes_requested = 0;    // or ideal wavefronts
    std::uint16_t bytes_transferred = 0;  // or broadcasts
    std::uint8_t replays = 0;
    std::uint8_t ways = 0;
};

// The active lanes of an access, packed together.
struct PackedLanes {
    std::array<std::uint64_t, 32> addresses;
    std::array<std::uint8_t, 32> lanes;
    std::size_t count = 0;
};
[[nodiscard]] PackedLanes pack(const std::uint64_t* addresses, std::uint32_t mask);

// Their addresses, the lowest first.
class AscendingAddresses {
  public:
    explicit AscendingAddresses(const WarpAccess& access);
    [[nodiscard]] const std::uint64_t* begin() const { return all_.data(); }
    [[nodiscard]] const std::uint64_t* end() const { return all_.data() + count_; }

  private:
    std::array<std::uint64_t, 32> all_;
    std::size_t count_ = 0;
};

// The space that an access counts for: a generic one where its first active lane goes.
[[nodiscard]] Space counted_space(const WarpAccess& access);

// The different sectors of 32 bytes that a request to textures reads, ascending.
struct TextureSectors {
    std::array<std::uint64_t, 128> sectors;  // of 4 texels a lane
    std::size_t count = 0;
};
[[nodiscard]] TextureSectors sectors_of(const TextureRequest& request);
[[nodiscard]] RequestCounts request_counts(const TextureRequest& request);

// Clocks of the first level's banks for a load of global memory that it has.
[[nodiscard]] std::uint16_t l1_bank_wavefronts(const WarpAccess& access);

// Of an access in that space.
[[nodiscard]] RequestCounts request_counts(const AccessRules& rules, const WarpAccess& access, Space space);

// Whether what it counts of global memory are just the different sectors and lines that its lanes touch.
[[nodiscard]] bool counts_what_is_touched(const AccessRules& rules, const Instruction& instruction);

// Lanes that touch each sector from the first byte of an access to the last, wherever it begins.
class CloseAccess {
  public:
    // None where they do not, or where more counts.
    [[nodiscard]] static std::optional<CloseAccess> of(const AccessRules& rules, const WarpAccess& access,
                                                       Space space);
    // So many bytes further on.
    [[nodiscard]] RequestCounts counts(std::uint64_t further) const;

  private:
    GlobalRule rule_ = GlobalRule::sectors;
    std::uint64_t first_ = 0, end_ = 0;
    std::uint32_t bytes_requested_ = 0;
};

}  // namespace ws::simt

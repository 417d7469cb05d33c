#include "app/widgets/warp_picture.h"

#include <imgui.h>

#include <algorithm>
#include <array>
#include <bit>
#include <bitset>
#include <cstddef>

#include "app/widgets/text.h"
#include "gpu/core/traffic_unit.h"

namespace ws {
namespace {

constexpr int kLanes = 32;
constexpr int kMostRows = 10;
constexpr std::size_t kMostBanks = 32;

ImU32 color_of(std::size_t index) {
    float r = 0;
    float g = 0;
    float b = 0;
    // Steps of the golden ratio keep neighbours apart.
    ImGui::ColorConvertHSVtoRGB(float(index) * 0.618034f - float(int(float(index) * 0.618034f)), 0.55f, 0.95f,
                                r, g, b);
    return ImGui::ColorConvertFloat4ToU32({r, g, b, 1});
}

const ImU32 kEmpty = IM_COL32(70, 74, 82, 255);

// A row of equal cells; `color(i)` paints cell i.
template <typename Color>
void cells(int count, float width, float height, const Color& color) {
    const ImVec2 at = ImGui::GetCursorScreenPos();
    ImDrawList* draw = ImGui::GetWindowDrawList();
    const float step = width / float(count);
    for (int i = 0; i < count; ++i) {
        draw->AddRectFilled({at.x + step * float(i) + 0.5f, at.y},
                            {at.x + step * float(i + 1) - 0.5f, at.y + height}, color(i));
    }
    ImGui::Dummy({width, height});
}

// The bytes of memory that belong together on this GPU.
std::uint64_t piece_bytes(const AccessExample& access, ComputeCapability capability) {
    if (capability.major == 1) return access.bytes == 1 ? 32 : access.bytes == 2 ? 64 : 128;
    return capability.major == 2 && !access.store ? 128 : 32;
}

// A piece of memory and the bytes of it that lanes ask for.
struct Piece {
    std::uint64_t number = 0;
    std::bitset<128> used;
};

// The different pieces of an access, in ascending order.
class Pieces {
  public:
    Pieces(const AccessExample& access, std::uint64_t size) {
        for (std::size_t lane = 0; lane < kLanes; ++lane) {
            if (!(access.mask >> lane & 1)) continue;
            for (int byte = 0; byte < access.bytes; ++byte) {
                const std::uint64_t address = access.addresses[lane] + std::uint64_t(byte);
                with_number(address / size).used.set(std::size_t(address % size));
            }
        }
    }
    [[nodiscard]] std::size_t count() const { return count_; }
    [[nodiscard]] const Piece& operator[](std::size_t i) const { return pieces_[i]; }
    [[nodiscard]] std::size_t index_of(std::uint64_t number) const {
        return std::size_t(
            std::lower_bound(pieces_.begin(), pieces_.begin() + std::ptrdiff_t(count_), number,
                             [](const Piece& piece, std::uint64_t wanted) { return piece.number < wanted; }) -
            pieces_.begin());
    }

  private:
    Piece& with_number(std::uint64_t number) {
        const std::size_t at = index_of(number);
        if (at < count_ && pieces_[at].number == number) return pieces_[at];
        std::move_backward(pieces_.begin() + std::ptrdiff_t(at), pieces_.begin() + std::ptrdiff_t(count_),
                           pieces_.begin() + std::ptrdiff_t(count_ + 1));
        ++count_;
        pieces_[at] = {number, {}};
        return pieces_[at];
    }

    std::array<Piece, 2 * kLanes> pieces_;  // an access of 16 bytes lies in two at most
    std::size_t count_ = 0;
};

void global_picture(const AccessExample& access, ComputeCapability capability, float width) {
    const std::uint64_t piece = piece_bytes(access, capability);
    const char* name = capability.major == 1                    ? "segments"
                       : capability.major == 2 && !access.store ? "lines"
                                                                : "sectors";
    const Pieces pieces(access, piece);
    wrapped(
        text("{} of {} {} by each of {} lanes, block ({}, {}): {} bytes requested, {} transferred in {} {}",
             access.store ? "store" : "load", access.bytes, access.bytes == 1 ? "byte" : "bytes",
             std::popcount(access.mask), access.block_x, access.block_y, access.bytes_requested,
             access.bytes_transferred, access.sectors, traffic_unit(capability)));
    wrapped(kDim, text("Lanes 0 to 31, colored by the {}-byte {} that they touch:", piece, name));
    const float height = 0.9f * em();
    cells(kLanes, width, height, [&](int lane) {
        if (!(access.mask >> lane & 1)) return kEmpty;
        return color_of(pieces.index_of(access.addresses[std::size_t(lane)] / piece));
    });
    wrapped(kDim, text("The {} by their first byte: requested bytes are colored, the others gray.", name));
    for (std::size_t row = 0; row < pieces.count(); ++row) {
        if (row == kMostRows) {
            ImGui::TextColored(kDim, "and %d more %s", int(pieces.count()) - kMostRows, name);
            break;
        }
        const float label = 7 * em();
        ImGui::TextColored(kDim, "%s", text("{:9}", pieces[row].number * piece).data());
        ImGui::SameLine(label);
        cells(int(piece), width - label, height * 0.8f,
              [&](int byte) { return pieces[row].used[std::size_t(byte)] ? color_of(row) : kEmpty; });
    }
}

void shared_picture(const AccessExample& access, int banks, float width) {
    // The words requested from each bank: every further one takes another wavefront.
    std::array<std::array<std::uint64_t, 4 * kLanes>, kMostBanks> words;
    std::array<std::size_t, kMostBanks> counts{};
    for (int lane = 0; lane < kLanes; ++lane) {
        if (!(access.mask >> lane & 1)) continue;
        const std::uint64_t first = access.addresses[std::size_t(lane)] / 4;
        const std::uint64_t last =
            (access.addresses[std::size_t(lane)] + std::uint64_t(access.bytes) - 1) / 4;
        for (std::uint64_t word = first; word <= last; ++word) {
            const auto bank = std::size_t(word % std::uint64_t(banks));
            const auto end = words[bank].begin() + std::ptrdiff_t(counts[bank]);
            if (std::find(words[bank].begin(), end, word) == end) words[bank][counts[bank]++] = word;
        }
    }
    const std::size_t most = *std::max_element(counts.begin(), counts.end());
    wrapped(text("shared {} of {} {} by each of {} lanes, block ({}, {}): {} wavefronts",
                 access.store ? "store" : "load", access.bytes, access.bytes == 1 ? "byte" : "bytes",
                 std::popcount(access.mask), access.block_x, access.block_y, access.sectors));
    wrapped(kDim, "Lanes 0 to 31, colored by their bank:");
    const float height = 0.9f * em();
    cells(kLanes, width, height, [&](int lane) {
        if (!(access.mask >> lane & 1)) return kEmpty;
        return color_of(std::size_t(access.addresses[std::size_t(lane)] / 4 % std::uint64_t(banks)));
    });
    wrapped(kDim, text("Banks 0 to {}: every row is one more word requested from a bank.", banks - 1));
    for (std::size_t row = 0; row < std::min<std::size_t>(most, kMostRows); ++row) {
        cells(banks, width, height * 0.8f, [&](int bank) {
            return row < counts[std::size_t(bank)] ? color_of(std::size_t(bank)) : kEmpty;
        });
    }
    if (most > kMostRows) ImGui::TextColored(kDim, "and %d more rows", int(most) - kMostRows);
}

}  // namespace

void warp_picture(const AccessExample& access, const GpuLimits& limits, float width) {
    if (access.shared) {
        shared_picture(access, limits.shared_banks, width);
    } else {
        global_picture(access, limits.capability, width);
    }
}

}  // namespace ws

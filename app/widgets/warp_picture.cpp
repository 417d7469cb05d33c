#include "app/widgets/warp_picture.h"

#include <imgui.h>

#include <algorithm>
#include <bit>
#include <map>
#include <set>

#include "app/widgets/text.h"

namespace ws {
namespace {

constexpr int kLanes = 32;
constexpr int kMostRows = 10;

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

void global_picture(const AccessExample& access, ComputeCapability capability, float width) {
    const std::uint64_t piece = piece_bytes(access, capability);
    const std::string name = capability.major == 1                    ? "segments"
                             : capability.major == 2 && !access.store ? "lines"
                                                                      : "sectors";
    std::map<std::uint64_t, std::set<int>> used;  // by sector: the bytes of it that lanes ask for
    for (int lane = 0; lane < kLanes; ++lane) {
        if (!(access.mask >> lane & 1)) continue;
        for (int byte = 0; byte < access.bytes; ++byte) {
            const std::uint64_t address = access.addresses[std::size_t(lane)] + std::uint64_t(byte);
            used[address / piece].insert(int(address % piece));
        }
    }
    std::map<std::uint64_t, std::size_t> number;
    for (const auto& [sector, bytes] : used) number.emplace(sector, number.size());
    wrapped(fmt::format(
        "{} of {} {} by each of {} lanes, block ({}, {}): {} bytes asked, {} moved in {} transactions",
        access.store ? "store" : "load", access.bytes, access.bytes == 1 ? "byte" : "bytes",
        std::popcount(access.mask), access.block_x, access.block_y, access.bytes_requested,
        access.bytes_moved, access.transactions));
    wrapped(kDim, fmt::format("Lanes 0 to 31, coloured by the {}-byte {} that they touch:", piece, name));
    const float height = 0.9f * em();
    cells(kLanes, width, height, [&](int lane) {
        if (!(access.mask >> lane & 1)) return kEmpty;
        return color_of(number.at(access.addresses[std::size_t(lane)] / piece));
    });
    wrapped(kDim, fmt::format("The {} by their first byte: used bytes are coloured, the others gray.", name));
    int rows = 0;
    for (const auto& entry : used) {
        const std::uint64_t sector = entry.first;
        const std::set<int>& bytes = entry.second;
        if (++rows > kMostRows) {
            ImGui::TextColored(kDim, "and %d %s more", int(used.size()) - kMostRows, name.c_str());
            break;
        }
        const float label = 7 * em();
        ImGui::TextColored(kDim, "%s", fmt::format("{:9}", sector * piece).c_str());
        ImGui::SameLine(label);
        cells(int(piece), width - label, height * 0.8f,
              [&](int byte) { return bytes.count(byte) ? color_of(number.at(sector)) : kEmpty; });
    }
}

void shared_picture(const AccessExample& access, int banks, float width) {
    // Which words of each bank are asked for: the second and later ones wait.
    std::vector<std::vector<std::uint64_t>> words(static_cast<std::size_t>(banks));
    for (int lane = 0; lane < kLanes; ++lane) {
        if (!(access.mask >> lane & 1)) continue;
        const std::uint64_t first = access.addresses[std::size_t(lane)] / 4;
        const std::uint64_t last =
            (access.addresses[std::size_t(lane)] + std::uint64_t(access.bytes) - 1) / 4;
        for (std::uint64_t word = first; word <= last; ++word) {
            auto& list = words[std::size_t(word % std::uint64_t(banks))];
            if (std::find(list.begin(), list.end(), word) == list.end()) list.push_back(word);
        }
    }
    std::size_t most = 0;
    for (const auto& list : words) most = std::max(most, list.size());
    wrapped(fmt::format("shared {} of {} {} by each of {} lanes, block ({}, {}): {} passes over the banks",
                        access.store ? "store" : "load", access.bytes, access.bytes == 1 ? "byte" : "bytes",
                        std::popcount(access.mask), access.block_x, access.block_y, access.transactions));
    wrapped(kDim, "Lanes 0 to 31, coloured by their bank:");
    const float height = 0.9f * em();
    cells(kLanes, width, height, [&](int lane) {
        if (!(access.mask >> lane & 1)) return kEmpty;
        return color_of(std::size_t(access.addresses[std::size_t(lane)] / 4 % std::uint64_t(banks)));
    });
    wrapped(kDim,
            fmt::format("Banks 0 to {}: every row is one more word that a bank is asked for.", banks - 1));
    for (std::size_t row = 0; row < std::min<std::size_t>(most, kMostRows); ++row) {
        cells(banks, width, height * 0.8f, [&](int bank) {
            return row < words[std::size_t(bank)].size() ? color_of(std::size_t(bank)) : kEmpty;
        });
    }
    if (most > kMostRows) ImGui::TextColored(kDim, "and %d rows more", int(most) - kMostRows);
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

#pragma once
// The size of a thread block.

#include <array>
#include <string>

namespace ws {

inline constexpr int kMaxThreadsPerBlock = 1024;

struct Block {
    int x = 32;
    int y = 8;
    [[nodiscard]] int threads() const { return x * y; }
    [[nodiscard]] bool valid() const {
        return x >= 1 && y >= 1 && x <= kMaxThreadsPerBlock && y <= kMaxThreadsPerBlock &&
               threads() <= kMaxThreadsPerBlock;
    }
    friend bool operator==(const Block&, const Block&) = default;
};

// The sides that a slider steps through; every other side can be typed.
inline constexpr std::array kBlockSides{1,  2,  3,  4,   6,   8,   12,  16,  24,  32,
                                        48, 64, 96, 128, 192, 256, 384, 512, 768, 1024};

[[nodiscard]] std::string to_string(Block block);          // "32 x 8"
[[nodiscard]] Block parse_block(const std::string& text);  // "32x8" or "32 x 8"; throws UsageError

}  // namespace ws

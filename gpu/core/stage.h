#pragma once
// The stages of the pipeline, what can be shown of it, and the size of a thread block.

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace ws {

// `fused` is all three in one kernel, for versions that have one.
enum class Stage { gray, blur, edge, fused };
inline constexpr std::array kStages{Stage::gray, Stage::blur, Stage::edge, Stage::fused};
template <typename T>
using PerStage = std::array<T, kStages.size()>;

enum class View { original, gray, blur, edge };
inline constexpr std::array kViews{View::original, View::gray, View::blur, View::edge};

[[nodiscard]] constexpr std::size_t index_of(Stage stage) {
    return static_cast<std::size_t>(stage);
}
[[nodiscard]] std::string_view name_of(Stage stage);
// The function's name in the kernel's file.
[[nodiscard]] std::string_view entry_of(Stage stage);
[[nodiscard]] std::string_view name_of(View view);
[[nodiscard]] std::optional<Stage> stage_named(std::string_view name);
[[nodiscard]] std::optional<View> view_named(std::string_view name);

// Whether a stage reads the RGBA picture, not gray bytes.
[[nodiscard]] constexpr bool reads_rgba(Stage stage) {
    return stage == Stage::gray || stage == Stage::fused;
}

// Whether the picture of `view` needs `stage` where each has its own kernel; blur_first matters for the edges
// alone.
[[nodiscard]] bool needs_stage(View view, bool blur_first, Stage stage);

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

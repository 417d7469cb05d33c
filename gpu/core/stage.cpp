#include "gpu/core/stage.h"

#include "gpu/core/error.h"
#include "gpu/core/numbers.h"

namespace ws {
namespace {

constexpr PerStage<std::string_view> kStageNames{"gray", "blur", "edge", "fused"};
constexpr std::array<std::string_view, 4> kViewNames{"original", "gray", "blur", "edge"};

}  // namespace

std::string_view name_of(Stage stage) {
    return kStageNames[index_of(stage)];
}
std::string_view entry_of(Stage stage) {
    return stage == Stage::fused ? "gray_blur_edge" : name_of(stage);
}
std::string_view name_of(View view) {
    return kViewNames[static_cast<std::size_t>(view)];
}

std::optional<Stage> stage_named(std::string_view name) {
    for (const Stage stage : kStages) {
        if (name_of(stage) == name) return stage;
    }
    return std::nullopt;
}

std::optional<View> view_named(std::string_view name) {
    for (const View view : kViews) {
        if (name_of(view) == name) return view;
    }
    return std::nullopt;
}

bool needs_stage(View view, bool blur_first, Stage stage) {
    switch (stage) {
        case Stage::gray:
            return view != View::original;
        case Stage::blur:
            return view == View::blur || (view == View::edge && blur_first);
        case Stage::edge:
            return view == View::edge;
        case Stage::fused:
            return false;
    }
    return false;
}

std::string to_string(Block block) {
    return std::to_string(block.x) + " x " + std::to_string(block.y);
}

Block parse_block(const std::string& text) {
    const UsageError malformed("'" + text + "' is not a block", "",
                               "write it as 32x8 (threads along a row x column)");
    const std::size_t cross = text.find_first_of("xX");
    if (cross == std::string::npos) throw malformed;
    const auto number = [&](std::string_view part) {
        while (!part.empty() && part.front() == ' ') part.remove_prefix(1);
        while (!part.empty() && part.back() == ' ') part.remove_suffix(1);
        const std::optional<int> value = parse_number<int>(part);
        if (!value) throw malformed;
        return *value;
    };
    const std::string_view view = text;
    const Block block{number(view.substr(0, cross)), number(view.substr(cross + 1))};
    if (!block.valid()) {
        throw UsageError("a block of " + text + " threads cannot be launched", "",
                         "both sides from 1 on, 1024 threads at most");
    }
    return block;
}

}  // namespace ws

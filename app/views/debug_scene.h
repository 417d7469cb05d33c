#pragma once
// What the page of the debugger draws: a session of it as it stands, as values.

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/cli/debug_target.h"
#include "app/window/view_state.h"
#include "gpu/debug/console.h"
#include "gpu/debug/lane_stores.h"
#include "gpu/debug/scene.h"

namespace ws {

// The kernel's source.
struct DebugText {
    std::vector<debug::KernelText::File> files;  // the kernel's own first
    std::vector<std::vector<bool>> in_comment;   // by file: the line begins within a comment
    std::vector<int> code;                       // lines of the first with which code begins, ascending
};

// What the focus's lane makes of an element.
struct ElementStore {
    enum class State : std::uint8_t { to_come, stored, other };
    State state = State::to_come;  // other: something else lies there, and will be replaced
    Element2d at;
    std::string value;  // in the end
};

struct DebugScene {
    std::string file;  // the kernel's
    std::shared_ptr<const DebugText> text;
    debug::Scene now;
    std::optional<debug::Console::Halt> halt;
    debug::Console::AskedPanel panel;
    std::vector<std::string> said;  // the last lines of the console
    // Of a version that fills one buffer.
    std::optional<FilledPlane> plane;
    WarpGrid grid;
    std::shared_ptr<const debug::BlockStores> stores;  // of the block; null: not known yet
    std::vector<ElementStore> own;                     // of the focus's lane, at most kMostOwn
};
inline constexpr std::size_t kMostOwn = 64;

struct DebuggerPage {
    std::shared_ptr<const DebugScene> scene;  // null: none has begun
    bool running = false;                     // it goes on, or begins, for longer than a moment
    std::string problem;                      // why there is no session
    std::string file;                         // a person's own, that can be looked at; empty: none
};

// Which of the expressions in all lanes is shown: the one that a person has turned to, unless another one was
// asked for since.
[[nodiscard]] inline std::size_t shown_watch(const debug::Scene& now, const WatchChoice& choice) {
    const int wanted = choice.asks == now.asks ? choice.number : now.latest;
    for (std::size_t i = 0; i < now.watched.size(); ++i) {
        if (now.watched[i].number == wanted) return i;
    }
    return now.watched.empty() ? 0 : now.watched.size() - 1;
}

// What the card beside the warps shows, likewise; of optimised code at first the registers, which are all
// that it has.
[[nodiscard]] inline debug::Panel shown_panel(const DebugScene& scene, const PanelChoice& choice) {
    if (choice.asks == scene.panel.asks) return choice.panel;
    return scene.panel.panel.value_or(scene.now.knows_variables ? debug::Panel::variables
                                                                : debug::Panel::registers);
}

// The element that a byte of the buffer belongs to.
[[nodiscard]] inline Element2d element_at(const FilledPlane& plane, std::uint64_t offset) {
    const auto place = std::int64_t(offset) / bytes_of(plane.element);
    const int width = plane.size.width > 0 ? plane.size.width : 1;
    return {int(place % width), int(place / width)};
}

}  // namespace ws

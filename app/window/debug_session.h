#pragma once
// A session of the debugger: commands in, a scene out. It may be driven by any one thread at a time, but for
// its interrupt.

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "app/views/debug_scene.h"

namespace ws {

class DebugSession {
  public:
    // `interrupt`: set from any thread, ends what goes on. Throws what starting a block throws.
    DebugSession(DebuggedLaunch launch, std::shared_ptr<std::atomic<bool>> interrupt);
    DebugSession(const DebugSession&) = delete;
    DebugSession& operator=(const DebugSession&) = delete;

    // Those that are left once one was interrupted are not carried out.
    void carry_out(const std::vector<std::string>& commands);
    // `stores`: of some block; null: of none.
    [[nodiscard]] std::shared_ptr<const DebugScene> scene(
        const std::shared_ptr<const debug::BlockStores>& stores);

    // What each lane of a block stores; from any thread, beside everything else.
    [[nodiscard]] debug::BlockStores stores(std::uint64_t block, const std::atomic<bool>& cancel) const;
    [[nodiscard]] bool fills_plane() const { return launch_.plane.has_value(); }

  private:
    void take(std::string_view said);
    void add_own(DebugScene& scene) const;

    std::shared_ptr<std::atomic<bool>> interrupt_;
    DebuggedLaunch launch_;  // its target's sources are the debugger's
    std::function<debug::StartedBlock(std::uint64_t, const std::atomic<bool>&)> start_;
    std::unique_ptr<debug::Debugger> debugger_;
    std::unique_ptr<debug::Console> console_;
    std::shared_ptr<const DebugText> text_;
    std::vector<std::string> said_;
    bool goes_on_ = false;  // the last line of it
};

}  // namespace ws

#pragma once
// The debugger of the window: what it works on, and its commands, carried out one after the other on a thread
// of its own. No frame waits for it.

#include <atomic>
#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/cli/options.h"
#include "app/window/debug_session.h"
#include "gpu/core/job.h"
#include "gpu/core/snapshot.h"

namespace ws {

// What is to be debugged: another value is another session.
struct DebugSubject {
    bool file = false;  // a person's own; else the version's kernel, as follows
    Work work;
    int step = 0;
    InputKey input;
    KernelSource source;
    std::string gpu;
};
// The same as it is asked for in each frame, which copies nothing.
struct DebugWish {
    bool file = false;
    const Work* work = nullptr;
    int step = 0;
    InputKey input;
    const KernelSource* source = nullptr;
    const std::filesystem::path* kernels = nullptr;  // the folder that they come from
};

class DebugDesk {
  public:
    // `file`: options that name a person's kernel; null: none. `commands`: of the first session, separated by
    // semicolons.
    DebugDesk(std::shared_ptr<const Options> file, std::string commands);
    ~DebugDesk();
    DebugDesk(const DebugDesk&) = delete;
    DebugDesk& operator=(const DebugDesk&) = delete;

    // Once a frame. The session of what is looked at, which begins where it is another one; null: the page is
    // not seen, and what there is stays.
    void update(const DebugWish* wanted, const Snapshot& snapshot);

    // A command of the debugger, once those before are done.
    void ask(const std::string& command);
    // What goes on stops where it is; what was asked for behind it is forgotten.
    void pause();
    // A line without a breakpoint gets one, one with loses it; 0: the line of the focus.
    void toggle_breakpoint(int line);
    // All warps but the focus's, or none.
    void toggle_freeze();
    // So many warps and lanes on.
    void step_focus(int warps, int lanes);
    // The expression in all lanes that is shown stays from stop to stop, or no longer.
    void keep_watched(const WatchChoice& shown);
    // The block that computes an element, and the lane that stores it.
    void choose(Element2d element);

    [[nodiscard]] bool running() const { return job_.active() || stores_job_.active() || !asked_.empty(); }
    // A session has been begun, or tried to.
    [[nodiscard]] bool begun() const { return subject_.has_value(); }
    [[nodiscard]] bool has_file() const { return file_ != nullptr; }
    [[nodiscard]] const DebuggerPage& page() const { return page_; }

  private:
    using Opened = std::shared_ptr<DebugSession>;
    struct Done {
        Opened session;
        std::shared_ptr<const DebugScene> scene;
    };
    [[nodiscard]] bool is_of(const DebugWish& wanted, const Snapshot& snapshot) const;
    void begin(const DebugWish& wanted, const Snapshot& snapshot);
    [[nodiscard]] std::vector<std::string> first_commands(const DebugSubject& wanted,
                                                          const Snapshot& snapshot) const;
    void go_on();
    void want_stores();
    void focus_on_element();
    void take(Result<Done> done);

    std::shared_ptr<const Options> file_;
    std::string commands_;
    std::optional<DebugSubject> subject_;
    Opened session_;  // null: it begins, or could not
    std::shared_ptr<std::atomic<bool>> interrupt_ = std::make_shared<std::atomic<bool>>(false);
    std::vector<std::string> asked_;
    std::optional<Element2d> element_;  // whose lane is to be the focus once it is known
    bool discard_ = false;              // what runs is of another subject
    bool refresh_ = false;              // the scene lacks what has been found out since
    std::shared_ptr<const debug::BlockStores> stores_;
    std::shared_ptr<std::atomic<bool>> cancel_;         // of what finds out the stores
    std::uint64_t stores_of_ = 0;                       // the block that it is about
    std::chrono::steady_clock::time_point begun_at_{};  // what runs
    DebuggerPage page_;
    Job<std::shared_ptr<const debug::BlockStores>> stores_job_;
    Job<Done> job_;  // the last: it ends before what it uses
};

}  // namespace ws

#pragma once
// The sweep of what is shown, and of the baseline, or of all versions over an axis: runs it beside the
// frames, and finds what was recorded.

#include <memory>
#include <optional>
#include <vector>

#include "app/views/views.h"
#include "gpu/engine/sweep_service.h"

namespace ws {

class SweepDesk {
  public:
    SweepDesk(EngineOptions options, std::filesystem::path records)
        : service_(std::move(options), std::move(records)) {}

    // Runs the sweep that is looked at, or stops it where it runs.
    void toggle(const Engine& engine);
    // Once a frame: takes what was done since. `over`: all versions over it are looked at; none: block
    // shapes.
    void update(const Engine& engine, const KernelLibrary& kernels, const std::optional<SweepOver>& over);
    [[nodiscard]] const SweepPage& page() const { return page_; }
    [[nodiscard]] bool running() const { return service_.running(); }

  private:
    // What recordings have, made once for what it is of.
    struct Recorded {
        SweepResult result;
        const Recordings* of = nullptr;
    };
    [[nodiscard]] const SweepResult* find(const Engine& engine, const SweepSubject& subject,
                                          Recorded& recorded);

    struct VersionSweep {
        SweepSubject subject;
        Recorded recorded;
    };
    // All versions over an axis, as long as nothing but the place on it changes.
    struct Curves {
        std::optional<SweepOver> over;  // none: none are looked at
        Work of;
        InputKey input;
        bool measures = false;  // the device does
        std::vector<VersionSweep> versions;
        std::vector<int> values;  // of a knob, in any version
        std::vector<VersionCurve> drawn;
    };
    void begin_curves(const Engine& engine, const KernelLibrary& kernels, const SweepOver& over);
    void update_curves(const Engine& engine, const KernelLibrary& kernels, const SweepOver& over);
    [[nodiscard]] bool are_of(const Engine& engine, const SweepOver& over) const;

    SweepService service_;
    Recorded now_, base_;
    Curves curves_;
    SweepPage page_;
};

}  // namespace ws

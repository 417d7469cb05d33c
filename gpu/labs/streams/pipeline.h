#pragma once
// An array that goes through a GPU in pieces, in a session: as a plan has it, timed, drawn and checked.

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "gpu/core/device_session.h"
#include "gpu/core/outcome.h"
#include "gpu/labs/streams/schedule.h"

namespace ws::streams {

// What a kernel has become of a word, after so many rounds.
[[nodiscard]] std::uint32_t worked(std::uint32_t word, std::uint32_t rounds);

// The kernel's grid: threads of a block, and blocks at most.
struct Grid {
    unsigned threads = 1;
    unsigned blocks = 1;
};
// One that fills the GPU, or a sixteenth of it.
[[nodiscard]] Grid grid_of(const GpuProfile& gpu, bool small);

struct Workload {
    std::size_t words = 0;
    int streams = 1;  // at most
    HostMemory memory = HostMemory::pinned;
    Grid grid;
    bool as_on_fermi = false;  // commands wait for each other as in Fermi's hardware queues
};

class Pipeline {
  public:
    Pipeline(DeviceSession& session, const Workload& workload);
    // Sends a pattern through, over poison: every word comes back as it has to.
    [[nodiscard]] bool right(const Plan& plan, bool as_graph = false);
    // ms from the first command to the last.
    [[nodiscard]] double sample(const Plan& plan);
    // The same with all commands as a graph that has run once before.
    [[nodiscard]] std::vector<double> sample_graph(const Plan& plan, int samples);
    // ms of one part of the whole array between others of its kind: what a call costs the host is hidden.
    [[nodiscard]] double alone(Part part, int samples);
    // Finds how many rounds the kernel takes for so many ms.
    void set_kernel(double ms);
    [[nodiscard]] std::uint32_t rounds() const { return rounds_; }
    void set_rounds(std::uint32_t rounds) { rounds_ = rounds; }
    void add_bars(const Plan& plan, Timeline& timeline);

  private:
    struct Marks {
        std::vector<MarkPtr> begins, ends;  // of each command
    };
    // The latest command of each engine, which others wait for on Fermi.
    struct Latest {
        const SessionMark* parts[3] = {nullptr, nullptr, nullptr};
    };
    [[nodiscard]] SessionQueue& first() { return *queues_.front(); }
    [[nodiscard]] const SessionMark& marked(SessionQueue& queue);
    // All streams begin behind the first one, which ends behind all of them.
    void issue(const Plan& plan, Marks* marks = nullptr);
    void issue_command(const Command& command);
    void wait_as_on_fermi(const Command& command, const Latest& latest);
    [[nodiscard]] double time_between_marks(const std::function<void()>& issue);
    [[nodiscard]] double several(Part part, int times);
    [[nodiscard]] bool arrived() const;

    DeviceSession& session_;
    Workload workload_;
    std::uint32_t rounds_ = 1;
    MemoryPtr source_, target_, device_;
    MarkPtr begin_, end_;
    std::vector<MarkPtr> waits_;    // of what is on its way
    std::vector<QueuePtr> queues_;  // go first: nothing is on its way when the memory goes
};

}  // namespace ws::streams

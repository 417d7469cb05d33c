#include "gpu/cpu/cpu_device.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <fstream>

#include "gpu/core/thread_pool.h"
#include "gpu/cpu/instruction_set.h"

namespace ws {
namespace {

std::string processor_name() {
    std::ifstream lines("/proc/cpuinfo");
    for (std::string line; std::getline(lines, line);) {
        const std::size_t colon = line.find(": ");
        if (line.rfind("model name", 0) == 0 && colon != std::string::npos) return line.substr(colon + 2);
    }
    return "this processor";
}

double elapsed_ms(std::chrono::steady_clock::time_point since) {
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - since).count();
}

// Runs `work` often enough to span half a millisecond; `before` is the last sample of the same work.
template <typename Work>
Sample time(const Work& work, const Sample& before) {
    constexpr double kSpanMs = 0.5;
    constexpr int kMost = 64;
    const int launches = before.ms > 0 ? std::clamp(int(kSpanMs / before.ms) + 1, 1, kMost) : 1;
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < launches; ++i) work();
    return {elapsed_ms(start) / launches, launches};
}

class CpuDevice final : public Device {
  public:
    CpuDevice() {
        facts_.kind = DeviceKind::cpu;
        facts_.can.is_reference = true;
        facts_.name =
            fmt::format("{} ({} threads, {})", processor_name(), pool_.threads(), instruction_set());
        facts_.profile.name = facts_.name;
        facts_.facts = {{"Processor", processor_name()},
                        {"Threads", std::to_string(pool_.threads())},
                        {"Instruction set", instruction_set()},
                        {"Pipeline", "native, the same for every version"}};
    }

    [[nodiscard]] const DeviceFacts& facts() const override { return facts_; }

    void set_problem(Problem problem) override {
        problem_ = std::move(problem);
        buffers_.assign(problem_.lab->buffers.size(), {});
        last_ = {};
    }

    [[nodiscard]] FrameResult run(const Plan& plan, FrameTarget& target) override {
        if (plan.generation != last_.generation) last_ = {};
        FrameTimes times;
        times.generation = plan.generation;
        const bool is_picture = plan.shows_picture();
        auto start = std::chrono::steady_clock::now();
        if (is_picture) target.resize(problem_.size);
        std::uint8_t* out = is_picture ? target.map(nullptr) : writable(plan.shows);
        times.map_ms = elapsed_ms(start);

        const NativeLab& native = plan.lab->native;
        for (const Launch& launch : plan.launches) {
            const std::uint8_t* from = readable(launch.input());
            std::uint8_t* to = launch.output() == plan.shows ? out : writable(launch.output());
            Sample& sample = times.steps[std::size_t(launch.step)];
            const auto work = [&] {
                native.step ? native.step(pool_, launch.step, problem_.size, from, to)
                            : native.whole(pool_, problem_, plan.shows, to);
            };
            sample = time(work, last_.steps[std::size_t(launch.step)]);
            // The steps one after the other: nothing lies between them.
            times.total.ms += sample.ms;
        }
        times.total.launches = 1;
        times.one_pass = time([&] { native.whole(pool_, problem_, plan.shows, out); }, last_.one_pass);

        start = std::chrono::steady_clock::now();
        if (is_picture) target.unmap(nullptr);
        times.unmap_ms = elapsed_ms(start);
        last_ = times;
        return {std::nullopt, times, is_picture};
    }

    [[nodiscard]] Result<std::vector<HostBytes>> run_once(const Plan& plan, std::uint8_t poison,
                                                          const std::vector<int>& buffers) override {
        std::vector<HostBytes> made;
        for (const int buffer : buffers) {
            made.emplace_back(bytes_of(plan.lab->buffers[std::size_t(buffer)], problem_.size), poison);
            plan.lab->native.whole(pool_, problem_, buffer, made.back().data());
        }
        return made;
    }

  private:
    std::uint8_t* writable(int buffer) {
        HostBytes& bytes = buffers_[std::size_t(buffer)];
        bytes.resize(bytes_of(problem_.lab->buffers[std::size_t(buffer)], problem_.size));
        return bytes.data();
    }
    // Null of a step that reads nothing.
    const std::uint8_t* readable(int buffer) {
        if (buffer < 0) return nullptr;
        const PixelBytes* content = problem_.content_of(buffer);
        return content ? content->data() : writable(buffer);
    }

    ThreadPool pool_;
    DeviceFacts facts_;
    Problem problem_;
    std::vector<HostBytes> buffers_;  // by the lab's list; empty until a step writes them
    FrameTimes last_;
};

}  // namespace

std::unique_ptr<Device> make_cpu_device() {
    return std::make_unique<CpuDevice>();
}

HostBytes reference_result(const Problem& problem, int buffer) {
    ThreadPool pool;
    HostBytes out(bytes_of(problem.lab->buffers[std::size_t(buffer)], problem.size));
    problem.lab->native.whole(pool, problem, buffer, out.data());
    return out;
}

}  // namespace ws

#include "gpu/cpu/cpu_device.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <fstream>

#include "gpu/cpu/native.h"
#include "gpu/cpu/rows.h"
#include "gpu/cpu/thread_pool.h"

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
        facts_.name =
            fmt::format("{} ({} threads, {})", processor_name(), pool_.threads(), rows::instruction_set());
        facts_.profile.name = facts_.name;
        facts_.facts = {{"Processor", processor_name()},
                        {"Threads", std::to_string(pool_.threads())},
                        {"Instruction set", rows::instruction_set()},
                        {"Pipeline", "native, the same for every version"}};
    }

    [[nodiscard]] const DeviceFacts& facts() const override { return facts_; }

    void set_picture(Picture picture) override {
        source_ = std::move(picture);
        gray_ = GrayImage(source_->size);
        blurred_ = GrayImage(source_->size);
        last_ = {};
    }

    [[nodiscard]] FrameResult run(const Plan& plan, FrameTarget& target) override {
        if (plan.generation != last_.generation) last_ = {};
        const Extent size = source_->size;
        FrameTimes times;
        times.generation = plan.generation;
        target.resize(size);
        auto start = std::chrono::steady_clock::now();
        std::uint8_t* out = target.map(nullptr);
        times.map_ms = elapsed_ms(start);

        const Stage last_stage = plan.launches.back().stage;
        const std::uint8_t* input = gray_.bytes.data();
        start = std::chrono::steady_clock::now();
        for (const Launch& launch : plan.launches) {
            std::uint8_t* stage_out = launch.stage == last_stage ? out : buffer_of(launch.stage);
            times.stages[index_of(launch.stage)] = time([&] { run_stage(launch.stage, input, stage_out); },
                                                        last_.stages[index_of(launch.stage)]);
            input = stage_out;
        }
        // The pipeline of stages as a whole: each stage's time, since nothing lies between them.
        for (const Sample& sample : times.stages) times.total.ms += sample.ms;
        times.total.launches = 1;
        times.fused =
            time([&] { native::fused(pool_, *source_, plan.view, plan.blur_first, out); }, last_.fused);

        start = std::chrono::steady_clock::now();
        target.unmap(nullptr);
        times.unmap_ms = elapsed_ms(start);
        last_ = times;
        return {std::nullopt, times};
    }

    [[nodiscard]] Result<GrayImage> run_poisoned(const Plan& plan, std::uint8_t poison) override {
        GrayImage out(source_->size, poison);
        native::fused(pool_, *source_, plan.view, plan.blur_first, out.bytes.data());
        return out;
    }

  private:
    std::uint8_t* buffer_of(Stage stage) { return (stage == Stage::gray ? gray_ : blurred_).bytes.data(); }

    void run_stage(Stage stage, const std::uint8_t* input, std::uint8_t* out) {
        switch (stage) {
            case Stage::gray:
                return native::gray(pool_, *source_, out);
            case Stage::blur:
                return native::blur(pool_, source_->size, input, out);
            case Stage::edge:
                return native::edge(pool_, source_->size, input, out);
            case Stage::fused:
                return native::fused(pool_, *source_, View::edge, true, out);
        }
    }

    ThreadPool pool_;
    DeviceFacts facts_;
    Picture source_;
    GrayImage gray_;
    GrayImage blurred_;
    FrameTimes last_;
};

}  // namespace

std::unique_ptr<Device> make_cpu_device() {
    return std::make_unique<CpuDevice>();
}

GrayImage reference_picture(const RgbaImage& source, View view, bool blur_first) {
    ThreadPool pool;
    GrayImage out(source.size);
    native::fused(pool, source, view, blur_first, out.bytes.data());
    return out;
}

}  // namespace ws

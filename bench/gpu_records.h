#pragma once
// What benches of the GPU have measured as records (docs/records.md): the lines that sweeps write and
// --replay reads. Their inputs lie in memory in turn, so that no cache holds them: the input's name says so.

#include <filesystem>
#include <memory>
#include <string>

#include "bench/figures.h"
#include "gpu/analysis/time_floor.h"
#include "gpu/core/device.h"
#include "gpu/core/record.h"
#include "gpu/engine/planner.h"
#include "gpu/engine/record_of.h"
#include "gpu/records/record_file.h"

namespace ws {

class GpuRecords {
  public:
    // Takes "--records FILE" out of the arguments; without it nothing is kept. Throws Error.
    explicit GpuRecords(std::vector<std::string>& arguments) {
        for (std::size_t i = 0; i + 1 < arguments.size(); ++i) {
            if (arguments[i] != "--records") continue;
            file_ = std::make_unique<RecordFile>(arguments[i + 1]);
            arguments.erase(arguments.begin() + std::ptrdiff_t(i), arguments.begin() + std::ptrdiff_t(i) + 2);
            return;
        }
    }

    // On what everything is measured from now on.
    void use(const DeviceFacts& device, const std::string& compiler) {
        device_ = device;
        place_.gpu = device.profile.name;
        place_.capability = device.profile.limits.capability;
        place_.driver = device.driver;
        place_.compiler = compiler;
        place_.kind = Kind::measured;
    }

    // The time of all kernels of some work in microseconds, each alone where that was measured, with the
    // clocks meanwhile. A time below what the bytes need at least is kept as refused.
    struct Taken {
        Statistics total_us;
        std::vector<double> step_us;
        ClockRange clock;
        std::string slowed;  // the GPU was held back
    };
    void keep(const Work& work, const std::vector<StepRequest>& requests, const InputKey& input,
              const std::string& input_name, const Taken& taken) {
        if (!file_) return;
        Record record;
        record.place = place_;
        record.place.input = input_name;
        record.place.content = input.content;
        PlannedWork planned;
        planned.work = work;
        double bytes = 0;
        for (const StepRequest& request : requests) {
            PlannedKernel& kernel = planned.kernels.emplace_back();
            kernel.request = request;
            kernel.runs = runs_step(work, request.step);
            if (kernel.runs) bytes += least_bytes(*work.lab, arguments_of(work, request.step), input.size);
        }
        record.key = record_key(planned, input.size);
        const Statistics& us = taken.total_us;
        record.total_ms = {us.median / 1000, us.low / 1000, us.high / 1000, us.samples};
        for (const double step : taken.step_us) record.step_ms.push_back(step / 1000);
        record.step_ms.resize(record.key.kernels.size());
        record.clock = taken.clock;
        record.check = "not checked";
        record.refused = taken.slowed;
        const double floor = time_floor_ms(bytes, int(record.key.kernels.size()), device_.profile);
        if (record.refused.empty() && record.total_ms.median < floor)
            record.refused = fmt::format("below what must be moved, {:.4f} ms", floor);
        if (!record.refused.empty()) fmt::print("V{}: refused, {}\n", work.version, record.refused);
        file_->append(record);
    }

  private:
    std::unique_ptr<RecordFile> file_;
    DeviceFacts device_;
    RecordPlace place_;
};

}  // namespace ws

#include "gpu/engine/counter_service.h"

#include <atomic>
#include <bit>
#include <cstring>

#include "gpu/analysis/occupancy.h"
#include "gpu/core/error.h"
#include "gpu/cpu/cpu_device.h"
#include "gpu/simt/addresses.h"
#include "gpu/simt/sample.h"

namespace ws {
namespace {

constexpr int kCheckedElements = 1 << 11;  // the checks take longer than counting

// Tells whose the addresses of the examples are. The launch's buffers lie apart, so that the last one that
// begins before an address has it.
void name_buffers(const Launch& launch, const simt::KernelLaunch& staged,
                  std::vector<AccessExample>& examples) {
    for (AccessExample& example : examples) {
        if (example.shared || example.mask == 0) continue;
        const std::uint64_t address = example.addresses[std::size_t(std::countr_zero(example.mask))];
        for (std::size_t i = 0; i < launch.arguments.size(); ++i) {
            if (launch.arguments[i].buffer < 0) continue;
            std::uint64_t base = 0;
            std::memcpy(&base, staged.parameters.data() + staged.program->parameters[i].at, sizeof base);
            base -= simt::kGlobalBase;
            if (base > address || (example.buffer >= 0 && base < example.base)) continue;
            example.buffer = launch.arguments[i].buffer;
            example.base = base;
        }
    }
}

}  // namespace

void CounterService::ask(std::vector<CountJob> jobs) {
    std::vector<JobQueue<CountKey, Counters>::Entry> entries;
    for (CountJob& job : jobs) {
        const CountKey key = job.key;
        auto work = [this, job = std::move(job)](const std::stop_token& stop) { return count(job, stop); };
        entries.push_back({key, std::move(work)});
    }
    queue_.ask(std::move(entries));
}

std::vector<std::pair<CountKey, CountOutcome>> CounterService::poll() {
    std::vector<std::pair<CountKey, CountOutcome>> ready;
    for (auto& [key, result] : queue_.poll()) {
        CountOutcome outcome = result.ok() ? CountOutcome{std::move(result.value()), {}}
                                           : CountOutcome{nullptr, result.message()};
        ready.emplace_back(std::move(key), std::move(outcome));
    }
    return ready;
}

std::uint8_t* CounterService::contents_of(const CountJob& job, int buffer) {
    if (buffer == 0)
        return const_cast<std::uint8_t*>(job.problem.input->data());  // no kernel writes its input
    if (!(prepared_for_ == job.key.input) || prepared_lab_ != job.key.lab) {
        prepared_.clear();
        prepared_for_ = job.key.input;
        prepared_lab_ = job.key.lab;
    }
    const auto found = prepared_.find(buffer);
    if (found != prepared_.end()) return found->second.data();
    return prepared_.emplace(buffer, reference_result(job.problem, buffer)).first->second.data();
}

// What is returned after a stop is asked for is dropped, whatever it is.
CounterService::Counters CounterService::count(const CountJob& job, const std::stop_token& stop) {
    const Launch& launch = job.launch;
    const Lab& lab = *job.problem.lab;
    const Extent size = job.problem.size;
    const auto program = programs_.find(launch.kernel);
    if (!program.ok()) throw Error(program.message());
    HostBytes target(bytes_of(lab.buffers[std::size_t(launch.output())], size));
    std::vector<std::uint8_t*> buffers(lab.buffers.size());
    for (const Argument& argument : launch.arguments) {
        if (argument.kind == Argument::Kind::input)
            buffers[std::size_t(argument.buffer)] = contents_of(job, argument.buffer);
    }
    buffers[std::size_t(launch.output())] = target.data();
    simt::Gpu gpu(job.key.gpu);
    const simt::KernelLaunch staged = simt::step_launch(gpu, program.value(), launch, lab, size, buffers);
    simt::LaunchOptions options = simt::step_options();
    std::atomic<bool> cancel{false};
    const std::stop_callback on_stop(stop, [&] { cancel = true; });
    options.cancel = &cancel;
    // By what is known before the assembler has seen the kernel.
    const KernelResources resources{launch.block.threads(), 0, int(program.value()->static_shared_bytes)};
    options.window_blocks = resident_blocks(occupancy_of(resources, job.key.gpu.limits), job.key.gpu);
    const simt::Layout layout = simt::layout_of(lab, launch, size);
    simt::LaunchOutcome outcome = simt::count_sample(gpu, staged, options, layout);
    if (outcome.cancelled) return nullptr;
    // What a kernel did until it was stopped says nothing of a whole run.
    if (outcome.stopped) throw Error(outcome.counters.findings.front().message);
    options.check = true;
    options.count = false;
    const simt::LaunchOutcome checked =
        simt::launch_sample(gpu, staged, options, simt::choose_blocks(layout, kCheckedElements));
    if (checked.cancelled) return nullptr;
    outcome.counters.unique_bytes = std::uint64_t(least_bytes(lab, launch.arguments, size));
    outcome.counters.findings = checked.counters.findings;
    name_buffers(launch, staged, outcome.counters.accesses);
    outcome.counters.kernel = launch.kernel->source_name;
    return std::make_shared<const KernelCounters>(std::move(outcome.counters));
}

}  // namespace ws

#include "gpu/engine/counter_service.h"

#include <algorithm>

#include "gpu/core/background.h"
#include "gpu/core/error.h"
#include "gpu/cpu/cpu_device.h"
#include "gpu/pipeline/requests.h"
#include "gpu/simt/sample.h"

namespace ws {
namespace {

constexpr int kBorder = 4;               // no kernel reads further beyond its tile
constexpr int kCountedPixels = 1 << 15;  // in about 10 ms on two cores
constexpr int kCachedBlocks = 96;        // of the interior, one after the other
constexpr int kCheckedPixels = 1 << 11;  // the checks take longer

}  // namespace

CounterService::CounterService() : thread_([this] { work(); }) {}

CounterService::~CounterService() {
    {
        const std::lock_guard lock(mutex_);
        quit_ = true;
        cancel_ = true;
    }
    wake_.notify_all();
    thread_.join();
}

std::uint64_t CounterService::ask(CountRequest request) {
    const std::lock_guard lock(mutex_);
    waiting_ = std::move(request);
    cancel_ = true;
    result_.reset();
    wake_.notify_all();
    return ++number_;
}

std::optional<std::pair<std::uint64_t, CountResult>> CounterService::poll() {
    const std::lock_guard lock(mutex_);
    return std::exchange(result_, std::nullopt);
}

bool CounterService::busy() const {
    const std::lock_guard lock(mutex_);
    return waiting_ || running_ || result_;
}

void CounterService::wait() {
    std::unique_lock lock(mutex_);
    idle_.wait(lock, [this] { return !waiting_ && !running_; });
}

void CounterService::work() {
    give_way();
    std::unique_lock lock(mutex_);
    while (true) {
        wake_.wait(lock, [this] { return quit_ || waiting_; });
        if (quit_) return;
        const CountRequest request = std::move(*waiting_);
        waiting_.reset();
        const std::uint64_t number = number_;
        cancel_ = false;
        running_ = true;
        lock.unlock();
        std::string problem;
        try {
            count(number, request);
        } catch (...) {
            problem = caught_message();
        }
        lock.lock();
        if (!problem.empty() && number == number_) fail(request, problem);
        running_ = false;
        idle_.notify_all();
    }
}

// For the stages that have no counters yet.
void CounterService::fail(const CountRequest& request, const std::string& problem) {
    if (!result_) result_.emplace(number_, CountResult{});
    for (const Stage stage : kStages) {
        const std::size_t i = index_of(stage);
        if (request.stages[i] && !result_->second.counters[i]) result_->second.problems[i] = problem;
    }
}

void CounterService::count(std::uint64_t number, const CountRequest& request) {
    if (prepared_for_ != request.picture) {
        gray_ = reference_picture(*request.picture, View::gray, true);
        blurred_ = reference_picture(*request.picture, View::blur, true);
        prepared_for_ = request.picture;
    }
    const Extent size = request.picture->size;
    GrayImage target(size);
    CountResult result;
    for (const Stage stage : {Stage::fused, Stage::blur, Stage::edge, Stage::gray}) {
        const std::optional<Launch>& launch = request.stages[index_of(stage)];
        if (!launch) continue;
        try {
            const auto program = programs_.find(launch->kernel);
            if (!program.ok()) throw Error(program.message());
            const std::uint8_t* source = reads_rgba(stage) ? request.picture->bytes.data()
                                         : stage == Stage::edge && request.blur_first ? blurred_.bytes.data()
                                                                                      : gray_.bytes.data();
            simt::LaunchSetup setup = simt::stage_launch(program.value(), *launch, request.gpu, size, source,
                                                         reads_rgba(stage) ? 4 : 1, target.bytes.data());
            setup.cancel = &cancel_;
            const auto strata = [&](int pixels) {
                const auto threads = std::int64_t(launch->block.threads()) * pixels /
                                     std::max<std::int64_t>(1, std::int64_t(launch->tile.pixels()));
                return simt::choose_blocks(launch->grid, launch->tile, kBorder, size, launch->block.threads(),
                                           int(std::min<std::int64_t>(threads, pixels)));
            };
            simt::LaunchOutcome outcome = simt::launch_sample(setup, strata(kCountedPixels));
            if (outcome.cancelled) return;
            // What a kernel did until it was stopped says nothing of a whole run.
            if (outcome.stopped) throw Error(outcome.counters.findings.front().message);
            setup.check = true;
            setup.count = false;
            const simt::LaunchOutcome checked = simt::launch_sample(setup, strata(kCheckedPixels));
            if (checked.cancelled) return;
            // The caches: neighbours in a row in the middle of the picture, starting empty.
            setup.check = false;
            setup.model_caches = true;
            setup.count = true;
            const Extent grid = launch->grid;
            const int along = std::min(kCachedBlocks / 4, grid.width);
            for (int row = 0; row < std::min(4, grid.height); ++row) {
                for (int column = 0; column < along; ++column) {
                    const auto y = std::uint64_t((grid.height - std::min(4, grid.height)) / 2 + row);
                    setup.blocks.push_back(y * std::uint64_t(grid.width) +
                                           std::uint64_t((grid.width - along) / 2 + column));
                }
            }
            const simt::LaunchOutcome cached = simt::launch(setup);
            if (cached.cancelled) return;
            outcome.counters.caches = cached.counters.caches;
            outcome.counters.unique_bytes = std::uint64_t(least_bytes(stage, size));
            outcome.counters.findings = checked.counters.findings;
            outcome.counters.kernel = launch->kernel->source_name;
            result.counters[index_of(stage)] =
                std::make_shared<const KernelCounters>(std::move(outcome.counters));
        } catch (...) {
            result.problems[index_of(stage)] = caught_message();
        }
        const std::lock_guard lock(mutex_);
        if (number != number_) return;
        result_ = {number, result};
    }
}

}  // namespace ws

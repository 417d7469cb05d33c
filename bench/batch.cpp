// A batch of pictures against its limit, decoding alone on the same threads: bench_batch 'FOLDER/*.jpg'
// [VERSION] [--json FILE] On the device that is there; of several GPUs on one, on two, and so on. Results are
// not written: encoding is measured by warpscope run itself.

#include <fmt/format.h>
#include <glob.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <memory>
#include <thread>
#include <vector>

#include "bench/figures.h"
#include "gpu/core/background.h"
#include "gpu/core/statistics.h"
#include "gpu/cuda/cuda_device.h"
#include "gpu/engine/batch.h"
#include "gpu/engine/engine.h"
#include "gpu/labs/filters/filters.h"
#include "gpu/picture/picture_file.h"

namespace ws {
namespace {

double decode_alone(const std::vector<BatchItem>& items, int workers) {
    std::atomic<std::size_t> next{0};
    const auto start = std::chrono::steady_clock::now();
    std::vector<std::thread> threads;
    threads.reserve(std::size_t(workers));
    for (int i = 0; i < workers; ++i) {
        threads.emplace_back([&] {
            for (std::size_t k = next++; k < items.size(); k = next++) (void)read_picture(items[k].from);
        });
    }
    for (std::thread& thread : threads) thread.join();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

std::vector<BatchItem> items_of(const std::string& pattern) {
    glob_t found{};
    std::vector<BatchItem> items;
    if (glob(pattern.c_str(), 0, nullptr, &found) == 0) {
        for (std::size_t i = 0; i < found.gl_pathc; ++i) items.push_back({found.gl_pathv[i], {}});
    }
    globfree(&found);
    if (items.empty())
        throw UsageError("no file matches", pattern, "usage: bench_batch 'FOLDER/*.jpg' [VERSION]");
    return items;
}

// One for each GPU; where there is none, one for the device that is there.
std::vector<std::unique_ptr<Engine>> engines_of(int version) {
    const Result<int> gpus = cuda_device_count();
    std::vector<std::unique_ptr<Engine>> engines;
    for (int i = 0; i < (gpus.ok() ? gpus.value() : 1); ++i) {
        Work work = with_version(first_work(filters::lab()), version_of(filters::lab(), version));
        if (gpus.ok()) {
            work.device = DeviceKind::cuda;
            work.cuda_gpu = i;
        }
        engines.push_back(std::make_unique<Engine>(EngineOptions{}));
        engines.back()->set_picture(std::make_shared<const RgbaImage>(Extent{64, 64}), "none");
        engines.back()->prepare(work);
        engines.back()->wait_for_kernels();
    }
    return engines;
}

// On the first GPU, on the first two, and so on.
struct Batches {
    std::vector<BatchDevice> devices;
    std::vector<double> whole, on_device;
};

std::vector<Batches> batches_on(const std::vector<std::unique_ptr<Engine>>& engines) {
    std::vector<Batches> all;
    for (std::size_t count = 1; count <= engines.size(); ++count) {
        Batches& batches = all.emplace_back();
        for (std::size_t i = 0; i < count; ++i)
            batches.devices.push_back({engines[i]->device(), engines[i]->plan()});
    }
    return all;
}

void run_once(Batches& batches, const std::vector<BatchItem>& items, int workers) {
    const BatchResult result =
        run_batch(batches.devices, items, workers, [](const BatchResult&, const std::string&) {});
    if (!result.problems.empty()) throw Error(result.problems.front());
    batches.whole.push_back(result.times.wall);
    batches.on_device.push_back(result.times.device);
}

int run(const std::string& pattern, int version, Figures& figures) {
    const std::vector<BatchItem> items = items_of(pattern);
    const int workers = processors();
    const std::vector<std::unique_ptr<Engine>> engines = engines_of(version);
    std::vector<Batches> all = batches_on(engines);
    std::vector<double> alone;
    for (int i = 0; i < 5; ++i) {
        alone.push_back(decode_alone(items, workers));
        for (Batches& batches : all) run_once(batches, items, workers);
    }
    const Statistics limit = statistics_of(alone);
    const std::string device = engines.front()->snapshot().device.name;
    fmt::print("{} pictures, {} workers, V{} on {}\n", items.size(), workers, version, device);
    fmt::print("decoding alone {:.3f} s +- {:.3f}\n", limit.median, limit.spread());
    for (const Batches& batches : all) {
        const Statistics batch = statistics_of(batches.whole);
        const Statistics on_device = statistics_of(batches.on_device);
        fmt::print(
            "{}: whole batch {:.3f} s +- {:.3f}: {:.0f} % of the decoder's rate; in copies and kernels, all "
            "workers together: {:.3f} s\n",
            batches.devices.size() == 1 ? std::string("one device")
                                        : fmt::format("{} GPUs", batches.devices.size()),
            batch.median, batch.spread(), 100 * limit.median / batch.median, on_device.median);
        figures.add({{"pictures", items.size()},
                     {"workers", workers},
                     {"version", version},
                     {"device", device},
                     {"devices", batches.devices.size()},
                     {"decoding_s", limit},
                     {"batch_s", batch},
                     {"share_of_the_decoder", limit.median / batch.median},
                     {"on_device_s", on_device}});
    }
    return 0;
}

}  // namespace
}  // namespace ws

int main(int argc, char** argv) {
    return ws::bench_main("batch", argc, argv, [](std::vector<std::string>& arguments, ws::Figures& figures) {
        arguments.resize(2);
        return ws::run(arguments[0], arguments[1].empty() ? 16 : std::stoi(arguments[1]), figures);
    });
}

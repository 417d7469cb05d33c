// A batch of pictures against its limit, decoding alone on the same threads: bench_batch 'FOLDER/*.jpg'
// [VERSION] [--json FILE] On the device that is there. Results are not written: encoding is measured by
// warpscope run itself.

#include <fmt/format.h>
#include <glob.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <thread>

#include "bench/figures.h"
#include "gpu/core/statistics.h"
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

int run(const std::string& pattern, int version, Figures& figures) {
    glob_t found{};
    std::vector<BatchItem> items;
    if (glob(pattern.c_str(), 0, nullptr, &found) == 0) {
        for (std::size_t i = 0; i < found.gl_pathc; ++i) items.push_back({found.gl_pathv[i], {}});
    }
    globfree(&found);
    if (items.empty())
        throw UsageError("no file matches", pattern, "usage: bench_batch 'FOLDER/*.jpg' [VERSION]");
    const int workers = std::max(1, int(std::thread::hardware_concurrency()));
    Engine engine(EngineOptions{});
    engine.set_picture(std::make_shared<const RgbaImage>(Extent{64, 64}), "none");
    engine.prepare(with_version(first_work(filters::lab()), version_of(filters::lab(), version)));
    engine.wait_for_kernels();
    std::vector<double> alone, whole, on_device;
    for (int i = 0; i < 5; ++i) {
        alone.push_back(decode_alone(items, workers));
        const BatchResult result = run_batch({{engine.device(), engine.plan()}}, items, workers,
                                             [](const BatchResult&, const std::string&) {});
        if (!result.problems.empty()) throw Error(result.problems.front());
        whole.push_back(result.times.wall);
        on_device.push_back(result.times.device);
    }
    const Statistics limit = statistics_of(alone);
    const Statistics batch = statistics_of(whole);
    fmt::print("{} pictures, {} workers, V{} on {}\n", items.size(), workers, version,
               engine.snapshot().device.name);
    fmt::print(
        "decoding alone {:.3f} s +- {:.3f}; whole batch {:.3f} s +- {:.3f}: {:.0f} % of the decoder's rate\n",
        limit.median, limit.spread(), batch.median, batch.spread(), 100 * limit.median / batch.median);
    fmt::print("in copies and kernels, all workers together: {:.3f} s\n", statistics_of(on_device).median);
    figures.add({{"pictures", items.size()},
                 {"workers", workers},
                 {"version", version},
                 {"device", engine.snapshot().device.name},
                 {"decoding_s", limit},
                 {"batch_s", batch},
                 {"share_of_the_decoder", limit.median / batch.median},
                 {"on_device_s", statistics_of(on_device)}});
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

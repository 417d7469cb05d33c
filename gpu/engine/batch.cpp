#include "gpu/engine/batch.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>

#include "gpu/core/background.h"
#include "gpu/picture/picture_file.h"

namespace ws {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kMostLanes = 6;  // of a device: some copy in, some out, one computes

double seconds_since(Clock::time_point& mark) {
    const Clock::time_point now = Clock::now();
    return std::chrono::duration<double>(now - std::exchange(mark, now)).count();
}

// A few lanes for many workers: a picture takes a lane for a small part of the time that its decoding takes,
// and each lane has memory on the GPU. The lane that has been free longest is taken: of several devices that
// of the one that has least to do.
class LanePool {
  public:
    LanePool(const std::vector<BatchDevice>& devices, int workers) {
        const int count = int(devices.size());
        const int lanes = std::clamp((workers + count - 1) / count, 1, kMostLanes);
        for (int i = 0; i < lanes * count; ++i) {
            const BatchDevice& one = devices[std::size_t(i % count)];
            free_.push_back({one.device.make_lane(one.plan), std::size_t(i % count)});
        }
    }
    // Says which device it was.
    [[nodiscard]] Result<GrayImage> run(const Picture& picture, std::size_t& device) {
        std::unique_lock lock(mutex_);
        returned_.wait(lock, [this] { return !free_.empty(); });
        Lane lane = std::move(free_.front());
        free_.pop_front();
        lock.unlock();
        device = lane.device;
        Result<GrayImage> made = run_on(*lane.lane, picture);
        lock.lock();
        free_.push_back(std::move(lane));
        returned_.notify_one();
        return made;
    }

  private:
    struct Lane {
        std::unique_ptr<PictureLane> lane;
        std::size_t device = 0;
    };
    // A lane that failed comes back all the same, or the others would wait for it for ever.
    static Result<GrayImage> run_on(PictureLane& lane, const Picture& picture) {
        try {
            return lane.run(picture);
        } catch (...) {
            return Result<GrayImage>::failure(caught_message());
        }
    }

    std::mutex mutex_;
    std::condition_variable returned_;
    std::deque<Lane> free_;
};

}  // namespace

BatchResult run_batch(const std::vector<BatchDevice>& devices, const std::vector<BatchItem>& items,
                      int workers, const BatchProgress& progress) {
    BatchResult result;
    result.done_by.resize(devices.size());
    std::mutex mutex;
    std::atomic<std::size_t> next{0};
    LanePool lanes(devices, workers);

    const auto work = [&](int) {
        for (std::size_t i = next++; i < items.size(); i = next++) {
            BatchTimes times;
            std::size_t pixels = 0;
            std::size_t device = 0;
            std::string problem;
            Clock::time_point mark = Clock::now();
            try {
                const auto picture = std::make_shared<const RgbaImage>(read_picture(items[i].from));
                times.reading = seconds_since(mark);
                const Result<GrayImage> made = lanes.run(picture, device);
                times.device = seconds_since(mark);
                if (!made.ok()) throw Error(made.message(), items[i].from.string());
                if (!items[i].to.empty()) write_picture(items[i].to, made.value());
                times.writing = seconds_since(mark);
                pixels = picture->size.pixels();
            } catch (...) {
                problem = caught_message();
            }
            const std::lock_guard lock(mutex);
            result.times.reading += times.reading;
            result.times.device += times.device;
            result.times.writing += times.writing;
            result.pixels += pixels;
            if (problem.empty()) {
                ++result.done;
                ++result.done_by[device];
            } else {
                result.problems.push_back(problem);
            }
            progress(result, problem);
        }
    };
    Clock::time_point start = Clock::now();
    run_on_threads(workers, work);
    result.times.wall = seconds_since(start);
    return result;
}

}  // namespace ws

#pragma once
// The image filters over several GPUs in a session: a strip of the picture on each, timed, drawn and checked.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "gpu/core/device_session.h"
#include "gpu/core/image.h"
#include "gpu/core/outcome.h"
#include "gpu/labs/several_gpus/strips.h"

namespace ws::several_gpus {

// How a strip comes by the rows of its neighbours.
enum class Halos : std::int64_t {
    peer_copy,    // copied from GPU to GPU
    host,         // copied, but peers may not reach each other: by way of the host
    peer_access,  // the kernels read them in the neighbour's memory
    twice         // each strip computes its halo itself, out of more rows of the source
};

// What is computed, and what has to come out.
struct TestPicture {
    RgbaImage source;
    GrayImage defined;
};
// No two neighbours alike, edges everywhere.
[[nodiscard]] std::shared_ptr<const TestPicture> make_test_picture(Extent size);

struct StripWork {
    Extent size;
    int gpus = 1;                                // at most
    bool from_host = false;                      // the picture is copied in and the result out, each time
    std::shared_ptr<const TestPicture> picture;  // null: nothing is checked
};

class StripPipeline {
  public:
    StripPipeline(DeviceSession& session, const StripWork& work);
    [[nodiscard]] int strips() const { return int(parts_.size()); }
    // Lets neighbours reach each other's memory, or forbids it; before what follows. Throws Error where they
    // cannot.
    void prepare(Halos halos);
    // Sends the picture through, over poison: every pixel comes out as it has to.
    [[nodiscard]] bool right(Halos halos);
    // ms from the first command to the last, of all GPUs.
    [[nodiscard]] double sample(Halos halos);
    // Lane i is GPU i; parts: copy in, kernel, copy out, halo.
    void add_bars(Halos halos, Timeline& timeline);

  private:
    // The memory that rows of a stage lie in, from row `first` of the picture on.
    struct Stored {
        MemoryPtr memory;
        int first = 0;
    };
    // Of a stage, from the strip above and from the one below.
    struct HaloRows {
        MemoryPtr above, below;
    };
    // One GPU's.
    struct Part {
        Strip strip;
        Stored source, gray, blurred, result;
        HaloRows of_gray, of_blurred;
    };
    // A command of the timeline, from the time when its queue has come to it.
    struct Bar {
        int gpu = 0, part = 0;
        const char* name = "";
        MarkPtr begin, end;
    };
    struct Bars {
        std::vector<MarkPtr> starts;  // of each GPU
        std::vector<Bar> bars;
    };

    [[nodiscard]] Part make_part(const Strip& strip, int gpu) const;
    [[nodiscard]] SessionQueue& queue(int gpu) { return *queues_[std::size_t(gpu)]; }
    [[nodiscard]] Part& part(int gpu) { return parts_[std::size_t(gpu)]; }
    [[nodiscard]] const SessionMark& marked(int gpu);
    [[nodiscard]] std::size_t row_bytes() const { return std::size_t(work_.size.width); }

    void issue(Halos halos, Bars* bars);
    void fork(Bars* bars);
    void join();
    void load(Halos halos, Bars* bars);
    void gray(Halos halos, Bars* bars);
    // Of blur (the rows of gray) or edge (of the blur): halos first, where they come from others.
    void filter(Halos halos, bool blur, Bars* bars);
    void send_halos(bool blur, Bars* bars);
    void wait_for_neighbours(const std::vector<const SessionMark*>& marks);
    [[nodiscard]] KernelCall filter_call(Halos halos, bool blur, int gpu);
    void store(Bars* bars);
    void command(Bars* bars, int gpu, int part, const char* name, const std::function<void()>& issue);
    [[nodiscard]] double time_between_marks(const std::function<void()>& issue);
    void poison();

    DeviceSession& session_;
    StripWork work_;
    MemoryPtr source_, target_;  // of the host
    std::vector<Part> parts_;
    MarkPtr begin_, end_;
    std::vector<std::vector<MarkPtr>> waits_;  // of each GPU, which others wait for
    std::vector<std::size_t> used_;            // of them, since the sample began
    std::vector<QueuePtr> queues_;             // go first: nothing is on its way when the memory goes
};

}  // namespace ws::several_gpus

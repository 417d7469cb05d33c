#pragma once
// The image filters over several GPUs in a session: a strip of the picture on each, timed, drawn and checked.

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <vector>

#include "gpu/core/device_session.h"
#include "gpu/core/hand_over.h"
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

// How a picture is sent through.
struct Way {
    Halos halos = Halos::peer_copy;
    int threads = 1;  // of the host, at most one for each strip; each commands its share of the GPUs
};

struct StripTime {
    double ms = 0;       // from the first command to the last, of all GPUs
    double host_ms = 0;  // until the host had issued all of them
};

class StripPipeline {
  public:
    StripPipeline(DeviceSession& session, const StripWork& work);
    [[nodiscard]] int strips() const { return int(parts_.size()); }
    // Lets neighbours reach each other's memory, or forbids it; before what follows. Throws Error where they
    // cannot.
    void prepare(Halos halos);
    // Sends the picture through, over poison: every pixel comes out as it has to.
    [[nodiscard]] bool right(const Way& way);
    [[nodiscard]] StripTime sample(const Way& way) { return run(way, nullptr); }
    // Lane i is GPU i; parts: copy in, kernel, copy out, halo.
    void add_bars(const Way& way, Timeline& timeline);

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
    // What other GPUs wait for: a mark in the GPU's queue, and the news for other threads that it is
    // recorded. A mark belongs to the GPU whose queue has recorded it first: each GPU has its own.
    enum Signal : std::size_t { kReady, kBegun, kGrayThere, kBlurThere, kDone, kSignals };
    struct HandedMark {
        MarkPtr mark;
        HandOver recorded;
    };
    using Signals = std::array<HandedMark, kSignals>;
    // A command of the timeline, from the time when its queue has come to it.
    struct Bar {
        int part = 0;
        const char* name = "";
        MarkPtr begin, end;
    };
    // One GPU's.
    struct Bars {
        MarkPtr start;
        std::vector<Bar> bars;
    };
    using AllBars = std::vector<Bars>;  // null where nothing is drawn
    // What is issued to a GPU before any other one gets the next, if one thread commands both.
    using Step = std::function<void(int gpu)>;

    [[nodiscard]] Part make_part(const Strip& strip, int gpu) const;
    [[nodiscard]] SessionQueue& queue(int gpu) { return *queues_[std::size_t(gpu)]; }
    [[nodiscard]] Part& part(int gpu) { return parts_[std::size_t(gpu)]; }
    [[nodiscard]] HandedMark& handed(int gpu, Signal signal) { return signals_[std::size_t(gpu)][signal]; }
    [[nodiscard]] std::size_t row_bytes() const { return std::size_t(work_.size.width); }

    [[nodiscard]] StripTime run(const Way& way, AllBars* bars);
    [[nodiscard]] std::vector<Step> steps(Halos halos, AllBars* bars);
    void raise(int gpu, Signal signal);
    // The host's thread waits until the mark is recorded.
    [[nodiscard]] const SessionMark& there(int gpu, Signal signal);
    void wait(int gpu, int other, Signal signal);

    void fork(int gpu, AllBars* bars);
    void join(int gpu);
    void load(Halos halos, int gpu, AllBars* bars);
    void gray(Halos halos, int gpu, AllBars* bars);
    // For blur (the rows of gray) or edge (of the blur): what neighbours need is on its way.
    void offer_halos(Halos halos, bool blur, int gpu, AllBars* bars);
    void send_halos(bool blur, int gpu, AllBars* bars);
    void filter(Halos halos, bool blur, int gpu, AllBars* bars);
    [[nodiscard]] KernelCall filter_call(Halos halos, bool blur, int gpu);
    void store(int gpu, AllBars* bars);
    void command(AllBars* bars, int gpu, int part, const char* name, const std::function<void()>& issue);
    void poison();

    DeviceSession& session_;
    StripWork work_;
    MemoryPtr source_, target_;  // of the host
    std::vector<Part> parts_;
    MarkPtr end_;
    double begun_ms_ = 0, issued_ms_ = 0;  // by the host's clock
    std::deque<Signals> signals_;          // of each GPU
    std::vector<QueuePtr> queues_;         // go first: nothing is on its way when the memory goes
};

}  // namespace ws::several_gpus

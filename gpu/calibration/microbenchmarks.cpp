#include "gpu/calibration/microbenchmarks.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "gpu/core/error.h"

namespace ws::embedded_microbenchmarks {
std::span<const EmbeddedFile> files();
}

namespace ws {
namespace {

// As the kernels have them.
struct Span {
    std::int64_t begin = 0, end = 0;  // clocks
    std::uint64_t begin_ns = 0, end_ns = 0;
};
constexpr unsigned kWarps = 32;  // of the largest block
constexpr unsigned kSpans = kWarps + 1;
constexpr unsigned kThreads = 32 * kWarps;
constexpr int kLinks = 128;          // of a round of a pipe's chains
constexpr int kSteps = 16;           // of a round of a chase
constexpr int kLoads = 4;            // of a round of requests
constexpr int kBarriers = 64;        // of a round
constexpr int kWords = 8;            // of a thread in a round, of 4 bytes
constexpr int kStreamThreads = 256;  // of a block that has a part of a stream
constexpr int kNodeBytes = 128;
constexpr std::uint64_t kMiB = 1 << 20;

constexpr int kLonger = 3;  // times as many rounds
constexpr int kWarmUpRuns = 1;

// Where the region begins that a kernel works on, and how large it is.
struct Region {
    std::size_t offset = 0;
    std::uint64_t bytes = 0;
};

struct Microbenchmark {
    std::string_view kernel, entry;
    unsigned threads = kThreads;
    bool everywhere =
        false;             // a block for each multiprocessor, by the host's clock; else one block, by its own
    int rounds = 1;        // of the shorter run
    double per_round = 1;  // what is counted, of one multiprocessor
    bool per_clock = false;  // so many a clock, else clocks for each
    std::uint64_t choice = 0;
    std::uint64_t ring_bytes = 0;  // laid before; 0: none
    bool steady = false;           // without begin and end: a longer run less a shorter one
    bool in_blocks = false;        // as steady, but a round is a block of each multiprocessor
    Region region{};
};
struct RateBenchmark {
    GpuRate rate;
    Microbenchmark how;
};

std::uint64_t power_of_two_within(double bytes) {
    std::uint64_t power = 1;
    while (2.0 * double(power) <= bytes) power *= 2;
    return power;
}

// How large what is read and written is: enough for device memory to be what answers, and for L2.
struct Regions {
    std::uint64_t memory = 0;  // all of it
    std::uint64_t l2 = 0;
    std::uint64_t l2_ring = 0;
    std::uint64_t l1_ring = 64 * kNodeBytes;
};
constexpr double kLargestRegion = 4096.0 * kMiB;
Regions regions_of(const GpuProfile& gpu) {
    const double l2 = gpu.l2_kib * 1024.0;
    Regions made;
    made.memory = power_of_two_within(std::min(kLargestRegion, gpu.memory_gib * 1024 * kMiB / 4));
    made.l2 = power_of_two_within(std::min(16.0 * kMiB, l2 / 3));
    made.l2_ring = power_of_two_within(std::min(2.0 * kMiB, l2 / 2));
    return made;
}
constexpr int kLeastTimesL2 = 4;

// Of a pipe: 32 warps with a chain for every link, or one warp with one chain.
Microbenchmark pipe(std::string_view entry, int partitions) {
    return {
        .kernel = "pipes", .entry = entry, .rounds = 32, .per_round = double(kLinks) * kWarps / partitions};
}
Microbenchmark latency(std::string_view entry) {
    return {.kernel = "pipes", .entry = entry, .threads = 32, .rounds = 8, .per_round = kLinks};
}
Microbenchmark chase(std::uint64_t ring_bytes, int rounds, bool warm) {
    const std::uint64_t all = ring_bytes / kNodeBytes / kSteps;
    return {.kernel = "chases",
            .entry = "chase",
            .threads = 32,
            .rounds = rounds,
            .per_round = kSteps,
            .choice = warm ? all : 0,
            .ring_bytes = ring_bytes};
}
Microbenchmark chase(std::string_view entry) {
    return {.kernel = "chases", .entry = entry, .threads = 32, .rounds = 64, .per_round = kSteps};
}
// `parts`: of a round of the block.
Microbenchmark request(std::string_view entry, double parts) {
    return {.kernel = "requests", .entry = entry, .rounds = 16, .per_round = parts};
}
// `each`: what is counted of a word.
Microbenchmark level(std::string_view entry, std::uint64_t bytes, int rounds, double each) {
    return {.kernel = "levels",
            .entry = entry,
            .everywhere = true,
            .rounds = rounds,
            .per_round = double(kThreads) * kWords * each,
            .per_clock = true,
            .choice = bytes / 4 - 1,
            .region = {0, bytes}};
}
Microbenchmark atomics(std::uint64_t words_apart, int rounds, std::string_view entry = "atomics_words") {
    return {.kernel = "levels",
            .entry = entry,
            .everywhere = true,
            .rounds = rounds,
            .per_round = kThreads,
            .per_clock = true,
            .choice = words_apart};
}

std::vector<RateBenchmark> simple_benchmarks(const GpuProfile& gpu, const Regions& region) {
    const int partitions = std::max(1, gpu.limits.partitions);
    constexpr double kBytes = 4, kSector = 1;  // of a word
    const auto memory = [&](std::string_view entry, int rounds, double each) {
        Microbenchmark made = level(entry, region.memory, rounds, each);
        made.steady = true;
        return made;
    };
    const auto stream = [&](std::string_view entry, int rounds, int ways) {
        return Microbenchmark{.kernel = "streams",
                              .entry = entry,
                              .threads = kStreamThreads,
                              .everywhere = true,
                              .rounds = rounds,
                              .per_round = double(ways) * kStreamThreads * kWords * kBytes,
                              .per_clock = true,
                              .choice = region.memory / 4 - 1,
                              .in_blocks = true,
                              .region = {0, region.memory}};
    };
    return {
        {GpuRate::fma, pipe("fma_pipe", partitions)},
        {GpuRate::fma_heavy, pipe("fma_heavy_pipe", partitions)},
        {GpuRate::fp16, pipe("fp16_pipe", partitions)},
        {GpuRate::alu, pipe("alu_pipe", partitions)},
        {GpuRate::fp64, pipe("fp64_pipe", partitions)},
        {GpuRate::xu, pipe("xu_pipe", partitions)},
        {GpuRate::shuffle, pipe("shuffle_pipe", partitions)},
        {GpuRate::special_latency, latency("special_latency")},
        {GpuRate::fp64_latency, latency("fp64_latency")},
        {GpuRate::shuffle_latency, latency("shuffle_latency")},
        {GpuRate::constant_latency, chase("chase_constant")},
        {GpuRate::shared_latency, chase("chase_shared")},
        {GpuRate::l1_latency, chase(region.l1_ring, 64, true)},
        {GpuRate::l2_latency, chase(region.l2_ring, 128, true)},
        {GpuRate::memory_latency, chase(region.memory / 4, 256, false)},
        {GpuRate::l1_line, request("l1_lines", double(kLoads) * kWarps * 32)},
        {GpuRate::shared_wavefront, request("shared_wavefronts", double(kLoads) * kWarps * 32)},
        {GpuRate::shared_atomic, request("shared_atomics", double(kWarps) * 32)},
        {GpuRate::l2_read, level("read_words", region.l2, 64, kBytes)},
        {GpuRate::l2_read_line, level("read_lines", region.l2, 16, kSector)},
        {GpuRate::l2_write, level("write_words", region.l2, 64, kBytes)},
        {GpuRate::l2_write_part, level("write_parts", region.l2, 16, kSector)},
        {GpuRate::l2_write_line, level("write_lines", region.l2, 16, kSector)},
        {GpuRate::atomics_side_by_side, atomics(1, 16)},
        {GpuRate::atomics_apart, atomics(8, 16)},
        {GpuRate::atomics_of_a_word, atomics(0, 8)},
        {GpuRate::float_atomics_of_a_word, atomics(0, 8, "atomics_floats")},
        {GpuRate::memory_read, stream("stream_in", 512, 1)},
        {GpuRate::memory_read_line, memory("read_lines", 8, kSector)},
        {GpuRate::memory_write, stream("stream_out", 512, 1)},
        {GpuRate::memory_write_part, memory("write_parts", 8, kSector)},
        {GpuRate::memory_copy, stream("stream_through", 512, 2)},
    };
}

class Bench {
  public:
    Bench(DeviceSession& session, const GpuProfile& gpu, const MicrobenchmarkOptions& options)
        : session_(session),
          options_(options),
          gpu_(gpu),
          regions_(regions_of(gpu_)),
          queue_(session.queue(0)),
          begin_(session.mark()),
          end_(session.mark()),
          spans_(session.device_memory(0, kSpans * sizeof(Span))),
          read_spans_(session.host_memory(HostMemory::pageable, kSpans * sizeof(Span))) {
        take_memory();
        session_.fill(*queue_, *spans_, 0);
        session_.fill(*queue_, *data_, 0);
    }

    MeasuredRates run() {
        const std::vector<RateBenchmark> simple = simple_benchmarks(gpu_, regions_);
        constexpr int kFurther = 4;
        total_ = int(simple.size()) + kFurther;
        warm_up();
        for (const RateBenchmark& one : simple) {
            if (!go_on()) return made_;
            made_.rates[std::size_t(one.rate)] = measured(one.how);
        }
        if (go_on()) measure_barrier();
        if (go_on() && options_.loop_stalls) measure_branch();
        if (go_on()) measure_blocks();
        if (go_on()) measure_launch();
        made_.complete = !options_.stop.stop_requested();
        made_.clock_mhz = statistics_of(mhz_).median;
        options_.progress(total_, total_);
        return made_;
    }

  private:
    // Less where others hold what there is.
    void take_memory() {
        const double least = kLeastTimesL2 * gpu_.l2_kib * 1024.0;
        for (;; regions_.memory /= 2) {
            try {
                data_ = session_.device_memory(0, regions_.memory);
                return;
            } catch (const Error&) {
                if (double(regions_.memory) / 2 < std::max(least, 1.0)) throw;
            }
        }
    }

    [[nodiscard]] bool go_on() {
        if (options_.stop.stop_requested()) return false;
        options_.progress(done_++, total_);
        return true;
    }

    void launch(KernelCall call, std::uint64_t rounds, std::uint64_t choice, std::size_t offset = 0) {
        call.arguments = {
            {spans_.get(), 0, 0}, {data_.get(), offset, 0}, {nullptr, 0, rounds}, {nullptr, 0, choice}};
        session_.launch(*queue_, call);
    }
    void launch(std::string_view kernel, std::string_view entry, unsigned blocks, unsigned threads,
                std::uint64_t rounds, std::uint64_t choice, std::size_t offset = 0) {
        launch({.kernel = kernel, .entry = entry, .blocks = blocks, .threads = threads, .arguments = {}},
               rounds, choice, offset);
    }
    [[nodiscard]] unsigned multiprocessors() const { return unsigned(std::max(1, gpu_.multiprocessors)); }
    // Blocks of 1024 threads on a multiprocessor.
    [[nodiscard]] unsigned resident() const {
        return unsigned(std::max(1, gpu_.limits.warps_per_multiprocessor / int(kWarps)));
    }
    [[nodiscard]] int rounds_of(int rounds) const {
        return std::max(1, rounds / std::max(1, options_.shorter));
    }

    // Clocks from the first warp's begin to the last one's end, of the block that notes them.
    double noted_clocks(unsigned warps) {
        session_.copy(*queue_, *read_spans_, 0, *spans_, 0, kSpans * sizeof(Span));
        session_.finish(*queue_);
        std::int64_t begin = std::numeric_limits<std::int64_t>::max(), end = 0;
        std::uint64_t begin_ns = std::numeric_limits<std::uint64_t>::max(), end_ns = 0;
        for (unsigned warp = 0; warp < warps; ++warp) {
            Span span;
            std::memcpy(&span, read_spans_->data() + warp * sizeof span, sizeof span);
            begin = std::min(begin, span.begin);
            end = std::max(end, span.end);
            begin_ns = std::min(begin_ns, span.begin_ns);
            end_ns = std::max(end_ns, span.end_ns);
        }
        const double clocks = double(end - begin);
        // A timer that ticks once in a microsecond says nothing of less.
        constexpr double kLeastNs = 100e3;
        mhz_now_ = end_ns - begin_ns > 0 ? clocks * 1e3 / double(end_ns - begin_ns) : 0;
        if (double(end_ns - begin_ns) >= kLeastNs) mhz_.push_back(mhz_now_);
        return clocks;
    }
    [[nodiscard]] double clocks_in(double ms) const {
        if (mhz_now_ <= 0) throw Error("the GPU's timer stands still", gpu_.name);
        return ms * 1e3 * mhz_now_;
    }

    // Blocks of a multiprocessor for so many rounds.
    [[nodiscard]] unsigned blocks_of(const Microbenchmark& how, int rounds) const {
        return how.in_blocks ? unsigned(rounds) : resident();
    }
    double clocks_of(const Microbenchmark& how, int rounds) {
        if (how.everywhere) session_.record(*queue_, *begin_);
        launch(how.kernel, how.entry, how.everywhere ? multiprocessors() * blocks_of(how, rounds) : 1,
               how.threads, std::uint64_t(rounds), how.choice, how.region.offset);
        if (how.everywhere) session_.record(*queue_, *end_);
        // One block of many is over too soon to tell the clock.
        if (how.in_blocks) note_clock();
        const double clocks = noted_clocks(how.in_blocks ? kWarps : how.threads / 32);
        return how.everywhere ? clocks_in(session_.ms_between(*begin_, *end_)) : clocks;
    }
    // That of now, by a launch that is long enough.
    void note_clock() {
        launch("blocks", "busy", multiprocessors(), kThreads, std::uint64_t(rounds_of(1000)), 0);
    }
    TwoLengths two_lengths(const Microbenchmark& how) {
        TwoLengths made;
        made.rounds = rounds_of(how.rounds);
        made.more_rounds = kLonger * made.rounds;
        made.clocks = clocks_of(how, int(made.rounds));
        made.more_clocks = clocks_of(how, int(made.more_rounds));
        return made;
    }
    void lay_ring(std::uint64_t bytes) {
        launch("chases", "lay_ring", multiprocessors(), kThreads, 0, bytes / kNodeBytes);
        // What was written last is in L2; the other half of the memory takes its place.
        const std::uint64_t half = regions_.memory / 2;
        if (bytes > regions_.l2_ring)
            launch("levels", "read_words", multiprocessors(), kThreads,
                   half / (std::uint64_t(multiprocessors()) * kThreads * kWords * 4), half / 4 - 1, half);
    }

    // Clocks of what is counted, once a sample.
    std::vector<double> samples(const Microbenchmark& how) {
        if (how.ring_bytes > 0) lay_ring(how.ring_bytes);
        const auto clocks_of_round = [&] {
            if (!how.everywhere) return two_lengths(how).clocks_of_round();
            if (how.in_blocks) return two_lengths(how).clocks_of_round();
            if (how.steady) return two_lengths(how).clocks_of_round() / resident();
            const int rounds = rounds_of(how.rounds);
            return clocks_of(how, rounds) / rounds / resident();
        };
        for (int i = 0; i < kWarmUpRuns; ++i) (void)clocks_of_round();
        std::vector<double> clocks;
        clocks.reserve(std::size_t(options_.samples));
        for (int i = 0; i < options_.samples; ++i) clocks.push_back(clocks_of_round() / how.per_round);
        return clocks;
    }
    Statistics measured(const Microbenchmark& how) {
        std::vector<double> values = samples(how);
        if (how.per_clock)
            for (double& value : values) value = 1 / value;
        return statistics_of(std::move(values));
    }

    void warm_up() {
        const double begin = session_.host_ms();
        constexpr int kRounds = 20000;
        do {
            launch("blocks", "busy", multiprocessors(), kThreads, std::uint64_t(rounds_of(kRounds)), 0);
            (void)noted_clocks(kWarps);
        } while (session_.host_ms() - begin < options_.warm_up_ms);
    }

    void measure_barrier() {
        Microbenchmark how{
            .kernel = "requests", .entry = "barriers", .threads = 32, .rounds = 8, .per_round = kBarriers};
        const std::vector<double> of_one = samples(how);
        how.threads = kThreads;
        const std::vector<double> of_all = samples(how);
        std::vector<double> after, arrival;
        for (std::size_t i = 0; i < of_one.size(); ++i) {
            const BarrierClocks one = barrier_clocks(of_one[i], of_all[i]);
            after.push_back(one.after_last);
            arrival.push_back(one.arrival);
        }
        made_.rates[std::size_t(GpuRate::barrier)] = statistics_of(std::move(after));
        made_.rates[std::size_t(GpuRate::barrier_arrival)] = statistics_of(std::move(arrival));
    }

    void measure_branch() {
        std::vector<double> rounds =
            samples({.kernel = kLoopKernel, .entry = kLoopEntry, .threads = 32, .rounds = 4096});
        for (double& round : rounds) round -= *options_.loop_stalls;
        made_.rates[std::size_t(GpuRate::taken_branch)] = statistics_of(std::move(rounds));
    }

    // Many more blocks than there is room for: as fast as they are given out; and one at a time, each with
    // all the shared memory, whose place the next one takes.
    void measure_blocks() {
        made_.rates[std::size_t(GpuRate::block)] = of_blocks(2048, 128, 0);
        made_.rates[std::size_t(GpuRate::block_turn)] =
            of_blocks(200, 32, std::size_t(std::max(0, gpu_.limits.shared_bytes_opt_in)));
    }
    [[nodiscard]] Statistics of_blocks(int of_multiprocessor, unsigned threads, std::size_t shared_bytes) {
        const auto clocks = [&](int blocks) {
            session_.record(*queue_, *begin_);
            launch({.kernel = "blocks",
                    .entry = "nothing",
                    .blocks = unsigned(blocks) * multiprocessors(),
                    .threads = threads,
                    .arguments = {},
                    .shared_bytes = shared_bytes},
                   0, 0);
            session_.record(*queue_, *end_);
            session_.finish(*queue_);
            return clocks_in(session_.ms_between(*begin_, *end_));
        };
        const int blocks = rounds_of(of_multiprocessor);
        std::vector<double> each;
        for (int i = 0; i < options_.samples + kWarmUpRuns; ++i) {
            note_clock();
            (void)noted_clocks(kWarps);
            TwoLengths two{double(blocks), 0, double(kLonger * blocks), 0};
            two.clocks = clocks(blocks);
            two.more_clocks = clocks(kLonger * blocks);
            if (i >= kWarmUpRuns) each.push_back(two.clocks_of_round());
        }
        return statistics_of(std::move(each));
    }

    // What a launch takes beyond the time that its blocks work, of a block for each multiprocessor: of two
    // lengths of work, what remains at none. The queue is filled while a long kernel runs, so that the host's
    // own time does not count.
    void measure_launch() {
        const auto ms = [&](int launches, int rounds) {
            constexpr int kRounds = 20000;  // about five milliseconds
            launch("blocks", "busy", 1, 32, std::uint64_t(rounds_of(kRounds)), 0);
            session_.record(*queue_, *begin_);
            for (int i = 0; i < launches; ++i)
                launch("blocks", "busy", multiprocessors(), 256, std::uint64_t(rounds), 0);
            session_.record(*queue_, *end_);
            session_.finish(*queue_);
            return session_.ms_between(*begin_, *end_);
        };
        const int launches = std::max(2, rounds_of(100));
        const auto us_of = [&](int rounds) {
            const double fewer = ms(launches, rounds), more = ms(kLonger * launches, rounds);
            return (more - fewer) * 1e3 / ((kLonger - 1) * launches);
        };
        const int rounds = rounds_of(20);  // about five microseconds
        std::vector<double> us;
        for (int i = 0; i < options_.samples + kWarmUpRuns; ++i) {
            const double small = us_of(rounds), large = us_of(kLonger * rounds);
            if (i >= kWarmUpRuns) us.push_back((kLonger * small - large) / (kLonger - 1));
        }
        made_.rates[std::size_t(GpuRate::launch)] = statistics_of(std::move(us));
    }

    DeviceSession& session_;
    const MicrobenchmarkOptions& options_;
    const GpuProfile& gpu_;
    Regions regions_;
    QueuePtr queue_;
    MarkPtr begin_, end_;
    MemoryPtr spans_, read_spans_, data_;
    std::vector<double> mhz_;
    double mhz_now_ = 0;  // of the last launch that noted its time
    MeasuredRates made_;
    int done_ = 0, total_ = 0;
};

}  // namespace

std::span<const EmbeddedFile> microbenchmark_files() {
    return embedded_microbenchmarks::files();
}

BarrierClocks barrier_clocks(double of_one_warp, double of_32_warps) {
    BarrierClocks made;
    made.arrival = (of_32_warps - of_one_warp) / (kWarps - 1);
    made.after_last = of_one_warp - made.arrival;
    return made;
}

std::optional<double> stalls_of_loop(const MachineCode& code) {
    std::optional<double> stalls;
    for (std::size_t end = 0; end < code.instructions.size(); ++end) {
        const MachineInstruction& branch = code.instructions[end];
        // What stands behind a kernel's end branches to itself.
        const bool back =
            branch.kind == MachineKind::branch && branch.target >= 0 && branch.target < branch.address;
        if (!back) continue;
        if (stalls) return std::nullopt;
        stalls = 0;
        for (std::size_t i = std::size_t(branch.target / kMachineInstructionBytes); i <= end; ++i)
            *stalls += std::max(1, code.instructions[i].control.stall);
    }
    return stalls;
}

MeasuredRates run_microbenchmarks(DeviceSession& session, const GpuProfile& gpu,
                                  const MicrobenchmarkOptions& options) {
    if (gpu.l2_kib <= 0 || gpu.memory_gib <= 0)
        throw Error("the driver does not say how large L2 and device memory are", gpu.name);
    return Bench(session, gpu, options).run();
}

}  // namespace ws

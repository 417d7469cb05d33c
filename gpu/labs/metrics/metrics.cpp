#include "gpu/labs/metrics/metrics.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "gpu/core/peak.h"
#include "gpu/core/statistics.h"
#include "gpu/labs/lectures.h"
#include "gpu/labs/under_roof.h"

namespace ws::metrics {
namespace {

// Places in the experiment's list.
enum ControlPlace : std::size_t { kBytes, kSamples };

Control bytes_control() {
    return {"size", "bytes of a copy", BytesControl{1 << 10, 1 << 28}, 1 << 26, true};
}

// The lecture's example, as far as its formulas ask.
GpuProfile lecture_gpu() {
    GpuProfile gpu;
    gpu.name = "GTX 280";
    gpu.limits.capability = {1, 3};
    gpu.multiprocessors = 30;
    gpu.clock_mhz = 1296;
    gpu.memory_clock_mhz = 1107;
    gpu.bus_width_bits = 512;
    return gpu;
}

std::vector<GpuProfile> gpus_of(const Task& task) {
    std::vector<GpuProfile> list{task.session.facts().devices.front().gpu};
    if (list.front().name != lecture_gpu().name) list.push_back(lecture_gpu());
    return list;
}

TableCell figure(double value) {
    if (value <= 0) return Message("–");
    return TableFigure{value, Kind::calculated};
}

// The formulas, filled in.
void add_peaks(const Task& task, Outcome& outcome) {
    constexpr double kTera = 1e-3;  // of 10^9
    ResultTable bytes{
        message("theoretical bandwidth"),
        {{message("GPU"), ""}, {message("memory clock x 2 x bus"), ""}, {message("peak"), "GB/s"}},
        {}};
    ResultTable operations{message("theoretical FLOPS"),
                           {{message("GPU"), ""},
                            {message("lanes x 2 x clock"), ""},
                            {message("peak"), "TFLOP/s"},
                            {message("per byte"), "FLOP"}},
                           {}};
    for (const GpuProfile& gpu : gpus_of(task)) {
        const double rate = peak_bandwidth_gb_s(gpu);
        const double flops = peak_gflop_s(gpu);
        bytes.rows.push_back({Message(gpu.name),
                              message("{} MHz x {} x {} bit / 8", gpu.memory_clock_mhz, kTransfersPerClock,
                                      gpu.bus_width_bits),
                              figure(rate)});
        operations.rows.push_back(
            {Message(gpu.name),
             message("{} x {} x {} x {} MHz", gpu.multiprocessors, fp32_lanes(gpu.limits.capability),
                     kOperationsPerLane, gpu.clock_mhz),
             figure(flops * kTera), figure(rate > 0 ? flops / rate : 0)});
    }
    outcome.tables.push_back(std::move(bytes));
    outcome.tables.push_back(std::move(operations));
}

// One copy within the GPU's memory by three clocks, ms.
struct Clocks {
    Statistics calls;   // the host's, without waiting: how long the calls took
    Statistics waited;  // the host's, behind a synchronisation
    Statistics events;  // the GPU's
};

class Copy {
  public:
    Copy(DeviceSession& session, std::size_t bytes)
        : session_(session),
          bytes_(bytes),
          from_(session.device_memory(0, bytes)),
          to_(session.device_memory(0, bytes)),
          queue_(session.queue(0)),
          begin_(session.mark()),
          end_(session.mark()) {
        (void)sample();  // the first one wakes the GPU
    }
    [[nodiscard]] Clocks clocks(int samples) {
        std::vector<double> calls;
        std::vector<double> waited;
        std::vector<double> events;
        for (int i = 0; i < samples; ++i) {
            const Sample one = sample();
            calls.push_back(one.calls);
            waited.push_back(one.waited);
            events.push_back(one.events);
        }
        return {statistics_of(std::move(calls)), statistics_of(std::move(waited)),
                statistics_of(std::move(events))};
    }

  private:
    struct Sample {
        double calls = 0, waited = 0, events = 0;
    };
    Sample sample() {
        session_.finish(*queue_);
        const double start = session_.host_ms();
        session_.record(*queue_, *begin_);
        session_.copy(*queue_, *to_, 0, *from_, 0, bytes_);
        session_.record(*queue_, *end_);
        const double called = session_.host_ms();
        session_.finish(*queue_);
        const double finished = session_.host_ms();
        return {called - start, finished - start, session_.ms_between(*begin_, *end_)};
    }

    DeviceSession& session_;
    std::size_t bytes_;
    MemoryPtr from_, to_;
    QueuePtr queue_;
    MarkPtr begin_, end_;
};

// Each byte is read and written.
double rate_of(std::int64_t bytes, double ms) {
    constexpr double kPerMillisecond = 1e6;  // bytes a ms that are a GB/s
    return ms > 0 ? 2 * double(bytes) / ms / kPerMillisecond : 0;
}

void add_row(const Task& task, const Statistics& ms, Message name, bool tells_the_copy, ResultTable& table) {
    const Kind kind = task.session.facts().kind;
    std::vector<TableCell> row{std::move(name), TableFigure{ms.median, kind, ms.spread(), ms.samples}};
    const double rate = rate_of(task.values.at(kBytes), ms.median);
    const double peak = peak_bandwidth_gb_s(task.session.facts().devices.front().gpu);
    if (tells_the_copy && rate > 0) {
        row.emplace_back(TableFigure{rate, kind, 0, ms.samples});
        row.push_back(share_cell({rate, kind, 0, ms.samples}, peak));
    } else {
        row.insert(row.end(), {TableCell(message("none")), TableCell(Message("–"))});
    }
    table.rows.push_back(std::move(row));
}

Clocks add_clocks(const Task& task, Outcome& outcome) {
    const std::int64_t bytes = task.values.at(kBytes);
    const Clocks clocks = Copy(task.session, std::size_t(bytes)).clocks(int(task.values.at(kSamples)));
    ResultTable table{message("a copy of {}", bytes_text(bytes)),
                      {{message("clock"), ""},
                       {message("time"), "ms"},
                       {message("rate"), "GB/s"},
                       {message("of theoretical"), "%"}},
                      {}};
    add_row(task, clocks.calls, message("host, not waiting"), false, table);
    add_row(task, clocks.waited, message("host, waiting"), true, table);
    add_row(task, clocks.events, message("events"), true, table);
    outcome.tables.push_back(std::move(table));
    return clocks;
}

// By both clocks that tell the copy, over its size.
void add_plot(const Task& task, Outcome& outcome) {
    const Kind kind = outcome.kind;
    ResultPlot plot{message("effective bandwidth"),
                    {message("bytes of a copy"), "bytes", true},
                    {message("rate"), "GB/s", false},
                    {}};
    PlotSeries waited{message("host, waiting"), kind, {}, false};
    PlotSeries events{message("events"), kind, {}, false};
    const std::vector<std::int64_t> sizes = places_of(bytes_control());
    const int total = int(sizes.size());
    int done = 0;
    for (const std::int64_t bytes : sizes) {
        if (task.stop.stop_requested()) return;
        task.progress(done++, total);
        const Clocks clocks = Copy(task.session, std::size_t(bytes)).clocks(int(task.values.at(kSamples)));
        waited.points.push_back({double(bytes), rate_of(bytes, clocks.waited.median), 0});
        events.points.push_back({double(bytes), rate_of(bytes, clocks.events.median), 0});
    }
    task.progress(total, total);
    plot.series = {std::move(waited), std::move(events)};
    const double peak = peak_bandwidth_gb_s(task.session.facts().devices.front().gpu);
    if (peak > 0)
        plot.series.push_back({message("theoretical"),
                               Kind::calculated,
                               {{double(sizes.front()), peak, 0}, {double(sizes.back()), peak, 0}},
                               true});
    outcome.plots.push_back(std::move(plot));
}

void summarise(const Task& task, const Clocks& clocks, Outcome& outcome) {
    const GpuProfile& gpu = task.session.facts().devices.front().gpu;
    const double peak = peak_bandwidth_gb_s(gpu);
    const double rate = rate_of(task.values.at(kBytes), clocks.events.median);
    outcome.headline =
        peak > 0 ? message("{} of {} GB/s", fmt::format("{:.0f}", rate), fmt::format("{:.0f}", peak))
                 : message("{} GB/s", fmt::format("{:.0f}", rate));
    outcome.sentences = {message("Host clock: calls {} µs, the copy {} µs; events: {} µs.",
                                 fmt::format("{:.1f}", 1e3 * clocks.calls.median),
                                 fmt::format("{:.1f}", 1e3 * clocks.waited.median),
                                 fmt::format("{:.1f}", 1e3 * clocks.events.median))};
    outcome.notes.push_back(
        message("the host that does not wait tells how long the calls took, and nothing of the copy"));
    outcome.notes.push_back(
        message("a copy that fits the L2 cache can be faster than device memory; each byte is read and "
                "written, so its rate counts it twice"));
    if (outcome.kind == Kind::estimated)
        outcome.notes.push_back(message("estimated by a model of the copy and of the calls"));
}

Outcome run(const Task& task) {
    const SessionFacts& facts = task.session.facts();
    Outcome outcome;
    outcome.gpu = facts.devices.front().gpu.name;
    outcome.kind = facts.kind;
    const Clocks clocks = add_clocks(task, outcome);
    add_peaks(task, outcome);
    if (task.axis == int(kBytes)) add_plot(task, outcome);
    summarise(task, clocks, outcome);
    outcome.complete = !task.stop.stop_requested();
    return outcome;
}

Experiment make() {
    Experiment made;
    made.id = "metrics";
    made.title = "metrics: peak and effective";
    made.question = "How fast could this GPU be, and which clock tells how fast it was?";
    made.controls = {bytes_control(), {"samples", "samples", NumberControl{3, 100}, 9}};
    made.figures = {{"bandwidth of a GTX 280", 141.6, "GB/s", kEfficientProgramming},
                    kGoodBandwidth[0],
                    kGoodBandwidth[1]};
    made.run = run;
    return made;
}

}  // namespace

const Experiment& experiment() {
    static const Experiment kExperiment = make();
    return kExperiment;
}

}  // namespace ws::metrics

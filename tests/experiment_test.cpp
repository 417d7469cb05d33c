// Experiments on modelled GPUs: each is walked with all GPUs of the table, its figures checked against what
// physics allows, its controls against their bounds, and its behaviour where a session refuses, loses bytes
// or is stopped.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <set>
#include <string>
#include <vector>

#include "gpu/analysis/estimate.h"
#include "gpu/analysis/model_session.h"
#include "gpu/analysis/profiles.h"
#include "gpu/core/error.h"
#include "gpu/core/experiment.h"
#include "gpu/core/peak.h"
#include "gpu/labs/amdahl/amdahl.h"
#include "gpu/labs/labs.h"
#include "tests/made_figures.h"

namespace ws {
namespace {

// ---- a session of the tests: bytes are moved, and faults are put in

struct Faults {
    std::size_t most_pinned = ~std::size_t(0);  // bytes of pinned memory that there are
    bool no_peers = false;
    std::size_t lost_byte = ~std::size_t(0);  // of every copy, from its start
    int commands_until_stop = -1;             // then `stop` is requested
    std::stop_source stop;
};

class HeldMemory final : public SessionMemory {
  public:
    HeldMemory(MemoryPtr modelled, bool of_host, int& living)
        : modelled_(std::move(modelled)), bytes(modelled_->size(), 0x11), of_host_(of_host), living_(living) {
        ++living_;
    }
    ~HeldMemory() override { --living_; }
    HeldMemory(const HeldMemory&) = delete;
    HeldMemory& operator=(const HeldMemory&) = delete;
    [[nodiscard]] std::size_t size() const override { return bytes.size(); }
    [[nodiscard]] std::uint8_t* data() const override { return of_host_ ? held() : nullptr; }
    [[nodiscard]] std::uint8_t* held() const { return const_cast<std::uint8_t*>(bytes.data()); }
    [[nodiscard]] SessionMemory& modelled() const { return *modelled_; }

  private:
    MemoryPtr modelled_;

  public:
    std::vector<std::uint8_t> bytes;

  private:
    bool of_host_;
    int& living_;
};

HeldMemory& held(SessionMemory& memory) {
    return static_cast<HeldMemory&>(memory);
}
const HeldMemory& held(const SessionMemory& memory) {
    return static_cast<const HeldMemory&>(memory);
}

class ByteSession final : public DeviceSession {
  public:
    ByteSession(std::unique_ptr<DeviceSession> model, Faults& faults)
        : model_(std::move(model)), faults_(faults), facts_(model_->facts()) {
        facts_.kind = Kind::measured;
        facts_.moves_bytes = true;
    }
    ~ByteSession() override { EXPECT_EQ(living_, 0) << "memory outlives its session"; }
    [[nodiscard]] const SessionFacts& facts() const override { return facts_; }
    [[nodiscard]] double host_ms() override { return model_->host_ms(); }
    [[nodiscard]] MemoryPtr host_memory(HostMemory kind, std::size_t bytes) override {
        if (kind == HostMemory::pinned && bytes > faults_.most_pinned)
            throw Error("cudaErrorMemoryAllocation (out of memory)", "pinned memory", "choose fewer bytes");
        return std::make_unique<HeldMemory>(model_->host_memory(kind, bytes), true, living_);
    }
    [[nodiscard]] MemoryPtr device_memory(int device, std::size_t bytes) override {
        return std::make_unique<HeldMemory>(model_->device_memory(device, bytes), false, living_);
    }
    [[nodiscard]] QueuePtr queue(int device) override { return model_->queue(device); }
    [[nodiscard]] MarkPtr mark() override { return model_->mark(); }
    void copy(SessionQueue& queue, SessionMemory& to, std::size_t to_offset, const SessionMemory& from,
              std::size_t from_offset, std::size_t bytes) override {
        count_command();
        ASSERT_LE(to_offset + bytes, to.size());
        ASSERT_LE(from_offset + bytes, from.size());
        move(held(to).held() + to_offset, held(from).held() + from_offset, bytes);
        model_->copy(queue, held(to).modelled(), to_offset, held(from).modelled(), from_offset, bytes);
    }
    void fill(SessionQueue& queue, SessionMemory& memory, std::uint8_t value) override {
        std::memset(held(memory).held(), value, memory.size());
        model_->fill(queue, held(memory).modelled(), value);
    }
    void prefetch(SessionQueue& queue, SessionMemory& memory, int to, std::size_t bytes) override {
        count_command();
        model_->prefetch(queue, held(memory).modelled(), to, bytes);
    }
    // The one kernel that there is: words from the first to the second memory.
    void launch(SessionQueue& queue, const KernelCall& call) override {
        count_command();
        ASSERT_EQ(call.kernel, "carry");
        ASSERT_EQ(call.arguments.size(), 3u);
        const auto& from = held(*call.arguments[0].memory);
        const auto& to = held(*call.arguments[1].memory);
        move(to.held(), from.held(), std::size_t(call.arguments[2].bits));
        KernelCall modelled = call;
        modelled.arguments.clear();
        model_->launch(queue, modelled);
    }
    void record(SessionQueue& queue, SessionMark& mark) override { model_->record(queue, mark); }
    void wait(SessionQueue& queue, const SessionMark& mark) override { model_->wait(queue, mark); }
    void finish(SessionQueue& queue) override { model_->finish(queue); }
    [[nodiscard]] double ms_between(const SessionMark& begin, const SessionMark& end) override {
        return model_->ms_between(begin, end);
    }
    [[nodiscard]] Link peer_link(int device, int peer) override {
        return faults_.no_peers ? Link{} : model_->peer_link(device, peer);
    }
    void allow_peers(int device, int peer, bool allow) override {
        if (allow && faults_.no_peers)
            throw Error("GPU 0 and GPU 1 do not reach each other's memory", "",
                        "copies between them go through the host");
        model_->allow_peers(device, peer, allow);
    }

  private:
    void move(std::uint8_t* to, const std::uint8_t* from, std::size_t bytes) const {
        const std::size_t lost = faults_.lost_byte;
        if (lost >= bytes) {
            std::memmove(to, from, bytes);
            return;
        }
        std::memmove(to, from, lost);
        std::memmove(to + lost + 1, from + lost + 1, bytes - lost - 1);
    }
    void count_command() {
        if (faults_.commands_until_stop > 0 && --faults_.commands_until_stop == 0)
            faults_.stop.request_stop();
    }

    std::unique_ptr<DeviceSession> model_;
    Faults& faults_;
    SessionFacts facts_;
    int living_ = 0;
};

const GpuProfile& gpu_named(const std::string& name) {
    static const GpuTable table;
    return table.named(name);
}

// Small, so that bytes can be moved.
ControlValues small_values(const Experiment& experiment) {
    ControlValues values = first_values(experiment);
    for (std::size_t i = 0; i < values.size(); ++i) {
        const Control& control = experiment.controls[i];
        if (std::holds_alternative<BytesControl>(control.takes)) values[i] = fitted(control, 10007);
        if (std::holds_alternative<NumberControl>(control.takes)) values[i] = low_of(control);
    }
    return values;
}

Outcome run_faulty(const Experiment& experiment, Faults& faults, const std::string& direction,
                   int devices = 2) {
    ByteSession session(make_model_session(gpu_named("H200"), devices), faults);
    ControlValues values = small_values(experiment);
    const int place = control_named(experiment, "direction");
    values[std::size_t(place)] = value_of(experiment.controls[std::size_t(place)], direction);
    return experiment.run({.session = session, .values = values, .stop = faults.stop.get_token()});
}

const Experiment& transfers() {
    return *experiment_named("transfers");
}

// Rows whose second cell says the way, as "way: last cell".
std::vector<std::string> last_cells(const Outcome& outcome) {
    std::vector<std::string> cells;
    for (const auto& row : outcome.tables.front().rows)
        cells.push_back(english(std::get<Message>(row[1])) + ": " + english(std::get<Message>(row.back())));
    return cells;
}

// ---- all experiments

// The first control that can be swept over; -1: there is none.
int axis_of(const Experiment& experiment) {
    for (std::size_t i = 0; i < experiment.controls.size(); ++i) {
        if (experiment.controls[i].axis) return int(i);
    }
    return -1;
}

// What it found out, in figures.
std::size_t figures_in(const Outcome& outcome) {
    std::size_t figures = 0;
    for (const ResultPlot& plot : outcome.plots) {
        for (const PlotSeries& series : plot.series) figures += series.points.size();
    }
    for (const ResultTable& table : outcome.tables) figures += table.rows.size();
    return figures;
}

class Experiments : public ::testing::TestWithParam<const Experiment*> {
  protected:
    const Experiment& experiment_ = *GetParam();
    MadeFigures versions_;
};

TEST_P(Experiments, HaveNamesAndControlsWithBounds) {
    EXPECT_FALSE(experiment_.id.empty());
    EXPECT_FALSE(experiment_.title.empty());
    EXPECT_FALSE(experiment_.question.empty());
    EXPECT_EQ(experiment_named(experiment_.id), &experiment_);
    EXPECT_THROW((void)lab_named(experiment_.id), UsageError) << "it is no lab of kernels";
    std::set<std::string_view> names;
    for (std::size_t i = 0; i < experiment_.controls.size(); ++i) {
        const Control& control = experiment_.controls[i];
        EXPECT_FALSE(control.title.empty());
        EXPECT_TRUE(names.insert(control.name).second) << control.name << " is there twice";
        EXPECT_EQ(control_named(experiment_, control.name), int(i));
        EXPECT_EQ(fitted(control, control.first), control.first);
        EXPECT_EQ(fitted(control, low_of(control) - 1), low_of(control));
        EXPECT_EQ(fitted(control, high_of(control) + 1), high_of(control));
        EXPECT_LT(low_of(control), high_of(control));
        for (const std::int64_t value : places_of(control))
            EXPECT_EQ(value_of(control, text_of(control, value)), value) << control.name;
        // Steps go through all of them, both ways, and stay at the ends.
        const std::vector<std::int64_t> places = places_of(control);
        for (std::size_t k = 0; k < places.size(); ++k) {
            EXPECT_EQ(stepped(control, places[k], 1), places[std::min(k + 1, places.size() - 1)])
                << control.name;
            EXPECT_EQ(stepped(control, places[k], -1), places[k - std::min<std::size_t>(k, 1)])
                << control.name;
        }
        for (const char* text : {"", "no such", "-1", "99999999999999999999", "1e3", "0x10"})
            EXPECT_THROW((void)value_of(control, text), UsageError) << control.name << " takes " << text;
    }
    EXPECT_EQ(control_named(experiment_, "no such"), -1);
}

void expect_sound(const ResultPlot& plot, const std::string& where) {
    double limit = 0;
    for (const PlotSeries& series : plot.series) {
        if (series.limit) {
            EXPECT_EQ(series.kind, Kind::calculated);
            for (const PlotPoint& point : series.points) limit = point.y;
        }
    }
    EXPECT_GT(limit, 0) << where;
    for (const PlotSeries& series : plot.series) {
        double last_x = 0;
        double last_time = 0;
        for (const PlotPoint& point : series.points) {
            const std::string at = where + ", " + english(series.name) + " at " + std::to_string(point.x);
            EXPECT_TRUE(std::isfinite(point.x) && std::isfinite(point.y) && std::isfinite(point.spread))
                << at;
            EXPECT_GT(point.x, last_x) << at;
            EXPECT_GT(point.y, 0) << at;
            EXPECT_LE(point.y, limit) << at;
            const double time = point.x / point.y;
            EXPECT_GE(time, last_time) << at << ": more bytes take longer";
            last_x = point.x;
            last_time = time;
        }
    }
}

TEST_P(Experiments, KeepToWhatPhysicsAllowsOnEveryGpu) {
    const GpuTable table;
    for (const GpuProfile& gpu : table.gpus()) {
        for (std::size_t axis = 0; axis < experiment_.controls.size(); ++axis) {
            if (!experiment_.controls[axis].axis) continue;
            const std::unique_ptr<DeviceSession> session = make_model_session(gpu, 2);
            const Outcome outcome = experiment_.run(
                {.session = *session, .values = first_values(experiment_), .axis = int(axis)});
            EXPECT_EQ(outcome.gpu, gpu.name);
            EXPECT_TRUE(outcome.kind == Kind::estimated || outcome.kind == Kind::calculated);
            EXPECT_TRUE(outcome.complete);
            EXPECT_FALSE(outcome.wrong);
            EXPECT_FALSE(outcome.headline.empty());
            EXPECT_FALSE(outcome.plots.empty());
            for (const ResultPlot& plot : outcome.plots)
                expect_sound(plot, gpu.name + ", " + english(plot.title));
            for (const ResultTable& tabled : outcome.tables) {
                for (const auto& row : tabled.rows) EXPECT_EQ(row.size(), tabled.columns.size());
            }
            for (const Timeline& timeline : outcome.timelines) {
                for (const TimelineBar& bar : timeline.bars) {
                    EXPECT_LT(std::size_t(bar.lane), timeline.lanes.size());
                    EXPECT_GE(bar.begin_ms, 0);
                    EXPECT_GT(bar.end_ms, bar.begin_ms);
                }
            }
        }
    }
}

TEST_P(Experiments, RunWithEveryValueOfEachControl) {
    for (std::size_t i = 0; i < experiment_.controls.size(); ++i) {
        for (const std::int64_t value : places_of(experiment_.controls[i])) {
            const std::unique_ptr<DeviceSession> session = make_model_session(gpu_named("H200"), 2);
            ControlValues values = first_values(experiment_);
            values[i] = value;
            const Outcome outcome =
                experiment_.run({.session = *session, .values = values, .versions = &versions_});
            EXPECT_FALSE(outcome.headline.empty()) << experiment_.controls[i].name << " " << value;
            EXPECT_TRUE(outcome.plots.empty() || axis_of(experiment_) < 0) << "nothing is swept over";
        }
    }
}

TEST_P(Experiments, EndWhereTheyAreStopped) {
    const std::unique_ptr<DeviceSession> session = make_model_session(gpu_named("H200"), 2);
    std::stop_source stop;
    int last = 0;
    int total = 0;
    const int axis = axis_of(experiment_);
    const auto progress = [&](int done, int all) {
        EXPECT_GE(done, last);
        EXPECT_LE(done, all);
        last = done;
        total = all;
        if (done == 3) stop.request_stop();
    };
    const Outcome outcome = experiment_.run({.session = *session,
                                             .values = first_values(experiment_),
                                             .axis = axis,
                                             .stop = stop.get_token(),
                                             .progress = progress,
                                             .versions = &versions_});
    EXPECT_FALSE(outcome.complete);
    EXPECT_GT(total, 3);
    // The same without a stop finds out more.
    const Outcome whole = experiment_.run(
        {.session = *session, .values = first_values(experiment_), .axis = axis, .versions = &versions_});
    EXPECT_GT(figures_in(whole), figures_in(outcome));
}

INSTANTIATE_TEST_SUITE_P(All, Experiments, ::testing::ValuesIn(experiments().begin(), experiments().end()),
                         [](const auto& test) { return std::string(test.param->id); });

// ---- metrics

// Doubles of a table by row and column.
double cell(const ResultTable& table, std::size_t row, std::size_t column) {
    return std::get<TableFigure>(table.rows.at(row).at(column)).value;
}

Outcome run_metrics(const std::string& gpu) {
    const Experiment& metrics = *experiment_named("metrics");
    const std::unique_ptr<DeviceSession> session = make_model_session(gpu_named(gpu), 1);
    return metrics.run({.session = *session, .values = first_values(metrics)});
}

TEST(Metrics, PeaksAreTheLecturesAndTheTables) {
    const GpuTable table;
    for (const GpuProfile& gpu : table.gpus()) {
        EXPECT_NEAR(peak_bandwidth_gb_s(gpu), gpu.bandwidth_gb_s, 0.001 * gpu.bandwidth_gb_s) << gpu.name;
        EXPECT_EQ(fp32_lanes(gpu.limits.capability), throughput_of(gpu.limits.capability).fma) << gpu.name;
    }
    // 1.107 GHz x 2 x 512 / 8: the lecture cuts what it has to round.
    EXPECT_NEAR(peak_bandwidth_gb_s(table.named("GTX 280")), 141.6, 0.1);
    EXPECT_EQ(peak_bandwidth_gb_s({}), 0);
    EXPECT_EQ(peak_gflop_s({}), 0);
    const Outcome outcome = run_metrics("H200");
    EXPECT_NEAR(cell(outcome.tables.at(1), 0, 2), 4916.7, 0.1);
    EXPECT_NEAR(cell(outcome.tables.at(1), 1, 2), 141.6, 0.1) << "the lecture's GPU beside it";
    EXPECT_NEAR(cell(outcome.tables.at(2), 0, 2), 132 * 128 * 2 * 1.98e-3, 1e-4);
    EXPECT_EQ(run_metrics("GTX 280").tables.at(1).rows.size(), 1u);
}

TEST(Metrics, AClockThatDoesNotWaitTellsNoRate) {
    for (const char* gpu : {"GTX 280", "RTX 3060", "H200"}) {
        const Outcome outcome = run_metrics(gpu);
        const ResultTable& clocks = outcome.tables.front();
        EXPECT_FALSE(std::holds_alternative<TableFigure>(clocks.rows.at(0).at(2)));
        EXPECT_LT(cell(clocks, 0, 1), cell(clocks, 2, 1)) << "the calls come back before the copy is done";
        EXPECT_GE(cell(clocks, 1, 1), cell(clocks, 2, 1)) << "the host waits for all of it";
        // Each byte is read and written.
        EXPECT_NEAR(cell(clocks, 2, 2), 2 * double(1 << 26) / cell(clocks, 2, 1) / 1e6, 1e-6);
        EXPECT_LE(cell(clocks, 2, 3), 100);
    }
}

// ---- Amdahl

TEST(Amdahl, IsTheLaw) {
    EXPECT_DOUBLE_EQ(amdahl::speedup(0, 1000), 1);
    EXPECT_DOUBLE_EQ(amdahl::speedup(1, 1000), 1000);
    EXPECT_DOUBLE_EQ(amdahl::speedup(0.5, 2), 4.0 / 3);
    EXPECT_NEAR(amdahl::speedup(0.95, 1e9), 20, 1e-6);
    const Experiment& law = amdahl::experiment();
    const std::unique_ptr<DeviceSession> session = make_model_session(gpu_named("H200"), 1);
    for (const std::int64_t share : {0, 1, 50, 75, 99, 100}) {
        for (const std::int64_t processors : {1, 3, 65536}) {
            const Outcome outcome = law.run({.session = *session, .values = {share, processors}, .axis = 1});
            EXPECT_NEAR(cell(outcome.tables.front(), 0, 2),
                        amdahl::speedup(double(share) / 100, double(processors)), 1e-9);
            ASSERT_EQ(outcome.plots.size(), 1u);
            const ResultPlot& plot = outcome.plots.front();
            EXPECT_EQ(std::count_if(plot.series.begin(), plot.series.end(),
                                    [](const PlotSeries& series) { return series.limit; }),
                      share < 100 ? 1 : 0);
            EXPECT_EQ(plot.series.front().points.size(), 17u);
            std::set<std::string> names;
            for (const PlotSeries& series : plot.series)
                EXPECT_TRUE(names.insert(english(series.name)).second) << english(series.name);
        }
    }
}

// ---- transfers

TEST(Transfers, CheckThatAllBytesArrive) {
    for (const char* direction : {"up", "down", "both", "peer"}) {
        Faults faults;
        const Outcome outcome = run_faulty(transfers(), faults, direction);
        EXPECT_FALSE(outcome.wrong) << direction;
        for (const std::string& cell : last_cells(outcome))
            EXPECT_NE(cell.find(": as sent"), std::string::npos) << direction << ", " << cell;
    }
}

// A byte is not copied: at the beginning, in the middle, at the end. Unified memory is not copied at all
// here.
TEST(Transfers, FindAByteThatDoesNotArrive) {
    for (const std::size_t lost : {0u, 5000u, 10006u}) {
        for (const char* direction : {"up", "down", "both", "peer"}) {
            Faults faults;
            faults.lost_byte = lost;
            const Outcome outcome = run_faulty(transfers(), faults, direction);
            EXPECT_TRUE(outcome.wrong);
            for (const std::string& cell : last_cells(outcome)) {
                const bool managed = cell.find("unified") == 0;
                EXPECT_EQ(cell.find("WRONG") == std::string::npos, managed) << direction << ", " << cell;
            }
        }
    }
}

TEST(Transfers, NameAWayThatHasNoMemoryAndGoOn) {
    Faults faults;
    faults.most_pinned = std::size_t(1) << 30;
    ByteSession session(make_model_session(gpu_named("H200"), 1), faults);
    ControlValues values = small_values(transfers());
    // The warm-up has its memory, the transfers have none.
    bool warmed = false;
    const Outcome outcome =
        transfers().run({.session = session, .values = values, .progress = [&](int done, int) {
                             if (done == 0 && warmed) faults.most_pinned = 0;
                             warmed = true;
                         }});
    EXPECT_EQ(last_cells(outcome)[0], "pageable: as sent");
    EXPECT_EQ(last_cells(outcome)[1],
              "pinned: cudaErrorMemoryAllocation (out of memory), pinned memory: choose fewer bytes");
    EXPECT_EQ(last_cells(outcome)[2], "write-combined: as sent");
}

TEST(Transfers, GoThroughTheHostWherePeersDoNotReachEachOther) {
    Faults faults;
    faults.no_peers = true;
    const Outcome outcome = run_faulty(transfers(), faults, "peer");
    const std::vector<std::string> cells = last_cells(outcome);
    ASSERT_EQ(cells.size(), 3u);
    EXPECT_NE(cells[0].find("do not reach each other's memory"), std::string::npos) << cells[0];
    EXPECT_EQ(cells[1], "through the host: as sent");
    EXPECT_NE(cells[2].find("copies between them go through the host"), std::string::npos) << cells[2];
}

TEST(Transfers, RefusePeersWhereThereIsOneGpu) {
    Faults faults;
    EXPECT_THROW((void)run_faulty(transfers(), faults, "peer", 1), Error);
    EXPECT_EQ(run_faulty(transfers(), faults, "all", 1).tables.front().rows.size(), 15u);
    EXPECT_EQ(run_faulty(transfers(), faults, "all", 2).tables.front().rows.size(), 18u);
}

TEST(Transfers, StopAtOnceInTheMiddleOfASample) {
    Faults faults;
    faults.commands_until_stop = 300;
    const Outcome outcome = run_faulty(transfers(), faults, "all");
    EXPECT_FALSE(outcome.complete);
    EXPECT_LT(outcome.tables.front().rows.size(), 18u);
}

double rate(const Outcome& outcome, const std::string& direction, const std::string& way) {
    for (const auto& row : outcome.tables.front().rows) {
        if (english(std::get<Message>(row[0])) == direction && english(std::get<Message>(row[1])) == way)
            return std::get<TableFigure>(row[4]).value;
    }
    ADD_FAILURE() << direction << " " << way;
    return 0;
}

// What the lecture says of copies and engines.
TEST(TransferModel, KnowsPinnedMemoryAndCopyEngines) {
    const auto run = [](const char* gpu) {
        const std::unique_ptr<DeviceSession> session = make_model_session(gpu_named(gpu), 2);
        return transfers().run({.session = *session, .values = first_values(transfers())});
    };
    const Outcome h200 = run("H200");
    EXPECT_GT(rate(h200, "to the GPU", "pinned"), 3 * rate(h200, "to the GPU", "pageable"));
    EXPECT_NEAR(rate(h200, "both at once", "pinned") / rate(h200, "to the GPU", "pinned"), 2, 0.05)
        << "two engines";
    EXPECT_NEAR(rate(h200, "both at once", "pageable") / rate(h200, "to the GPU", "pageable"), 1, 0.1)
        << "one thread of the host fills the pinned pieces";
    EXPECT_GT(rate(h200, "to another GPU", "peer copy"),
              5 * rate(h200, "to another GPU", "through the host"));
    const Outcome old = run("GTX 280");
    EXPECT_NEAR(rate(old, "both at once", "pinned") / rate(old, "to the GPU", "pinned"), 1, 0.05)
        << "one engine";
    EXPECT_LT(rate(old, "to the GPU", "pinned"), 8) << "PCIe 2.0 x16";
    EXPECT_GT(rate(old, "to the GPU", "pinned"), 0.7 * 8) << "pinned memory comes near the peak";
}

TEST(Links, CarryWhatTheirGenerationDoes) {
    // The lecture's rounded figures, and those of later generations.
    const double expected[] = {4, 8, 16, 32, 64, 121};
    for (int generation = 1; generation <= 6; ++generation)
        EXPECT_NEAR(pcie_link(generation, 16).gb_s, expected[generation - 1],
                    0.02 * expected[generation - 1]);
    EXPECT_EQ(pcie_link(5, 16).name, "PCIe 5.0 x16");
    EXPECT_EQ(pcie_link(4, 8).gb_s * 2, pcie_link(4, 16).gb_s);
    for (const auto& [generation, lanes] : {std::pair{0, 16}, {7, 16}, {3, 0}, {-1, -1}})
        EXPECT_EQ(pcie_link(generation, lanes).gb_s, 0);
}

TEST(Bytes, AreWrittenAndRead) {
    for (const auto& [text, bytes] : {std::pair{"1", 1ll},
                                      {"1000", 1000ll},
                                      {"64K", 65536ll},
                                      {"64 KiB", 65536ll},
                                      {"64kb", 65536ll},
                                      {"1G", 1ll << 30},
                                      {"3 MiB", 3ll << 20}})
        EXPECT_EQ(parse_bytes(text), bytes) << text;
    for (const char* text : {"", "K", "64X", "1.5M", "-1", "64 K B", "99999999999G", " 1"})
        EXPECT_FALSE(parse_bytes(text)) << text;
    EXPECT_EQ(bytes_text(65536), "64 KiB");
    EXPECT_EQ(bytes_text(1ll << 30), "1 GiB");
    EXPECT_EQ(bytes_text(10007), "10007 bytes");
    EXPECT_EQ(bytes_text(1), "1 byte");
}

}  // namespace
}  // namespace ws

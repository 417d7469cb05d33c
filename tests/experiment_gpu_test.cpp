// Experiments on the GPUs of this machine: what is measured stays below the link's limit, and all bytes
// arrive. Where there is one GPU, what takes two is skipped by name.

#include <gtest/gtest.h>

#include <cstdio>
#include <cstring>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "gpu/core/error.h"
#include "gpu/core/experiment.h"
#include "gpu/core/hand_over.h"
#include "gpu/engine/engine.h"
#include "gpu/engine/run_to_end.h"
#include "gpu/engine/sessions.h"
#include "gpu/labs/labs.h"
#include "gpu/picture/builtin_pictures.h"
#include "tests/gpu_support.h"

namespace ws {
namespace {

class OnGpu : public ::testing::Test {
  protected:
    void SetUp() override {
        try {
            SessionOptions options;
            options.device = DeviceKind::cuda;
            session_ = open_session(options).session;
        } catch (const Error& error) {
            if (ws::testing::gpu_required()) FAIL() << error.what();
            GTEST_SKIP() << error.what();
        }
    }
    [[nodiscard]] bool has_two() const { return session_->facts().devices.size() > 1; }
    std::unique_ptr<DeviceSession> session_;
};

// Values beside the experiment's own.
Outcome run(DeviceSession& session, const Experiment& experiment, bool sweep,
            std::vector<std::pair<std::string, std::string>> settings) {
    ControlValues values = first_values(experiment);
    for (const auto& [name, value] : settings) {
        const auto place = std::size_t(control_named(experiment, name));
        values.at(place) = value_of(experiment.controls.at(place), value);
    }
    return experiment.run(
        {.session = session, .values = values, .axis = sweep ? control_named(experiment, "size") : -1});
}

void print(const ResultTable& table) {
    for (const auto& row : table.rows) {
        for (const TableCell& cell : row) {
            if (const auto* text = std::get_if<Message>(&cell))
                std::printf("%-22s", english(*text).c_str());
            else
                std::printf("%12.4f", std::get<TableFigure>(cell).value);
        }
        std::printf("\n");
    }
}

void print(const Outcome& outcome) {
    std::printf("%s: %s. %s\n", outcome.gpu.c_str(), english(outcome.headline).c_str(),
                english(outcome.sentences.empty() ? Message() : outcome.sentences.front()).c_str());
    for (const ResultTable& table : outcome.tables) print(table);
    for (const Message& note : outcome.notes) std::printf("note: %s\n", english(note).c_str());
}

TEST_F(OnGpu, TransfersArriveAndKeepBelowTheLimit) {
    const Experiment& transfers = *experiment_named("transfers");
    for (const char* size : {"1K", "10007", "1M", "64M"}) {
        const Outcome outcome = run(*session_, transfers, false, {{"size", size}});
        print(outcome);
        EXPECT_FALSE(outcome.wrong);
        EXPECT_EQ(outcome.kind, Kind::measured);
        for (const auto& row : outcome.tables.front().rows) {
            EXPECT_EQ(english(std::get<Message>(row.back())), "as sent")
                << english(std::get<Message>(row[1]));
            if (const auto* share = std::get_if<TableFigure>(&row[5])) {
                EXPECT_LE(share->value, 100) << english(std::get<Message>(row[1]));
            }
        }
        for (const Timeline& timeline : outcome.timelines) {
            EXPECT_EQ(timeline.bars.size(), 16u);
            for (const TimelineBar& bar : timeline.bars) EXPECT_GT(bar.end_ms, bar.begin_ms);
        }
    }
}

TEST_F(OnGpu, PinnedMemoryComesNearTheLimit) {
    const Experiment& transfers = *experiment_named("transfers");
    const Outcome outcome = run(*session_, transfers, false, {{"size", "256M"}, {"direction", "up"}});
    const auto& rows = outcome.tables.front().rows;
    const auto rate = [&](std::size_t row) { return std::get<TableFigure>(rows.at(row).at(4)).value; };
    EXPECT_GT(rate(1), rate(0)) << "pinned against pageable";
    if (const auto* share = std::get_if<TableFigure>(&rows[1][5])) {
        EXPECT_GT(share->value, 60);
    }
}

TEST_F(OnGpu, SweepsFromOneKibibyteToOneGibibyte) {
    const Experiment& transfers = *experiment_named("transfers");
    const Outcome outcome =
        run(*session_, transfers, true, {{"direction", "up"}, {"samples", "3"}, {"check", "off"}});
    ASSERT_EQ(outcome.plots.size(), 1u);
    for (const PlotSeries& series : outcome.plots.front().series) {
        if (series.limit) continue;
        EXPECT_GE(series.points.size(), english(series.name) == "unified, prefetched" ? 17u : 21u)
            << english(series.name);
        EXPECT_GT(series.points.back().y, series.points.front().y) << english(series.name);
    }
    for (const Message& note : outcome.notes) std::printf("note: %s\n", english(note).c_str());
}

TEST_F(OnGpu, BytesReachAnotherGpu) {
    if (!has_two()) GTEST_SKIP() << "there is one GPU here";
    const Experiment& transfers = *experiment_named("transfers");
    const Outcome outcome = run(*session_, transfers, false, {{"direction", "peer"}, {"size", "256M"}});
    print(outcome);
    EXPECT_FALSE(outcome.wrong);
    for (const auto& row : outcome.tables.front().rows)
        EXPECT_TRUE(std::holds_alternative<TableFigure>(row[4]) || session_->peer_link(0, 1).name.empty());
}

// Odd sides, strips as low as they may be, and a picture that is worth it: the whole picture's pixels to the
// bit.
TEST_F(OnGpu, StripsMakeTheWholePictureOnAllGpus) {
    if (!has_two()) GTEST_SKIP() << "there is one GPU here";
    const Experiment& several = *experiment_named("several-gpus");
    for (const auto& [columns, rows] : {std::pair{"130", "7"}, {"4097", "1001"}, {"8192", "8192"}}) {
        for (const char* copies : {"off", "on"}) {
            const Outcome outcome =
                run(*session_, several, true,
                    {{"gpus", "8"}, {"columns", columns}, {"rows", rows}, {"copies", copies}});
            print(outcome);
            EXPECT_FALSE(outcome.wrong) << columns << " x " << rows;
            EXPECT_EQ(outcome.kind, Kind::measured);
            for (const auto& row : outcome.tables.front().rows) {
                const std::string result = english(std::get<Message>(row.back()));
                if (!session_->peer_link(0, 1).name.empty()) {
                    EXPECT_EQ(result, "as defined") << english(std::get<Message>(row[0]));
                }
            }
            for (const Timeline& timeline : outcome.timelines) {
                for (const TimelineBar& bar : timeline.bars) EXPECT_GT(bar.end_ms, bar.begin_ms);
            }
        }
    }
}

// One thread for all and one for each GPU, as often as it takes to see a mark that was not handed over.
TEST_F(OnGpu, ThreadsOfTheHostMakeTheSamePixels) {
    if (!has_two()) GTEST_SKIP() << "there is one GPU here";
    const Experiment& several = *experiment_named("several-gpus");
    for (const char* halos : {"copy", "host", "access", "twice"}) {
        for (const auto& [columns, rows] : {std::pair{"61", "15"}, {"256", "256"}, {"4096", "4096"}}) {
            const Outcome outcome = run(*session_, several, false,
                                        {{"gpus", "8"},
                                         {"halos", halos},
                                         {"threads", "each"},
                                         {"columns", columns},
                                         {"rows", rows},
                                         {"copies", "on"}});
            print(outcome);
            EXPECT_FALSE(outcome.wrong) << columns << " x " << rows;
            ASSERT_EQ(outcome.tables.size(), 2u);
            for (const auto& row : outcome.tables[1].rows) {
                if (session_->peer_link(0, 1).name.empty()) continue;
                EXPECT_EQ(english(std::get<Message>(row.back())), "as defined")
                    << english(std::get<Message>(row[0])) << ", " << halos;
                EXPECT_GT(std::get<TableFigure>(row[2]).value, 0) << "the host takes time";
            }
        }
    }
}

// Whatever the number of GPUs: a thread for each makes copies and marks of its own GPU, and those of others
// are seen.
TEST_F(OnGpu, EachGpuTakesCommandsOfAThreadOfItsOwn) {
    const int count = int(session_->facts().devices.size());
    constexpr std::size_t kBytes = 1 << 20;
    const MemoryPtr host = session_->host_memory(HostMemory::pinned, kBytes * std::size_t(count));
    std::memset(host->data(), 0xA5, host->size());
    std::vector<MemoryPtr> memories;
    std::vector<QueuePtr> queues;
    std::vector<MarkPtr> marks;
    for (int gpu = 0; gpu < count; ++gpu) {
        memories.push_back(session_->device_memory(gpu, kBytes));
        queues.push_back(session_->queue(gpu));
        marks.push_back(session_->mark());
    }
    std::vector<HandOver> recorded(static_cast<std::size_t>(count));
    session_->on_threads(count, [&](int gpu) {
        const auto place = std::size_t(gpu);
        session_->fill(*queues[place], *memories[place], std::uint8_t(gpu + 1));
        session_->copy(*queues[place], *host, place * kBytes, *memories[place], 0, kBytes);
        session_->record(*queues[place], *marks[place]);
        recorded[place].give();
        if (gpu > 0) return;
        for (int other = 1; other < count; ++other) {
            ASSERT_TRUE(recorded[std::size_t(other)].taken());
            session_->wait(*queues[0], *marks[std::size_t(other)]);
        }
    });
    session_->finish(*queues[0]);
    for (std::size_t i = 0; i < host->size(); ++i)
        ASSERT_EQ(host->data()[i], i / kBytes + 1) << "byte " << i << " of " << count << " GPUs";
    EXPECT_THROW(session_->on_threads(2,
                                      [](int thread) {
                                          if (thread == 1) throw Error("of a thread");
                                      }),
                 Error);
}

TEST_F(OnGpu, TooFewGpusAreModelled) {
    SessionOptions options;
    options.least_gpus = 1000;
    const OpenedSession opened = open_session(options);
    EXPECT_EQ(opened.session->facts().kind, Kind::estimated);
    EXPECT_NE(opened.reason.find("takes several GPUs"), std::string::npos) << opened.reason;
    options.device = DeviceKind::cuda;
    EXPECT_THROW((void)open_session(options), Error);
}

// Each GPU by its number, one after the other in one process; what they compute is the same.
TEST_F(OnGpu, EachGpuIsOpenedByItsNumber) {
    const int count = int(session_->facts().devices.size());
    std::set<std::string> uuids;
    Engine engine(EngineOptions{});
    engine.set_picture(std::make_shared<const RgbaImage>(builtin_pictures().front().make()), "scene");
    HostTarget target;
    Work work = first_work(lab_named("filters"));
    work.device = DeviceKind::cuda;
    for (int round = 0; round < 2; ++round) {
        for (work.cuda_gpu = 0; work.cuda_gpu < count; ++work.cuda_gpu) {
            run_to_end(engine, work, 3, target);
            const Snapshot& snapshot = engine.snapshot();
            EXPECT_EQ(snapshot.device.place.number, work.cuda_gpu);
            EXPECT_EQ(snapshot.device.place.of, count);
            EXPECT_EQ(snapshot.result.check.state, Check::State::equal)
                << english(snapshot.result.check.message);
            uuids.insert(snapshot.device.place.uuid);
        }
    }
    EXPECT_EQ(int(uuids.size()), count);
    EXPECT_THROW(engine.prepare(work), UsageError) << "there is no such number";
    SessionOptions options;
    options.device = DeviceKind::cuda;
    options.cuda_gpu = count - 1;
    EXPECT_EQ(open_session(options).session->facts().devices.front().place.number, count - 1);
    options.cuda_gpu = count;
    EXPECT_THROW((void)open_session(options), UsageError);
}

// Every mode: all words come back as defined, and nothing is faster than its limits but for what clocks miss.
TEST_F(OnGpu, StreamsKeepAboveTheirLimits) {
    const Experiment& streams = *experiment_named("streams");
    for (const char* mode : {"plain", "concurrent", "graph", "fermi"}) {
        const Outcome outcome = run(*session_, streams, false, {{"mode", mode}});
        print(outcome);
        EXPECT_FALSE(outcome.wrong) << mode;
        EXPECT_EQ(outcome.kind, Kind::measured);
        for (const auto& row : outcome.tables.front().rows) {
            EXPECT_EQ(english(std::get<Message>(row.back())), "as defined")
                << mode << ", " << english(std::get<Message>(row[0]));
            ASSERT_TRUE(std::holds_alternative<TableFigure>(row[4])) << english(std::get<Message>(row[0]));
            EXPECT_LE(std::get<TableFigure>(row[4]).value, 105) << english(std::get<Message>(row[0]));
        }
        ASSERT_EQ(outcome.timelines.size(), 4u);
        for (const Timeline& timeline : outcome.timelines) {
            for (const TimelineBar& bar : timeline.bars) EXPECT_GT(bar.end_ms, bar.begin_ms);
        }
    }
}

TEST_F(OnGpu, ThreeStreamsOverlapWhereTwoEnginesCopy) {
    if (session_->facts().devices.front().copy_engines < 2) GTEST_SKIP() << "there is one copy engine here";
    const Experiment& streams = *experiment_named("streams");
    const Outcome outcome = run(*session_, streams, false, {{"size", "256M"}, {"pieces", "16"}});
    const auto& rows = outcome.tables.front().rows;
    const auto gain = [&](std::size_t row) { return std::get<TableFigure>(rows.at(row).at(2)).value; };
    EXPECT_GT(gain(1), 1.15) << "2-way";
    EXPECT_GT(gain(2), gain(1)) << "3-way";
}

// What a graph records does not run before it is launched, and runs as often as that.
TEST_F(OnGpu, AGraphRunsWhenItIsLaunched) {
    const MemoryPtr device = session_->device_memory(0, 4096);
    const MemoryPtr host = session_->host_memory(HostMemory::pinned, 4096);
    const QueuePtr queue = session_->queue(0);
    session_->fill(*queue, *device, 1);
    session_->finish(*queue);
    std::memset(host->data(), 7, 4096);
    const GraphPtr graph =
        session_->recorded(*queue, [&] { session_->copy(*queue, *host, 0, *device, 0, 4096); });
    session_->finish(*queue);
    EXPECT_EQ(host->data()[4095], 7);
    for (const std::uint8_t value : {1, 9}) {
        session_->fill(*queue, *device, value);
        session_->launch(*queue, *graph);
        session_->finish(*queue);
        EXPECT_EQ(host->data()[0], value);
        EXPECT_EQ(host->data()[4095], value);
    }
    // A record that fails leaves a queue that goes on.
    EXPECT_THROW((void)session_->recorded(*queue, [] { throw Error("no more"); }), Error);
    session_->fill(*queue, *device, 3);
    session_->launch(*queue, *graph);
    session_->finish(*queue);
    EXPECT_EQ(host->data()[0], 3);
}

// Memory that cannot be had is an error with what to do, and the session goes on.
TEST_F(OnGpu, MemoryThatIsNotThereIsAnError) {
    constexpr std::size_t kTooMuch = std::size_t(1) << 46;
    try {
        (void)session_->device_memory(0, kTooMuch);
        FAIL() << "64 TiB";
    } catch (const Error& error) {
        EXPECT_NE(std::string(error.what()).find("choose fewer"), std::string::npos) << error.what();
    }
    const MemoryPtr memory = session_->device_memory(0, 1024);
    const QueuePtr queue = session_->queue(0);
    session_->fill(*queue, *memory, 7);
    const MemoryPtr host = session_->host_memory(HostMemory::pinned, 1024);
    session_->copy(*queue, *host, 0, *memory, 0, 1024);
    session_->finish(*queue);
    for (std::size_t i = 0; i < host->size(); ++i) ASSERT_EQ(host->data()[i], 7);
}

// Copies at offsets, and a mark between two queues: the second reads what the first has written.
TEST_F(OnGpu, QueuesWaitForMarks) {
    constexpr std::size_t kBytes = std::size_t(32) << 20;
    const MemoryPtr from = session_->host_memory(HostMemory::pinned, kBytes);
    const MemoryPtr to = session_->host_memory(HostMemory::pinned, kBytes);
    const MemoryPtr device = session_->device_memory(0, kBytes);
    for (std::size_t i = 0; i < kBytes; ++i) from->data()[i] = std::uint8_t(i * 37 >> 3);
    std::memset(to->data(), 0xA5, kBytes);
    const QueuePtr up = session_->queue(0);
    const QueuePtr down = session_->queue(0);
    const MarkPtr sent = session_->mark();
    session_->copy(*up, *device, 0, *from, kBytes / 2, kBytes / 2);
    session_->copy(*up, *device, kBytes / 2, *from, 0, kBytes / 2);
    session_->record(*up, *sent);
    session_->wait(*down, *sent);
    session_->copy(*down, *to, 0, *device, 0, kBytes);
    session_->finish(*down);
    EXPECT_EQ(std::memcmp(to->data(), from->data() + kBytes / 2, kBytes / 2), 0);
    EXPECT_EQ(std::memcmp(to->data() + kBytes / 2, from->data(), kBytes / 2), 0);
    const MarkPtr begin = session_->mark();
    session_->record(*down, *begin);
    session_->finish(*down);
    EXPECT_GE(session_->ms_between(*sent, *begin), 0);
}

}  // namespace
}  // namespace ws

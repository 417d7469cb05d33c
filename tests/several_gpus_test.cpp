// Several GPUs: strips cover the picture, every pixel is the whole picture's to the bit whatever the strips
// and the order in which queues get on, what a session refuses is named, and the model keeps below the ideal.

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <memory>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

#include "gpu/analysis/model_session.h"
#include "gpu/analysis/profiles.h"
#include "gpu/compile/kernel_library.h"
#include "gpu/core/error.h"
#include "gpu/core/experiment.h"
#include "gpu/labs/several_gpus/several_gpus.h"
#include "gpu/labs/several_gpus/strip_pipeline.h"
#include "gpu/labs/several_gpus/strips.h"
#include "tests/deferred_session.h"
#include "tests/outcomes.h"
#include "tests/simt_session.h"
#include "tests/simt_support.h"

namespace ws::several_gpus {
namespace {

using Settings = std::vector<std::pair<std::string, std::string>>;
using testing::DeferredSession;
using testing::SimtSession;

constexpr Halos kWays[]{Halos::peer_copy, Halos::host, Halos::peer_access, Halos::twice};

ControlValues values_with(const Settings& settings) {
    ControlValues values = first_values(experiment());
    for (const auto& [name, value] : settings) {
        const auto place = std::size_t(control_named(experiment(), name));
        values.at(place) = value_of(experiment().controls.at(place), value);
    }
    return values;
}

Outcome run_in(DeviceSession& session, const Settings& settings, int axis = -1,
               const std::stop_token& stop = {}) {
    return experiment().run(
        {.session = session, .values = values_with(settings), .axis = axis, .stop = stop});
}

Outcome modelled(const std::string& gpu, int devices, const Settings& settings, int axis = -1) {
    const std::unique_ptr<DeviceSession> session = make_model_session(GpuTable().named(gpu), devices);
    return run_in(*session, settings, axis);
}

std::string last_cell(const Outcome& outcome, std::size_t row, std::size_t table = 0) {
    return english(std::get<Message>(outcome.tables.at(table).rows.at(row).back()));
}

// Rows of the table.
enum Row : std::size_t { kOne, kCopies, kHost, kAccess, kTwice, kEnd };
double ms(const Outcome& outcome, Row row) {
    return cell(outcome.tables.at(0), row, 1);
}
double gain(const Outcome& outcome, Row row) {
    return cell(outcome.tables.at(0), row, 2);
}

// ---- strips

TEST(Strips, CoverThePictureAndHaveTheHaloOfTheirNeighbours) {
    for (int rows = 1; rows <= 60; ++rows) {
        for (int gpus = 1; gpus <= 9; ++gpus) {
            const std::vector<Strip> strips = strips_of(rows, gpus);
            ASSERT_FALSE(strips.empty());
            EXPECT_LE(int(strips.size()), gpus);
            int next = 0;
            int least = rows;
            int most = 0;
            for (const Strip& strip : strips) {
                EXPECT_EQ(strip.first, next);
                next = strip.end();
                least = std::min(least, strip.rows);
                most = std::max(most, strip.rows);
            }
            EXPECT_EQ(next, rows);
            EXPECT_LE(most - least, 1) << "as equal as can be";
            if (strips.size() > 1) {
                EXPECT_GE(least, kBlurHalo);
            }
            if (rows >= kBlurHalo * gpus) {
                EXPECT_EQ(int(strips.size()), gpus);
            }
        }
    }
    EXPECT_EQ(widened({10, 5}, 3, 100), (Strip{7, 11}));
    EXPECT_EQ(widened({2, 5}, 4, 8), (Strip{0, 8}));
}

TEST(Strips, KnowWhatTheirHalosCost) {
    EXPECT_EQ(halo_bytes({1000, 600}, 1), 0u);
    EXPECT_EQ(halo_bytes({1000, 600}, 2), 8000u) << "3 and 1 rows each way";
    EXPECT_EQ(halo_bytes({1000, 600}, 4), 24000u);
    EXPECT_EQ(rows_twice({1000, 600}, 1), 0);
    EXPECT_EQ(rows_twice({1000, 600}, 2), 10)
        << "4 rows of gray and 1 of the blur on each side of the border";
}

// ---- pixels

class OnSimulatedGpus : public ::testing::Test {
  protected:
    void SetUp() override { WS_NEED_COMPILER(); }
    static std::string ptx(std::string_view kernel, std::string_view entry) {
        static const KernelLibrary library{std::filesystem::path()};
        const KernelSource& source = library.find(kernel);
        CompileRequest request;
        request.name = source.name;
        request.text = source.text;
        request.entry = std::string(entry);
        request.headers = source.headers;
        request.architecture = 75;
        request.to_ptx = true;
        const auto compiled = testing::compiler()->compile(request);
        EXPECT_TRUE(compiled.ok()) << entry << ": " << (compiled.ok() ? "" : compiled.message());
        return compiled.ok() ? std::string(compiled.value().binary.data(), compiled.value().binary.size())
                             : "";
    }
    [[nodiscard]] static GpuProfile small_gpu() {
        GpuProfile gpu = GpuTable().named("RTX 3060");
        gpu.multiprocessors = 2;
        gpu.memory_gib = 8.0 / 1024;
        return gpu;
    }
    static constexpr int kDevices = 5;
    SimtSession session_{small_gpu(), ptx, kDevices};

    // In a strange order of the queues.
    [[nodiscard]] bool right(Extent size, int gpus, const Way& way, bool from_host, unsigned seed,
                             bool ignores_waits = false) {
        DeferredSession late(session_, seed);
        late.ignores_waits = ignores_waits;
        StripPipeline pipeline(late, {size, gpus, from_host, make_test_picture(size)});
        pipeline.prepare(way.halos);
        return pipeline.right(way);
    }
};

// Odd sides, one row, one column, strips as low as they may be, fewer rows than GPUs.
TEST_F(OnSimulatedGpus, EveryPixelIsThatOfTheWholePicture) {
    unsigned seed = 0;
    for (const Extent size : {Extent{1, 1}, {7, 2}, {9, 6}, {5, 7}, {33, 9}, {1, 40}, {61, 15}, {130, 31}}) {
        for (int gpus = 1; gpus <= kDevices; ++gpus) {
            for (const Halos halos : kWays) {
                for (const bool from_host : {false, true}) {
                    const int threads = 1 + int(seed / 4) % gpus;
                    EXPECT_TRUE(right(size, gpus, {halos, threads}, from_host, seed++ % 4))
                        << size.width << " x " << size.height << ", " << gpus << " GPUs, way " << int(halos)
                        << (from_host ? ", from the host" : "") << ", " << threads << " threads, seed "
                        << (seed - 1) % 4;
                }
            }
        }
    }
}

// The same pipeline again: what it keeps from one picture to the next is no help.
TEST_F(OnSimulatedGpus, TheSecondPictureIsRightToo) {
    const Extent size{40, 30};
    DeferredSession late(session_, 3);
    StripPipeline pipeline(late, {size, 3, true, make_test_picture(size)});
    for (const int threads : {1, 3, 2, 8, 1}) {
        for (const Halos halos :
             {Halos::peer_access, Halos::twice, Halos::peer_copy, Halos::host, Halos::peer_copy}) {
            pipeline.prepare(halos);
            EXPECT_TRUE(pipeline.right({halos, threads})) << int(halos) << ", " << threads << " threads";
        }
    }
}

// Each GPU's thread is once the slow one: who does not wait for it lets a queue wait for a mark that is not
// there, which the session refuses.
TEST_F(OnSimulatedGpus, ThreadsHandMarksOver) {
    for (unsigned seed = 0; seed < 4; ++seed) {
        for (const Halos halos : kWays)
            EXPECT_TRUE(right({40, 30}, 4, {halos, 4}, true, seed)) << int(halos) << ", seed " << seed;
    }
    DeferredSession late(session_, 1);
    const QueuePtr queues[]{late.queue(0), late.queue(1)};
    const MarkPtr mark = late.mark();
    late.record(*queues[1], *mark);  // of an earlier picture
    EXPECT_THROW(late.on_threads(2,
                                 [&](int thread) {
                                     std::this_thread::sleep_for(std::chrono::milliseconds(thread * 50));
                                     if (thread == 0)
                                         late.wait(*queues[0], *mark);
                                     else
                                         late.record(*queues[1], *mark);
                                 }),
                 Error);
    late.finish(*queues[1]);
}

// The others do not wait for ever, the error is that of the thread that failed, and the next picture is
// right.
TEST_F(OnSimulatedGpus, AThreadThatFailsEndsTheOthers) {
    const Extent size{40, 30};
    DeferredSession late(session_, 2);
    StripPipeline pipeline(late, {size, 3, true, make_test_picture(size)});
    for (const int threads : {1, 3}) {
        for (int lost = 0; lost < 3; ++lost) {
            for (const Halos halos : kWays) {
                late.lost_device = lost;
                pipeline.prepare(halos);
                try {
                    (void)pipeline.sample({halos, threads});
                    ADD_FAILURE() << lost;
                } catch (const Error& error) {
                    EXPECT_STREQ(error.what(), "the GPU is lost") << lost << ", " << threads << " threads";
                }
                late.lost_device.reset();
                EXPECT_TRUE(pipeline.right({halos, threads})) << lost << ", " << threads << " threads";
            }
        }
    }
}

// What the tests above would not see if queues ran in the order of issue.
TEST_F(OnSimulatedGpus, WithoutWaitsPixelsAreWrong) {
    for (const int threads : {1, 3}) {
        const auto ever_wrong = [&](Halos halos, bool from_host) {
            bool wrong = false;
            for (unsigned seed = 0; seed < 4; ++seed)
                wrong = wrong || !right({40, 30}, 3, {halos, threads}, from_host, seed, true);
            return wrong;
        };
        for (const Halos halos : {Halos::peer_copy, Halos::host, Halos::peer_access})
            EXPECT_TRUE(ever_wrong(halos, false)) << int(halos) << ": halos that are not there yet";
        EXPECT_FALSE(ever_wrong(Halos::twice, false)) << "no GPU needs another one";
        EXPECT_TRUE(ever_wrong(Halos::twice, true)) << "the end of the other GPUs has to be waited for";
    }
}

TEST_F(OnSimulatedGpus, AHaloThatDoesNotArriveIsSeen) {
    session_.loses_peer_copies = true;
    EXPECT_FALSE(right({40, 30}, 2, {Halos::peer_copy}, false, 0));
    EXPECT_FALSE(right({40, 30}, 2, {Halos::host}, false, 0));
    EXPECT_TRUE(right({40, 30}, 2, {Halos::peer_access}, false, 0)) << "nothing is copied";
    EXPECT_TRUE(right({40, 30}, 2, {Halos::twice}, false, 0));
    const Outcome outcome = run_in(session_, {{"columns", "40"}, {"rows", "30"}});
    EXPECT_TRUE(outcome.wrong);
    EXPECT_EQ(last_cell(outcome, kCopies), "WRONG: other pixels came out");
    EXPECT_EQ(last_cell(outcome, kAccess), "as defined");
    EXPECT_EQ(english(outcome.headline), "Other pixels came out than are defined");
    EXPECT_EQ(last_cell(outcome, 1, 1), "WRONG: other pixels came out") << "a thread each";
}

TEST_F(OnSimulatedGpus, GpusThatDoNotReachEachOtherGoThroughTheHost) {
    session_.no_peers = true;
    const Outcome outcome = run_in(session_, {{"columns", "40"}, {"rows", "30"}, {"gpus", "3"}});
    EXPECT_FALSE(outcome.wrong);
    EXPECT_EQ(last_cell(outcome, kOne), "as defined");
    EXPECT_EQ(last_cell(outcome, kCopies), "the GPUs do not reach each other's memory");
    EXPECT_EQ(last_cell(outcome, kHost), "as defined");
    EXPECT_EQ(last_cell(outcome, kAccess), "the GPUs do not reach each other's memory");
    EXPECT_EQ(last_cell(outcome, kTwice), "as defined");
    EXPECT_EQ(english(outcome.headline), "No time") << "of the way that is chosen";
    EXPECT_EQ(outcome.timelines.size(), 3u);
    EXPECT_EQ(last_cell(outcome, 0, 1), "the GPUs do not reach each other's memory");
}

TEST_F(OnSimulatedGpus, RunOverAllNumbersOfGpus) {
    const Outcome outcome =
        run_in(session_, {{"columns", "33"}, {"rows", "40"}, {"gpus", "8"}, {"copies", "on"}}, 0);
    EXPECT_FALSE(outcome.wrong);
    EXPECT_TRUE(outcome.complete);
    EXPECT_EQ(last_cell(outcome, 0, 1), "as defined");
    EXPECT_EQ(last_cell(outcome, 1, 1), "as defined");
    const Outcome each = run_in(
        session_, {{"columns", "33"}, {"rows", "40"}, {"gpus", "8"}, {"threads", "each"}, {"copies", "on"}});
    EXPECT_FALSE(each.wrong);
    EXPECT_EQ(english(each.tables[0].title), "on 5 GPUs, a thread each");
    for (std::size_t row = kOne; row < kEnd; ++row) EXPECT_EQ(last_cell(each, row), "as defined");
    ASSERT_EQ(outcome.plots.size(), 1u);
    ASSERT_EQ(outcome.plots[0].series.size(), 5u) << "the ways and the ideal";
    for (std::size_t i = 0; i < 4; ++i)
        EXPECT_EQ(outcome.plots[0].series[i].points.size(), std::size_t(kDevices));
    std::stop_source stop;
    stop.request_stop();
    const Outcome stopped = run_in(session_, {}, -1, stop.get_token());
    EXPECT_FALSE(stopped.complete);
}

// ---- the model

TEST(SeveralGpusModel, StaysBelowTheIdealAndRanksTheWays) {
    for (const char* gpu : {"H200", "A100", "RTX 3060", "GTX 280"}) {
        const Outcome outcome = modelled(gpu, 4, {{"gpus", "4"}});
        for (std::size_t row = kCopies; row < kEnd; ++row) {
            EXPECT_GT(gain(outcome, Row(row)), 1) << gpu << ", " << row;
            EXPECT_LE(gain(outcome, Row(row)), 4.0001) << gpu << ", " << row;
            EXPECT_EQ(last_cell(outcome, row), "not checked");
        }
        EXPECT_LT(ms(outcome, kCopies), ms(outcome, kHost)) << gpu;
        EXPECT_EQ(outcome.kind, Kind::estimated);
    }
    const Outcome large = modelled("RTX 3060", 2, {{"columns", "16384"}, {"rows", "16384"}});
    EXPECT_GT(gain(large, kCopies), 1.95) << "halos are nothing of a large picture";
    const Outcome small = modelled("H200", 4, {{"columns", "256"}, {"rows", "256"}, {"gpus", "4"}});
    EXPECT_LT(gain(small, kCopies), 1) << "calls and halos take longer than the picture";
}

TEST(SeveralGpusModel, DrawsALaneForEachGpuOverTheAxisOfOne) {
    const Outcome outcome = modelled("H200", 4, {{"gpus", "3"}, {"copies", "on"}});
    ASSERT_EQ(outcome.timelines.size(), 5u);
    EXPECT_EQ(outcome.timelines[0].lanes.size(), 1u);
    EXPECT_EQ(outcome.timelines[0].bars.size(), 5u) << "in, three kernels, out";
    const std::size_t bars[] = {5, 7, 7, 5, 5};
    for (std::size_t i = 1; i < 5; ++i) {
        const Timeline& timeline = outcome.timelines[i];
        ASSERT_EQ(timeline.lanes.size(), 3u);
        EXPECT_EQ(timeline.parts.size(), 4u);
        EXPECT_EQ(timeline.bars.size(), 3 * bars[i]) << english(timeline.title);
        EXPECT_EQ(end_of(timeline), end_of(outcome.timelines[0]));
        for (const TimelineBar& bar : timeline.bars) {
            EXPECT_LE(bar.begin_ms, bar.end_ms);
            EXPECT_GE(bar.begin_ms, 0);
        }
    }
}

// The driver takes the calls of several threads in turns: they take as long as those of one, and what the
// GPUs do stays as it is.
TEST(SeveralGpusModel, AThreadForEachGpuGainsNothingWhereOnlyCallsAreLeft) {
    const auto ms = [](const Outcome& outcome, int threads) {
        return cell(outcome.tables.at(1), threads, 1);
    };
    const auto calls_ms = [](const Outcome& outcome, int threads) {
        return cell(outcome.tables.at(1), threads, 2);
    };
    const Outcome small = modelled("H200", 4, {{"gpus", "4"}, {"columns", "256"}, {"rows", "256"}});
    EXPECT_GT(calls_ms(small, 0), 0.9 * (ms(small, 0) - 0.01)) << "the host is the limit";
    EXPECT_GT(ms(small, 1), 0.9 * ms(small, 0));
    EXPECT_NEAR(calls_ms(small, 1), calls_ms(small, 0), 0.35 * calls_ms(small, 0));
    const Outcome large = modelled("H200", 4, {{"gpus", "4"}, {"columns", "16384"}, {"rows", "16384"}});
    EXPECT_NEAR(ms(large, 1), ms(large, 0), 0.02 * ms(large, 0)) << "calls are nothing of a large picture";
    // Chosen, it is what the first table shows; and however threads take turns, it is the same.
    for (int round = 0; round < 5; ++round) {
        const Outcome each =
            modelled("H200", 4, {{"gpus", "4"}, {"columns", "256"}, {"rows", "256"}, {"threads", "each"}});
        EXPECT_NEAR(cell(each.tables[0], kCopies, 1), ms(each, 1), 1e-9);
        EXPECT_NEAR(ms(each, 0), ms(small, 0), 1e-9);
        EXPECT_NEAR(ms(each, 1), ms(small, 1), 1e-9);
    }
    EXPECT_EQ(modelled("H200", 4, {{"gpus", "1"}}).tables.size(), 1u) << "one GPU, one thread";
}

TEST(SeveralGpusModel, SaysWhichGpusHaveNothingToDo) {
    const Outcome outcome = modelled("H200", 4, {{"gpus", "4"}, {"rows", "7"}});
    EXPECT_EQ(english(outcome.tables[0].title), "on 2 GPUs");
    bool said = false;
    for (const Message& note : outcome.notes) said = said || english(note) == "2 of 4 GPUs have a strip";
    EXPECT_TRUE(said);
    EXPECT_THROW((void)modelled("H200", 1, {}), Error);
}

}  // namespace
}  // namespace ws::several_gpus

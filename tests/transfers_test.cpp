// Transfers: every byte is checked, what a session refuses is named, a stop ends them, and the model knows
// what the lecture says of copies.

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "gpu/analysis/model_session.h"
#include "gpu/analysis/profiles.h"
#include "gpu/core/device_session.h"
#include "gpu/core/error.h"
#include "gpu/core/experiment.h"
#include "gpu/labs/transfers/transfers.h"
#include "tests/byte_session.h"

namespace ws {
namespace {

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

// Rows whose second cell says the way, as "way: last cell".
std::vector<std::string> last_cells(const Outcome& outcome) {
    std::vector<std::string> cells;
    for (const auto& row : outcome.tables.front().rows)
        cells.push_back(english(std::get<Message>(row[1])) + ": " + english(std::get<Message>(row.back())));
    return cells;
}

TEST(Transfers, CheckThatAllBytesArrive) {
    for (const char* direction : {"up", "down", "both", "peer"}) {
        Faults faults;
        const Outcome outcome = run_faulty(transfers::experiment(), faults, direction);
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
            const Outcome outcome = run_faulty(transfers::experiment(), faults, direction);
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
    ControlValues values = small_values(transfers::experiment());
    // The warm-up has its memory, the transfers have none.
    bool warmed = false;
    const Outcome outcome =
        transfers::experiment().run({.session = session, .values = values, .progress = [&](int done, int) {
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
    const Outcome outcome = run_faulty(transfers::experiment(), faults, "peer");
    const std::vector<std::string> cells = last_cells(outcome);
    ASSERT_EQ(cells.size(), 3u);
    EXPECT_NE(cells[0].find("do not reach each other's memory"), std::string::npos) << cells[0];
    EXPECT_EQ(cells[1], "through the host: as sent");
    EXPECT_NE(cells[2].find("copies between them go through the host"), std::string::npos) << cells[2];
}

TEST(Transfers, RefusePeersWhereThereIsOneGpu) {
    Faults faults;
    EXPECT_THROW((void)run_faulty(transfers::experiment(), faults, "peer", 1), Error);
    EXPECT_EQ(run_faulty(transfers::experiment(), faults, "all", 1).tables.front().rows.size(), 15u);
    EXPECT_EQ(run_faulty(transfers::experiment(), faults, "all", 2).tables.front().rows.size(), 18u);
}

// More than two need not be linked alike.
TEST(Transfers, GoFromEachGpuToEachOtherOne) {
    Faults faults;
    const Outcome outcome = run_faulty(transfers::experiment(), faults, "peer", 3);
    EXPECT_FALSE(outcome.wrong);
    ASSERT_EQ(outcome.tables.size(), 2u);
    const ResultTable& pairs = outcome.tables[1];
    ASSERT_EQ(pairs.columns.size(), 4u);
    ASSERT_EQ(pairs.rows.size(), 3u);
    for (std::size_t from = 0; from < 3; ++from) {
        for (std::size_t to = 0; to < 3; ++to)
            EXPECT_EQ(std::holds_alternative<TableFigure>(pairs.rows[from][1 + to]), from != to);
    }
    EXPECT_EQ(english(pairs.columns[2].title), "to GPU 2");
    EXPECT_EQ(run_faulty(transfers::experiment(), faults, "peer", 2).tables.size(), 1u);
    EXPECT_EQ(run_faulty(transfers::experiment(), faults, "all", 3).tables.size(), 1u);
    faults.no_peers = true;
    EXPECT_FALSE(run_faulty(transfers::experiment(), faults, "peer", 3).wrong) << "through the host";
    faults.lost_byte = 5000;
    const Outcome lost = run_faulty(transfers::experiment(), faults, "peer", 3);
    EXPECT_TRUE(lost.wrong);
    EXPECT_EQ(english(std::get<Message>(lost.tables[1].rows[2][1])), "WRONG: other bytes arrived");
}

TEST(Transfers, StopAtOnceInTheMiddleOfASample) {
    Faults faults;
    faults.commands_until_stop = 300;
    const Outcome outcome = run_faulty(transfers::experiment(), faults, "all");
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
        return transfers::experiment().run(
            {.session = *session, .values = first_values(transfers::experiment())});
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

}  // namespace
}  // namespace ws

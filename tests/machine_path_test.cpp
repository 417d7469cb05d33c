// Paths of warps through machine code against an H200, which counts every warp instruction that it executes.

#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "classic_launches.h"
#include "compiled_kernels.h"
#include "gpu/analysis/machine_path.h"
#include "gpu/analysis/machine_routes.h"
#include "gpu/analysis/profiles.h"
#include "gpu/core/files.h"
#include "gpu/sass/machine_code_reader.h"
#include "gpu/simt/step_launch.h"
#include "lab_launches.h"
#include "launch_buffers.h"
#include "simt_support.h"
#include "trace_equality.h"

namespace ws {
namespace {

using Json = nlohmann::json;

// All warps of a launch on their way.
struct Followed {
    std::uint64_t instructions = 0;
    std::uint64_t accesses = 0;   // requests to memory that count
    std::uint64_t unclaimed = 0;  // of these, that no machine instruction makes
};

Followed follow(const MachineCode& code, const KernelTrace& trace) {
    PathFinder finder(code, trace);
    Followed sum;
    for (const WarpTrace& warp : trace.warps) {
        const std::shared_ptr<const MachinePath> found = finder.find(warp);
        const MachinePath& path = *found;
        sum.instructions += path.steps.size();
        std::vector<bool> claimed(warp.accesses.size());
        for (const MachineStep& step : path.steps) {
            if (step.access < 0) continue;
            EXPECT_FALSE(claimed[std::size_t(step.access)]) << "a request is made once";
            claimed[std::size_t(step.access)] = true;
            const MachineInstruction& instruction = code.instructions[std::size_t(step.instruction)];
            EXPECT_EQ(instruction.kind == MachineKind::constant_load,
                      warp.accesses[std::size_t(step.access)].space == MemorySpace::constant)
                << instruction.name << " makes a request of another kind";
        }
        for (std::size_t i = 0; i < warp.accesses.size(); ++i) {
            const TracedAccess& access = warp.accesses[i];
            if (access.space == MemorySpace::constant || access.sectors + access.wavefronts == 0) continue;
            ++sum.accesses;
            sum.unclaimed += !claimed[i];
        }
    }
    return sum;
}

double instructions_of_ptx(const KernelTrace& trace) {
    double sum = 0;
    for (const WarpTrace& warp : trace.warps)
        for (const TracedBlock& block : warp.path) sum += trace.counted[std::size_t(block.block)];
    return sum;
}

// Calls visit(name, followed, instructions of the PTX) for every launch of the labs that `wanted` is true of,
// in the machine code of the GPU.
template <typename Wanted, typename Visit>
void follow_labs(const GpuProfile& gpu, CodeTarget target, const Wanted& wanted, const Visit& visit) {
    const KernelLibrary library;
    for (const testing::LabVersion& one : testing::lab_versions()) {
        const Plan plan = lab_plan(one, library, target, gpu.multiprocessors, testing::compiled_kernel);
        testing::LaunchBuffers buffers(*plan.lab, plan.launches, testing::kLabSize, 0);
        buffers.fill_from(testing::lab_problem(*plan.lab));
        for (const Launch& launch : plan.launches) {
            const std::string name = one.name_of(launch);
            if (!wanted(name)) continue;
            const auto code = read_machine_code(launch.kernel->binary, launch.kernel->entry);
            ASSERT_TRUE(code.ok()) << code.message();
            const auto program = simt::load_program(ptx_in(launch.kernel->binary), launch.kernel->entry);
            ASSERT_TRUE(program.ok()) << name << ": " << program.message();
            simt::Gpu simulated(gpu);
            KernelTrace trace;
            simt::LaunchOptions options = simt::step_options();
            options.trace.trace = &trace;
            (void)simulated.launch(simt::step_launch(simulated, program.value(), launch, *plan.lab,
                                                     testing::kLabSize, buffers.places()),
                                   options);
            visit(name, follow(code.value(), trace), instructions_of_ptx(trace));
        }
    }
}

TEST(MachinePath, InstructionsOfEveryLabAreThoseOfTheH200) {
    WS_NEED_COMPILER();
    const Json measured =
        Json::parse(read_file(std::string(WARPSCOPE_SOURCE_DIR) + "/tests/counters/h200_labs.json"))["cases"];
    int compared = 0;
    std::uint64_t accesses = 0;
    std::uint64_t unclaimed = 0;
    follow_labs(
        GpuTable().named("H200"), {90, false},
        [&](const std::string& name) { return measured.contains(name); },
        [&](const std::string& name, const Followed& followed, double /*of_ptx*/) {
            const auto real = measured[name]["instructions"].get<double>();
            constexpr double kFew = 16;  // a kernel of a few warps
            EXPECT_NEAR(double(followed.instructions), real, std::max(kFew, 0.01 * real)) << name;
            accesses += followed.accesses;
            unclaimed += followed.unclaimed;
            ++compared;
        });
    EXPECT_GT(compared, 100);
    EXPECT_LT(double(unclaimed), 0.01 * double(accesses));
    std::cout << compared << " launches compared, " << unclaimed << " of " << accesses
              << " requests belong to no machine instruction\n";
}

// Whose machine code is another one. The assembler adds to what PTX says, or drops a little of it; a loop
// that was not followed lacks most.
TEST(MachinePath, LoopsOfEveryLabAreFollowedOnOtherCapabilities) {
    WS_NEED_COMPILER();
    // What is launched by kernels has machine code that lies elsewhere.
    const auto wanted = [](const std::string& name) { return !name.starts_with("dynamic-parallelism"); };
    for (const auto& [name, target] :
         {std::pair{"RTX 3060", CodeTarget{86, false}}, std::pair{"RTX 5090", CodeTarget{120, false}}}) {
        int launches = 0;
        follow_labs(GpuTable().named(name), target, wanted,
                    [&, name = name](const std::string& launch, const Followed& followed, double of_ptx) {
                        EXPECT_GT(double(followed.instructions), 0.55 * of_ptx) << launch << " on " << name;
                        ++launches;
                    });
        EXPECT_GT(launches, 100) << name;
    }
}

// A classic of odd size, and what its warps did.
struct FollowedClassic {
    explicit FollowedClassic(const std::string& name)
        : launch(named(name)), code(read_machine_code(launch.kernel->binary, launch.kernel->entry).value()) {
        simt::LaunchOptions options = simt::step_options();
        options.trace.trace = &trace;
        (void)launch.staged.gpu.launch(launch.staged.launch, options);
    }
    static classics::Classic named(const std::string& name) {
        for (const classics::Classic& one : classics::classics(classics::Size::odd))
            if (one.name == name) return one;
        throw Error("no classic of this name", name);
    }
    [[nodiscard]] const MachineInstruction& at(const MachineStep& step) const {
        return code.instructions[std::size_t(step.instruction)];
    }

    testing::ClassicLaunch launch;
    MachineCode code;
    KernelTrace trace;
};

// The place of the sum is a parameter, which is loaded at the line of the atomic, before it.
TEST(MachinePath, AnAtomicIsMadeByTheAtomic) {
    WS_NEED_COMPILER();
    const FollowedClassic sum("sum_atomic");
    EXPECT_EQ(follow(sum.code, sum.trace).unclaimed, 0u);
    PathFinder finder(sum.code, sum.trace);
    int atomics = 0;
    for (const WarpTrace& warp : sum.trace.warps) {
        const std::shared_ptr<const MachinePath> path = finder.find(warp);
        for (const MachineStep& step : path->steps) {
            if (sum.at(step).kind != MachineKind::atomic) continue;
            ASSERT_GE(step.access, 0);
            EXPECT_EQ(warp.accesses[std::size_t(step.access)].kind, MachineKind::atomic);
            ++atomics;
        }
    }
    EXPECT_EQ(atomics, int(sum.trace.warps.size())) << "one of each warp";
}

// find_text's lanes leave its loop at eight places for one BSYNC. An H200 executes it 3.72 times a warp
// (Nsight Compute, by instruction; random text): the smaller part goes first, and the parts that wait there
// are one.
TEST(MachinePath, LanesThatPartGoOnInTheOrderOfTheH200) {
    WS_NEED_COMPILER();
    const FollowedClassic text("find_text");
    PathFinder finder(text.code, text.trace);
    std::map<int, int> arrivals;  // by BSYNC
    for (const WarpTrace& warp : text.trace.warps) {
        const std::shared_ptr<const MachinePath> path = finder.find(warp);
        for (const MachineStep& step : path->steps)
            if (text.at(step).name == "BSYNC") ++arrivals[step.instruction];
    }
    ASSERT_FALSE(arrivals.empty());
    const double of_a_warp = double(arrivals.begin()->second) / double(text.trace.warps.size());
    EXPECT_NEAR(of_a_warp, 3.72, 0.15) << "each part by itself would be 5.3, all at the end 2";
}

// A branch of the PTX that some lanes take is a predicate in the machine code, which all lanes execute: the
// store is theirs, whichever they are.
TEST(MachinePath, APredicatedStoreIsOfTheLanesThatItLetsThrough) {
    WS_NEED_COMPILER();
    const FollowedClassic sort("odd_even_shared");
    PathFinder finder(sort.code, sort.trace);
    const auto is_shared_store = [](const auto& one) {
        return one.space == MemorySpace::shared && one.kind == MachineKind::store;
    };
    std::ptrdiff_t stores = 0, made = 0;
    for (const WarpTrace& warp : sort.trace.warps) {
        stores += std::count_if(warp.accesses.begin(), warp.accesses.end(), is_shared_store);
        const std::shared_ptr<const MachinePath> path = finder.find(warp);
        for (const MachineStep& step : path->steps) {
            // One of 8 bytes is made of two.
            if (step.access >= 0 && is_shared_store(sort.at(step))) made += sort.at(step).bytes / 4;
        }
    }
    EXPECT_GT(stores, 1000);
    EXPECT_EQ(made, stores);
}

// The way of a warp that was not followed to its end is the begin of its whole way.
TEST(MachinePath, APartOfATraceIsAPartOfTheWay) {
    WS_NEED_COMPILER();
    const auto traced = [&](const classics::Classic& classic, std::int64_t most, MachineCode& code) {
        testing::ClassicLaunch launch(classic);
        code = read_machine_code(launch.kernel->binary, launch.kernel->entry).value();
        KernelTrace trace;
        simt::LaunchOptions options = simt::step_options();
        options.trace = {&trace, 0, most};
        (void)launch.staged.gpu.launch(launch.staged.launch, options);
        return trace;
    };
    int parts = 0;
    for (const classics::Classic& classic : classics::classics(classics::Size::odd)) {
        if (classic.name != "product_tiles" && classic.name != "fourier_sums" && classic.name != "mandelbrot")
            continue;
        MachineCode code;
        const KernelTrace whole = traced(classic, 0, code);
        const KernelTrace part = traced(classic, 200, code);
        PathFinder of_whole(code, whole);
        PathFinder of_part(code, part);
        ASSERT_EQ(whole.warps.size(), part.warps.size());
        for (std::size_t i = 0; i < whole.warps.size(); ++i) {
            const auto all = of_whole.find(whole.warps[i]);
            const auto some = of_part.find(part.warps[i]);
            if (part.warps[i].cut == 0) continue;
            ++parts;
            EXPECT_LT(some->steps.size(), all->steps.size()) << classic.name << ", warp " << i;
            // Lanes that have parted may come one after the other otherwise, each as often or less.
            std::map<int, int> more;
            for (const MachineStep& step : some->steps) ++more[step.instruction];
            for (const MachineStep& step : all->steps) --more[step.instruction];
            int beyond = 0;
            for (const auto& [instruction, times] : more) beyond += std::max(0, times);
            EXPECT_LE(beyond, int(some->steps.size() / 20)) << classic.name << ", warp " << i;
            if (classic.name == "mandelbrot") continue;
            const auto [in_some, in_all] = std::ranges::mismatch(
                some->steps, all->steps, {}, &MachineStep::instruction, &MachineStep::instruction);
            EXPECT_GE(in_some - some->steps.begin(), std::ptrdiff_t(some->steps.size() * 9 / 10))
                << classic.name << ", warp " << i;
        }
    }
    EXPECT_GT(parts, 20);
}

struct TracedClassic {
    std::shared_ptr<const CompiledKernel> kernel;
    KernelTrace trace;
};
// Of some blocks only what they ask the first level for is written down.
TracedClassic traced_by(int workers, const classics::Classic& classic) {
    testing::ClassicLaunch launch(classic);
    TracedClassic made{launch.kernel, {}};
    simt::LaunchOptions options = simt::step_options();
    options.threads = workers;
    options.trace.trace = &made.trace;
    options.trace.warm_up = 2;
    (void)launch.staged.gpu.launch(launch.staged.launch, options);
    return made;
}

bool are_same(const MachinePath& a, const MachinePath& b) {
    return std::ranges::equal(a.steps, b.steps, [](const MachineStep& one, const MachineStep& other) {
        return one.instruction == other.instruction && one.access == other.access && one.lanes == other.lanes;
    });
}

TEST(MachinePath, IsTheSameWhoeverTracesAndFindsIt) {
    WS_NEED_COMPILER();
    int different = 0;  // warps whose path is not that of the first one
    for (const classics::Classic& classic : classics::classics(classics::Size::odd)) {
        const TracedClassic by_one = traced_by(1, classic);
        const TracedClassic by_several = traced_by(4, classic);
        testing::expect_equal(by_one.trace, by_several.trace, classic.name);
        const MachineCode code = read_machine_code(by_one.kernel->binary, by_one.kernel->entry).value();
        const PathFinder::Paths one = PathFinder(code, by_one.trace).find(by_one.trace.warps, 1);
        const PathFinder::Paths several = PathFinder(code, by_several.trace).find(by_several.trace.warps, 4);
        ASSERT_EQ(one.size(), several.size());
        for (std::size_t i = 0; i < one.size(); ++i) {
            EXPECT_TRUE(are_same(*one[i], *several[i])) << classic.name << ", warp " << i;
            different += !are_same(*one[i], *one.front());
        }
    }
    EXPECT_GT(different, 100);
}

// Between all homes of a kernel's machine code, those that cost too much among them.
TEST(MachineRoutes, WithinABoundAreThoseWithoutOne) {
    WS_NEED_COMPILER();
    int within = 0;
    int beyond = 0;
    for (const classics::Classic& classic : classics::classics(classics::Size::odd)) {
        const TracedClassic traced = traced_by(2, classic);
        const MachineCode code = read_machine_code(traced.kernel->binary, traced.kernel->entry).value();
        const MachineFlow flow(code);
        const MachineShares shares(code, traced.trace, flow);
        MachineUnrolled unrolled(flow, shares);
        MachineRoutes all(code, traced.trace, flow, shares, unrolled);
        MachineRoutes bounded(code, traced.trace, flow, shares, unrolled);
        std::vector<const MachineShare*> homes{nullptr};  // the begin, and the end
        for (std::size_t block = 0; block < traced.trace.ptx_lines.size(); ++block)
            homes.insert(homes.end(), shares.homes(int(block)).begin(), shares.homes(int(block)).end());
        for (const MachineShare* from : homes) {
            for (const MachineShare* to : homes) {
                const MachineRoute& route = all[all.number(from, to)];
                for (const int most : {0, 8 * kCostUnit, 64 * kCostUnit, 1000 * kCostUnit, 2 * kCostUnit}) {
                    const std::optional<int> number = bounded.number_within(from, to, most);
                    ASSERT_EQ(number.has_value(), route.cost <= most) << classic.name << ", " << most;
                    number ? ++within : ++beyond;
                    if (!number) continue;
                    EXPECT_EQ(bounded[*number].cost, route.cost) << classic.name;
                    EXPECT_EQ(bounded[*number].blocks, route.blocks) << classic.name;
                }
            }
        }
    }
    EXPECT_GT(within, 1000);
    EXPECT_GT(beyond, 1000);
}

}  // namespace
}  // namespace ws

// Occupancy against the calculation that comes with the CUDA toolkit, and against figures known from
// lectures.

#include "gpu/analysis/occupancy.h"

#include <cuda_occupancy.h>
#include <gtest/gtest.h>

#include "gpu/analysis/profiles.h"
#include "gpu/core/error.h"

namespace ws {
namespace {

cudaOccDeviceProp properties_of(const GpuLimits& limits) {
    cudaOccDeviceProp properties;
    properties.computeMajor = limits.capability.major;
    properties.computeMinor = limits.capability.minor;
    properties.maxThreadsPerBlock = limits.threads_per_block;
    properties.maxThreadsPerMultiprocessor = limits.warps_per_multiprocessor * 32;
    properties.regsPerBlock = limits.registers_per_block;
    properties.regsPerMultiprocessor = limits.registers_per_multiprocessor;
    properties.warpSize = 32;
    properties.sharedMemPerBlock = std::size_t(limits.shared_bytes_per_block);
    properties.sharedMemPerMultiprocessor = std::size_t(limits.shared_bytes_per_multiprocessor);
    properties.numSms = 1;
    properties.sharedMemPerBlockOptin = std::size_t(limits.shared_bytes_per_block);
    properties.reservedSharedMemPerBlock = std::size_t(limits.shared_bytes_reserved);
    return properties;
}

class Capability : public ::testing::TestWithParam<GpuLimits> {};

TEST_P(Capability, AgreesWithTheToolkit) {
    const GpuLimits& limits = GetParam();
    const cudaOccDeviceProp properties = properties_of(limits);
    cudaOccDeviceState state;
    state.carveoutConfig = SHAREDMEM_CARVEOUT_DEFAULT;
    cudaOccFuncAttributes attributes;
    attributes.maxThreadsPerBlock = limits.threads_per_block;
    attributes.numBlockBarriers = 1;
    cudaOccResult expected;
    int compared = 0;
    for (int threads = 1; threads <= limits.threads_per_block; threads += threads < 96 ? 1 : 13) {
        for (int registers = 1; registers <= limits.registers_per_thread; registers += 3) {
            for (const int shared :
                 {0, 1, 100, 640, 1023, 2128, 3432, 3520, 8192, 12345, 24576, 32960, 49000, 49152}) {
                attributes.numRegs = registers;
                attributes.sharedSizeBytes = std::size_t(shared);
                const cudaOccError status = cudaOccMaxActiveBlocksPerMultiprocessor(
                    &expected, &properties, &attributes, &state, threads, 0);
                if (status == CUDA_OCC_ERROR_UNKNOWN_DEVICE)
                    GTEST_SKIP() << "the toolkit does not know " << limits.capability.text();
                ASSERT_EQ(status, CUDA_OCC_SUCCESS);
                const Occupancy ours = occupancy_of({threads, registers, shared}, limits);
                ASSERT_EQ(ours.active_blocks, expected.activeBlocksPerMultiprocessor)
                    << threads << " threads, " << registers << " registers, " << shared << " bytes";
                if (expected.activeBlocksPerMultiprocessor > 0) {
                    ASSERT_EQ(ours.by_registers, expected.blockLimitRegs)
                        << threads << " threads, " << registers << " registers";
                    ASSERT_EQ(ours.by_shared == kNoLimit ? INT_MAX : ours.by_shared,
                              expected.blockLimitSharedMem);
                    ASSERT_EQ(ours.by_warps, expected.blockLimitWarps);
                    ASSERT_EQ(ours.by_blocks, expected.blockLimitBlocks);
                }
                ++compared;
            }
        }
    }
    EXPECT_GT(compared, 10000);
}

INSTANTIATE_TEST_SUITE_P(All, Capability, ::testing::ValuesIn(GpuTable().capabilities()),
                         [](const auto& test) {
                             return "cc" + std::to_string(test.param.capability.major) + "_" +
                                    std::to_string(test.param.capability.minor);
                         });

TEST(Occupancy, FiguresFromTheLectures) {
    const GpuTable table;
    // V0 on Kepler: 8 x 8 threads are 2 warps, 16 blocks at most: 32 of 64 warps.
    const Occupancy kepler = occupancy_of({64, 30, 0}, table.named("Quadro K2100M").limits);
    EXPECT_EQ(kepler.active_blocks, 16);
    EXPECT_EQ(kepler.active_warps, 32);
    EXPECT_DOUBLE_EQ(kepler.percent, 50);
    EXPECT_EQ(kepler.limited_by, std::vector<std::string>{"blocks"});
    // 40 registers and 3432 bytes on 8.6.
    const GpuLimits& ampere = table.named("RTX 3060").limits;
    EXPECT_EQ(occupancy_of({128, 40, 3432}, ampere).active_blocks, 12);
    EXPECT_DOUBLE_EQ(occupancy_of({128, 40, 3432}, ampere).percent, 100);
    EXPECT_EQ(occupancy_of({1024, 40, 3432}, ampere).active_blocks, 1);
    EXPECT_NEAR(occupancy_of({1024, 40, 3432}, ampere).percent, 67, 0.5);
    // The first CUDA GPU: registers go to whole blocks. 256 threads of 10 registers: 3 blocks, 24 warps, all
    // of them.
    const GpuLimits& g80 = table.named("FX 5600").limits;
    EXPECT_EQ(occupancy_of({256, 10, 0}, g80).active_blocks, 3);
    EXPECT_EQ(occupancy_of({256, 11, 0}, g80).active_blocks, 2);
    EXPECT_EQ(occupancy_of({512, 17, 0}, g80).active_blocks, 0);
    // Fermi: 48 warps, 32 K registers: 21 registers are too many for six blocks of 256 threads.
    const GpuLimits& fermi = table.named("GTX 560 Ti").limits;
    EXPECT_EQ(occupancy_of({256, 20, 0}, fermi).active_blocks, 6);
    EXPECT_EQ(occupancy_of({256, 22, 0}, fermi).active_blocks, 5);
    EXPECT_EQ(occupancy_of({256, 64, 0}, fermi).active_blocks, 0) << "63 registers a thread at most";
}

// 2.x, and 3.x but 3.7: 16 of 64 KB where a launch prefers L1 and needs no more.
TEST(Occupancy, LOneMayHaveTheLargerPart) {
    const GpuTable gpus;
    for (const auto& [name, smaller] : {std::pair{"GTX 560 Ti", true}, std::pair{"Tesla K40m", true},
                                        std::pair{"GTX 280", false}, std::pair{"H200", false}}) {
        const GpuLimits& limits = gpus.named(name).limits;
        const auto shared = [&](CachePreference cache, int bytes) {
            return shared_bytes_of_split(limits, cache, bytes);
        };
        const int whole = limits.shared_bytes_per_multiprocessor;
        EXPECT_EQ(shared(CachePreference::none, 4096), whole) << name;
        EXPECT_EQ(shared(CachePreference::shared, 4096), whole) << name;
        EXPECT_EQ(shared(CachePreference::l1, 4096), smaller ? 16 * 1024 : whole) << name;
        EXPECT_EQ(shared(CachePreference::l1, 16 * 1024 + 1), whole) << name;
        const auto l1 = [&](CachePreference cache) { return l1_bytes(limits, cache, 4096, 4096); };
        if (smaller) {
            EXPECT_EQ(l1(CachePreference::l1), 48 * 1024) << name;
            EXPECT_EQ(l1(CachePreference::shared), 16 * 1024) << name;
        } else {
            EXPECT_EQ(l1(CachePreference::l1), l1(CachePreference::none)) << name;
        }
    }
}

// From 7.0 on L1 has what shared memory leaves, which is little where a launch prefers that.
TEST(Occupancy, LOneHasWhatSharedMemoryLeaves) {
    const GpuLimits limits = GpuTable().named("H200").limits;
    const auto l1 = [&](CachePreference cache, std::uint64_t resident) {
        return l1_bytes(limits, cache, 4096, resident);
    };
    EXPECT_EQ(l1(CachePreference::none, 0), 256 * 1024);
    EXPECT_EQ(l1(CachePreference::none, 100 * 1024), 156 * 1024);
    EXPECT_EQ(l1(CachePreference::none, 228 * 1024), 28 * 1024);
    // The next larger of its parts.
    EXPECT_EQ(l1(CachePreference::none, 1), 248 * 1024);
    EXPECT_EQ(l1(CachePreference::none, 33 * 1024), 192 * 1024);
    EXPECT_EQ(l1(CachePreference::none, 100 * 1024 + 1), 124 * 1024);
    GpuLimits turing = GpuTable().named("RTX 2080").limits;
    EXPECT_EQ(l1_bytes(turing, CachePreference::none, 0, 0), 64 * 1024);
    EXPECT_EQ(l1_bytes(turing, CachePreference::none, 4096, 33 * 1024), 32 * 1024);
    turing.capability = {7, 0};
    turing.shared_bytes_per_multiprocessor = 96 * 1024;
    EXPECT_EQ(l1_bytes(turing, CachePreference::none, 4096, 65 * 1024), 32 * 1024) << "96 is all there is";
    EXPECT_EQ(l1(CachePreference::shared, 4096), 28 * 1024);
    for (const auto& [name, least] :
         {std::pair{"RTX 2080", 32}, std::pair{"RTX 3060", 28}, std::pair{"H100", 28}})
        EXPECT_EQ(l1_bytes(GpuTable().named(name).limits, CachePreference::shared, 4096, 4096),
                  std::uint64_t(least) * 1024)
            << name;
    EXPECT_EQ(l1_bytes(GpuTable().named("GTX 280").limits, CachePreference::shared, 4096, 4096), 0)
        << "there is none";
}

TEST(Occupancy, TheNextStepIsTrue) {
    const GpuLimits limits = GpuTable().named("H100").limits;
    const Occupancy now = occupancy_of({256, 47, 0}, limits);
    EXPECT_EQ(now.active_blocks, 5);
    EXPECT_EQ(english(next_step(now)), "7 registers fewer per thread: 6 blocks, 75 %");
    EXPECT_EQ(occupancy_of({256, 40, 0}, limits).active_blocks, 6);
    EXPECT_EQ(occupancy_of({256, 41, 0}, limits).active_blocks, 5);
    EXPECT_TRUE(next_step(occupancy_of({256, 32, 0}, limits)).empty());
    EXPECT_NE(english(next_step(occupancy_of({128, 32, 20000}, limits))).find("bytes of shared memory fewer"),
              std::string::npos);
    EXPECT_NE(english(next_step(occupancy_of({32, 16, 0}, limits))).find("a block of 64 threads"),
              std::string::npos);
}

TEST(Occupancy, CurvesPassThroughTheCurrentPoint) {
    const GpuLimits limits = GpuTable().named("RTX 4090").limits;
    const KernelResources kernel{256, 48, 4096};
    const double now = occupancy_of(kernel, limits).percent;
    for (const OccupancyCurve& curve : occupancy_curves(kernel, limits)) {
        ASSERT_EQ(curve.x.size(), curve.percent.size());
        bool met = false;
        for (std::size_t i = 0; i < curve.x.size(); ++i) {
            if (curve.x[i] == curve.current) {
                met = true;
                EXPECT_NEAR(curve.percent[i], now, 1e-4);
            }
        }
        EXPECT_TRUE(met);
    }
}

TEST(Occupancy, ARefusedBlockHasItsArithmetic) {
    int refused = 0;
    const GpuTable gpus;
    for (const GpuLimits& limits : gpus.capabilities()) {
        for (const int threads : {32, 512, 1024, 1056}) {
            for (const int registers : {16, 33, 80, 200, 300}) {
                for (const int shared : {0, 20'000, 120'000}) {
                    const Occupancy o = occupancy_of({threads, registers, shared}, limits);
                    if (o.active_blocks > 0) continue;
                    ++refused;
                    const LaunchExcess excess = excess_of(o);
                    EXPECT_NE(excess.of, LaunchExcess::Of::none)
                        << limits.capability.text() << ": " << threads << ' ' << registers << ' ' << shared;
                    EXPECT_GT(excess.asked, excess.most);
                }
            }
        }
    }
    EXPECT_GT(refused, 50);
    const GpuLimits ampere = GpuTable().named("RTX 3060").limits;
    const LaunchExcess registers = excess_of(occupancy_of({1024, 80, 0}, ampere));
    EXPECT_EQ(registers.of, LaunchExcess::Of::registers_of_block);
    EXPECT_EQ(registers.asked, 80 * 1024);
    EXPECT_EQ(registers.most, 65536);
}

TEST(Occupancy, TheLowestLimitIsTheCurve) {
    const GpuTable gpus;
    for (const GpuLimits& limits : gpus.capabilities()) {
        for (const OccupancyCurve& curve : occupancy_curves({128, 32, 3000}, limits)) {
            for (std::size_t i = 0; i < curve.x.size(); ++i) {
                float lowest = curve.limits[0][i];
                for (const std::vector<float>& limit : curve.limits) lowest = std::min(lowest, limit[i]);
                EXPECT_FLOAT_EQ(lowest, curve.percent[i]) << limits.capability.text() << " at " << curve.x[i];
            }
        }
    }
}

TEST(GpuTable, HoldsTheNamedGpus) {
    const GpuTable table;
    for (const char* name : {"FX 5600", "GTX 280", "GTX 560 Ti", "GTX 650 Ti", "Quadro K2100M", "Tesla K40m",
                             "GTX 1080", "RTX 2080", "A100", "RTX 3060", "RTX 4090", "H100", "H200",
                             "RTX 5090", "nvidia geforce rtx 4090", "h200"}) {
        const GpuProfile& gpu = table.named(name);
        EXPECT_GT(gpu.multiprocessors, 0) << name;
        EXPECT_GT(gpu.clock_mhz, 0) << name;
        // Theoretical bandwidth = memory clock x bus width x 2 lines per clock.
        EXPECT_NEAR(gpu.bandwidth_gb_s, gpu.memory_clock_mhz * 1e6 * gpu.bus_width_bits / 8 * 2 / 1e9,
                    0.006 * gpu.bandwidth_gb_s)
            << name;
    }
    EXPECT_EQ(table.named("NVIDIA H100 80GB HBM3").name, "H100") << "as its driver has it";
    EXPECT_THROW((void)table.named("RTX 9999"), UsageError);
    EXPECT_THROW(GpuTable("{}"), Error);
    EXPECT_THROW(GpuTable("not json"), Error);
    EXPECT_EQ(table.capabilities().front().capability.text(), "1.0");
    EXPECT_EQ(table.capabilities().back().capability.text(), "12.0");
}

// What a driver does not report about its GPU comes from the table; what it reports stays.
TEST(GpuTable, CompletesAMeasuredGpu) {
    const GpuTable table;
    GpuProfile measured;
    measured.name = "NVIDIA H200";
    measured.limits.capability = {9, 0};
    measured.limits.shared_bytes_per_block = 4711;
    measured.multiprocessors = 131;
    const GpuProfile& known = table.named("H200");
    const GpuProfile completed = table.completed(measured);
    EXPECT_EQ(completed.chip, known.chip);
    EXPECT_EQ(completed.bandwidth_gb_s, known.bandwidth_gb_s);
    EXPECT_EQ(completed.limits.register_granularity, known.limits.register_granularity);
    EXPECT_EQ(completed.limits.partitions, known.limits.partitions);
    EXPECT_EQ(completed.limits.shared_granularity, known.limits.shared_granularity);
    EXPECT_EQ(completed.limits.shared_bytes_per_block, 4711);
    EXPECT_EQ(completed.multiprocessors, 131);
    measured.bandwidth_gb_s = 1000;
    EXPECT_EQ(table.completed(measured).bandwidth_gb_s, 1000) << "measured here";
    measured.name = "A GPU of tomorrow";
    EXPECT_EQ(table.completed(measured).chip, "");
}

}  // namespace
}  // namespace ws

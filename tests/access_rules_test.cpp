// Sectors, transactions and wavefronts by compute capability against the figures of the guides and lectures.

#include "gpu/simt/access_rules.h"

#include <gtest/gtest.h>

#include <functional>
#include <numeric>
#include <set>
#include <tuple>
#include <vector>

#include "gpu/core/files.h"
#include "shared_maps.h"
#include "simt_support.h"

namespace ws::simt {
namespace {

using Index = std::function<std::uint64_t(int)>;

std::vector<std::uint8_t> every_lane() {
    std::vector<std::uint8_t> lanes(32);
    std::iota(lanes.begin(), lanes.end(), std::uint8_t(0));
    return lanes;
}

// A warp's request at base 4096 for words of `bytes` at the index of each lane.
Traffic request(GlobalRule rule, const Index& index, int bytes = 4) {
    std::vector<std::uint64_t> addresses;
    for (int lane = 0; lane < 32; ++lane) addresses.push_back(4096 + index(lane) * std::uint64_t(bytes));
    return global_traffic(rule, addresses, every_lane(), bytes);
}

double use(const Traffic& traffic) {
    return 100.0 * traffic.bytes_requested / traffic.bytes_transferred;
}

BankWavefronts banks(BankRule rule, const Index& word, int bytes = 4) {
    std::vector<std::uint64_t> offsets;
    for (int lane = 0; lane < 32; ++lane) offsets.push_back(word(lane) * std::uint64_t(bytes));
    return bank_wavefronts(rule, offsets, every_lane(), bytes);
}

TEST(AccessRules, FollowTheCapability) {
    EXPECT_EQ(access_rules({1, 0}, BankWidth::standard).loads, GlobalRule::strict_half_warps);
    EXPECT_EQ(access_rules({1, 3}, BankWidth::standard).loads, GlobalRule::segments);
    EXPECT_EQ(access_rules({2, 1}, BankWidth::standard).loads, GlobalRule::lines);
    EXPECT_EQ(access_rules({2, 1}, BankWidth::standard).stores, GlobalRule::sectors);
    for (const auto& [capability, loads, stores] :
         {std::tuple{ComputeCapability{1, 3}, BankRule::sixteen, BankRule::sixteen},
          {ComputeCapability{2, 1}, BankRule::thirty_two, BankRule::thirty_two},
          {ComputeCapability{3, 5}, BankRule::kepler_eight, BankRule::kepler_eight},
          {ComputeCapability{6, 1}, BankRule::thirty_two, BankRule::thirty_two},
          {ComputeCapability{7, 0}, BankRule::lane_pairs, BankRule::thirty_two},
          {ComputeCapability{9, 0}, BankRule::lane_pairs, BankRule::thirty_two}}) {
        const AccessRules rules = access_rules(capability, BankWidth::eight_bytes);
        EXPECT_EQ(rules.shared_loads, loads) << capability.number();
        EXPECT_EQ(rules.shared_stores, stores) << capability.number();
    }
    EXPECT_EQ(access_rules({3, 5}, BankWidth::standard).shared_loads, BankRule::kepler_four);
}

TEST(AccessRules, FermisUseOfTheBus) {
    const GlobalRule caching = GlobalRule::lines;
    const GlobalRule sectors = GlobalRule::sectors;
    const Index row = [](int lane) { return std::uint64_t(lane); };
    const Index permuted = [](int lane) { return std::uint64_t(lane * 7 % 32); };
    const Index shifted = [](int lane) { return std::uint64_t(lane + 5); };
    const Index same = [](int) { return std::uint64_t(3); };
    const Index scattered = [](int lane) { return std::uint64_t(lane * 100); };
    EXPECT_EQ(use(request(caching, row)), 100);
    EXPECT_EQ(use(request(sectors, row)), 100);
    EXPECT_EQ(use(request(caching, permuted)), 100);
    EXPECT_EQ(use(request(sectors, permuted)), 100);
    EXPECT_EQ(use(request(caching, shifted)), 50);
    EXPECT_EQ(use(request(sectors, shifted)), 80);
    EXPECT_EQ(use(request(caching, same)), 3.125);
    EXPECT_EQ(use(request(sectors, same)), 12.5);
    EXPECT_EQ(request(caching, scattered).bytes_transferred, 32u * 128);
    EXPECT_EQ(request(sectors, scattered).bytes_transferred, 32u * 32);
}

TEST(AccessRules, StridesOfSectors) {
    // A row is served as four transactions of 128 bytes; 128 bytes apart they are 32 of 1024.
    EXPECT_EQ(request(GlobalRule::sectors, [](int lane) { return std::uint64_t(lane); }).sectors, 4u);
    const Traffic far = request(GlobalRule::sectors, [](int lane) { return std::uint64_t(lane * 32); });
    EXPECT_EQ(far.sectors, 32u);
    EXPECT_EQ(far.bytes_transferred, 1024u);
    // Three lines are replayed twice.
    const Traffic three = request(GlobalRule::lines, [](int lane) {
        return std::uint64_t(lane < 10 ? lane : lane < 20 ? 40 + lane : 80 + lane);
    });
    EXPECT_EQ(three.sectors, 3u);
    EXPECT_EQ(three.replays, 2u);
    EXPECT_EQ(request(
                  GlobalRule::sectors, [](int lane) { return std::uint64_t(lane); }, 8)
                  .sectors,
              8u);
    EXPECT_EQ(request(
                  GlobalRule::sectors, [](int lane) { return std::uint64_t(lane); }, 16)
                  .sectors,
              16u);
}

TEST(AccessRules, AnEightWideBlockMovesThreeTimesTooMuch) {
    // 8 x 4 lanes of a warp read bytes of four rows: of each 32-byte sector 8 are used.
    const Traffic traffic = request(
        GlobalRule::sectors, [](int lane) { return std::uint64_t(lane / 8 * 3648 + lane % 8); }, 1);
    EXPECT_EQ(traffic.sectors, 4u);
    EXPECT_EQ(100.0 * traffic.bytes_transferred / traffic.bytes_requested - 100, 300);
}

TEST(AccessRules, OffsetsAndStridesBeforeFermi) {
    for (int offset = 0; offset <= 16; ++offset) {
        const Index index = [offset](int lane) { return std::uint64_t(lane + offset); };
        const Traffic strict = request(GlobalRule::strict_half_warps, index);
        EXPECT_EQ(strict.sectors, offset % 16 == 0 ? 2u : 32u) << offset;
        const Traffic segments = request(GlobalRule::segments, index);
        EXPECT_LE(segments.sectors, 4u) << offset;
        if (offset % 16 == 0) {
            EXPECT_EQ(segments.sectors, 2u) << offset;
        }
        // Two transactions a half warp at most, and each half warp's 64 bytes are among them.
        EXPECT_GE(segments.bytes_transferred, 128u) << offset;
        EXPECT_LE(segments.bytes_transferred, 256u) << offset;
    }
    // Out of order: the strict rule serves each thread on its own, segments do not mind.
    const Index backwards = [](int lane) { return std::uint64_t(lane ^ 15); };
    EXPECT_EQ(request(GlobalRule::strict_half_warps, backwards).sectors, 32u);
    EXPECT_EQ(request(GlobalRule::segments, backwards).sectors, 2u);
    for (const int stride : {2, 4, 8, 18}) {
        const Index index = [stride](int lane) { return std::uint64_t(lane * stride); };
        EXPECT_EQ(request(GlobalRule::strict_half_warps, index).sectors, 32u) << stride;
    }
    EXPECT_EQ(
        request(GlobalRule::segments, [](int lane) { return std::uint64_t(lane * 2); }).bytes_transferred,
        256u);
    EXPECT_EQ(request(
                  GlobalRule::strict_half_warps, [](int lane) { return std::uint64_t(lane); }, 8)
                  .bytes_transferred,
              256u);
    EXPECT_EQ(request(
                  GlobalRule::strict_half_warps, [](int lane) { return std::uint64_t(lane); }, 16)
                  .sectors,
              4u);
}

TEST(AccessRules, BanksAndStrides) {
    for (int stride = 1; stride <= 33; ++stride) {
        const Index word = [stride](int lane) { return std::uint64_t(lane * stride); };
        const auto common = std::uint32_t(std::gcd(stride, 32));
        EXPECT_EQ(banks(BankRule::thirty_two, word).wavefronts, common) << stride;
        const auto half = std::uint32_t(std::gcd(stride, 16));
        EXPECT_EQ(banks(BankRule::sixteen, word).wavefronts, 2 * half) << stride;
        EXPECT_EQ(banks(BankRule::thirty_two, word).wavefronts == 1, stride % 2 == 1) << stride;
    }
    for (const int offset : {0, 1, 5, 31})
        EXPECT_EQ(banks(BankRule::thirty_two, [offset](int lane) { return std::uint64_t(lane + offset); })
                      .wavefronts,
                  1u);
}

TEST(AccessRules, BroadcastMulticastAndWideWords) {
    EXPECT_EQ(banks(BankRule::thirty_two, [](int) { return 7u; }).wavefronts, 1u);
    EXPECT_TRUE(banks(BankRule::thirty_two, [](int) { return 7u; }).broadcast);
    EXPECT_EQ(banks(BankRule::thirty_two, [](int lane) { return std::uint64_t(lane / 2 * 3); }).wavefronts,
              1u);
    EXPECT_EQ(banks(BankRule::sixteen, [](int) { return 7u; }).wavefronts, 2u);
    EXPECT_EQ(banks(
                  BankRule::thirty_two, [](int lane) { return std::uint64_t(lane); }, 8)
                  .wavefronts,
              2u);
    EXPECT_EQ(banks(
                  BankRule::thirty_two, [](int lane) { return std::uint64_t(lane); }, 16)
                  .wavefronts,
              4u);
    // Kepler: 8-byte banks take doubles in one pass, and in 4-byte mode words 32 apart in a run of 64 as
    // well.
    EXPECT_EQ(banks(
                  BankRule::kepler_eight, [](int lane) { return std::uint64_t(lane); }, 8)
                  .wavefronts,
              1u);
    EXPECT_EQ(banks(BankRule::kepler_four, [](int lane) { return std::uint64_t(lane % 2 * 32 + lane / 2); })
                  .wavefronts,
              1u);
    EXPECT_EQ(banks(BankRule::thirty_two, [](int lane) { return std::uint64_t(lane % 2 * 32 + lane / 2); })
                  .wavefronts,
              2u);
}

TEST(AccessRules, WideLoadsOfSharedWords) {
    const Index one = [](int) { return 7u; };
    const Index pairs = [](int lane) { return std::uint64_t(lane / 2); };
    const Index twos = [](int lane) { return std::uint64_t(lane / 4 * 2 + lane % 2); };
    const Index both = [](int lane) { return std::uint64_t(lane & 8 ? lane / 2 : lane / 4 * 2 + lane % 2); };
    const Index outer = [](int lane) { return std::uint64_t(std::min(lane, lane ^ 3)); };
    const Index fours = [](int lane) { return std::uint64_t(lane % 4); };
    for (const auto& [index, wavefronts_8, wavefronts_16] : {std::tuple{one, 1u, 2u},
                                                             {pairs, 1u, 2u},
                                                             {twos, 1u, 2u},
                                                             {both, 2u, 4u},
                                                             {outer, 2u, 4u},
                                                             {fours, 2u, 4u}}) {
        const BankWavefronts loads_8 = banks(BankRule::lane_pairs, index, 8);
        const BankWavefronts loads_16 = banks(BankRule::lane_pairs, index, 16);
        EXPECT_EQ(loads_8.wavefronts, wavefronts_8);
        EXPECT_EQ(loads_16.wavefronts, wavefronts_16);
        // None of them is a conflict, and stores do not care.
        EXPECT_EQ(loads_8.ideal, wavefronts_8);
        EXPECT_EQ(loads_16.ideal, wavefronts_16);
        EXPECT_TRUE(loads_8.broadcast && loads_16.broadcast);
        EXPECT_EQ(banks(BankRule::thirty_two, index, 8).wavefronts, 2u);
        EXPECT_EQ(banks(BankRule::thirty_two, index, 16).wavefronts, 4u);
    }
    // Lanes that share words may conflict with others: words 0 and 16 of 8 bytes lie in one bank.
    const BankWavefronts apart = banks(
        BankRule::lane_pairs, [](int lane) { return std::uint64_t(lane / 2 * 16); }, 8);
    EXPECT_EQ(apart.wavefronts, 16u);
    EXPECT_EQ(apart.ideal, 1u);
    // A lane without its partner stands in no pair's way.
    const std::vector<std::uint64_t> offsets{0, 8, 8, 24};
    const std::vector<std::uint8_t> lanes{1, 16, 17, 31};
    EXPECT_EQ(bank_wavefronts(BankRule::lane_pairs, offsets, lanes, 8).wavefronts, 1u);
}

// Every map of the file: the wavefronts, and never fewer than one for each part of the warp.
TEST(AccessRules, SharedMemoryAsOnTheH200) {
    const auto maps = testing::shared_maps(
        read_file(std::string(WARPSCOPE_SOURCE_DIR) + "/tests/counters/h200_shared.txt"));
    EXPECT_GT(maps.size(), 3000u);
    const AccessRules rules = access_rules({9, 0}, BankWidth::standard);
    int halved = 0;
    for (const testing::SharedMap& map : maps) {
        std::vector<std::uint64_t> offsets;
        std::vector<std::uint8_t> lanes;
        for (std::uint8_t lane = 0; lane < 32; ++lane) {
            if (!(map.lanes >> lane & 1)) continue;
            offsets.push_back(map.offsets[lane]);
            lanes.push_back(lane);
        }
        const BankWavefronts load = bank_wavefronts(rules.shared_loads, offsets, lanes, map.bytes);
        const BankWavefronts store = bank_wavefronts(rules.shared_stores, offsets, lanes, map.bytes);
        EXPECT_EQ(load.wavefronts, map.load_wavefronts) << map.line;
        EXPECT_EQ(store.wavefronts, map.store_wavefronts) << map.line;
        EXPECT_TRUE(load.ideal <= load.wavefronts && store.ideal <= store.wavefronts) << map.line;
        EXPECT_LE(load.ideal, store.ideal) << map.line;
        halved += load.ideal < store.ideal;
    }
    EXPECT_GT(halved, 300);
}

// As n-body kernels do: all lanes read one 16-byte word after the other.
// Clocks of a load that L1 has, measured on an H200: 32 warps, 16 loads each on their way.
TEST(AccessRules, LoadsFromL1AsOnTheH200) {
    const auto clocks = [](int bytes, const auto& address_of) {
        std::vector<std::uint64_t> addresses;
        std::vector<std::uint8_t> lanes;
        for (int lane = 0; lane < 32; ++lane) {
            addresses.push_back(std::uint64_t(address_of(lane)) / std::uint64_t(bytes) *
                                std::uint64_t(bytes));
            lanes.push_back(std::uint8_t(lane));
        }
        std::set<std::uint64_t> different;
        for (const std::uint64_t address : addresses) different.insert(address / kLineBytes);
        std::vector<LineSectors> lines;
        for (const std::uint64_t line : different) lines.emplace_back(line, 1);
        return std::max(simt::tag_lookups(lines),
                        bank_wavefronts(simt::BankRule::thirty_two, addresses, lanes, bytes).wavefronts);
    };
    for (const int lines : {1, 2, 4, 8, 16, 32}) {
        // A word of each line lies in the same bank: one after the other.
        const auto same = [&](int lane) { return lane % lines * 128; };
        EXPECT_EQ(clocks(1, same), unsigned(lines));
        EXPECT_EQ(clocks(4, same), unsigned(lines));
        EXPECT_EQ(clocks(8, same), unsigned(std::min(32, 2 * lines)));
        EXPECT_EQ(clocks(16, same), unsigned(std::min(32, 4 * lines)));
        // Each lane has a bank of its own: four lines are found in a clock.
        EXPECT_EQ(clocks(4, [&](int lane) { return lane % lines * 128 + lane * 4; }),
                  unsigned(std::max(1, lines / 4)));
    }
    for (const auto& [stride, of_words] :
         {std::pair{1, 1}, {2, 2}, {3, 1}, {4, 4}, {6, 2}, {8, 8}, {12, 4}, {16, 16}, {24, 8}, {32, 32}})
        EXPECT_EQ(clocks(4, [stride = stride](int lane) { return lane * stride * 4; }), unsigned(of_words))
            << stride;
    // Bytes of a block eight wide: what its rows' lines and banks come to, not four lines.
    const auto block = [](int pitch) { return [pitch](int lane) { return lane / 8 * pitch + lane % 8; }; };
    EXPECT_EQ(clocks(1, block(4096)), 4u);
    EXPECT_EQ(clocks(1, block(3584)), 4u);
    EXPECT_EQ(clocks(1, block(1000)), 2u);
    EXPECT_EQ(clocks(1, block(500)), 1u);
    EXPECT_EQ(clocks(1, block(333)), 2u);
}

// Measured on an H200 with loads of two lines: bench/l1_tags.
TEST(AccessRules, LinesOfABankOfTagsAreFoundOneAfterTheOther) {
    const auto lookups = [](std::initializer_list<std::uint64_t> numbers) {
        std::vector<LineSectors> lines;
        for (const std::uint64_t number : numbers) lines.emplace_back(number, 1);
        return simt::tag_lookups(lines);
    };
    EXPECT_EQ(lookups({0, 1, 2, 3}), 1u);
    EXPECT_EQ(lookups({0}), 1u);
    // Of a power of two and the first four lines, one shares a bank with it.
    constexpr std::array<int, 26> kShared{1, 2, 1, 2, 3, 1, 2, 3, 2, 1, 2, 1, 3,
                                          1, 3, 2, 1, 3, 1, 3, 2, 3, 1, 3, 1, 2};
    for (std::size_t bit = 2; bit < kShared.size(); ++bit)
        for (int first = 0; first < 4; ++first)
            EXPECT_EQ(lookups({std::uint64_t(first), std::uint64_t(1) << bit}),
                      first == kShared[bit] ? 2u : 1u)
                << "bit " << bit << ", line " << first;
    // Rows of a picture, by warps side by side: 3616 bytes apart 3.00 clocks a load, 3232 bytes 2.22.
    const auto of_rows = [&](std::uint64_t pitch) {
        double sum = 0;
        for (std::uint64_t warp = 0; warp < 32; ++warp) {
            const auto line = [&](std::uint64_t row) { return warp + row * pitch / kLineBytes; };
            sum += lookups({line(0), line(1), line(2), line(3)});
        }
        return sum / 32;
    };
    EXPECT_NEAR(of_rows(3616), 3, 0.01);
    EXPECT_NEAR(of_rows(3232), 2.219, 0.01);
    EXPECT_NEAR(of_rows(288), 1.438, 0.01);
}

TEST(AccessRules, OneWideWordForAllLanes) {
    WS_NEED_COMPILER();
    const std::string text = R"(
        extern "C" __global__ void k(const float4* in, float* out) { __shared__ float4 words[64];
            words[threadIdx.x] = in[threadIdx.x];
            __syncthreads(); float sum = 0;
            for (int i = 0; i < 48; ++i) { const float4 word = words[i]; sum += word.x + word.y * word.z - word.w; }
            out[threadIdx.x] = sum; })";
    std::vector<float> in(64 * 4, 1.0f), out(64);
    for (const auto& [gpu, wavefronts] : {std::pair{"H200", 2u}, {"GTX 1080", 4u}}) {
        for (const int threads : {48, 64}) {  // half of the second warp, and all of it
            testing::Kernel kernel(text, "k", gpu);
            const auto outcome = kernel.buffer(in).buffer(out, false).run({1, 1, 1}, {threads, 1, 1});
            const SharedCounts& loads = outcome.counters.total.shared_load;
            EXPECT_EQ(loads.requests, 96u) << gpu;
            EXPECT_EQ(loads.ideal, loads.wavefronts) << gpu;
            EXPECT_EQ(loads.wavefronts,
                      threads == 64 ? 96u * wavefronts : 48u * (wavefronts + wavefronts / 2))
                << gpu;
        }
    }
}

TEST(AccessRules, TransposesSharedEfficiencyOnFermi) {
    WS_NEED_COMPILER();
    const std::string text = R"(
        template <int kColumns> __device__ void transpose(const float* in, float* out) { __shared__ float tile[32][kColumns];
            int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y; tile[threadIdx.y][threadIdx.x] = in[y * 64 + x];
            __syncthreads(); out[(blockIdx.x * 32 + threadIdx.y) * 64 + blockIdx.y * 32 + threadIdx.x] = tile[threadIdx.x][threadIdx.y]; }
        extern "C" __global__ void tiled(const float* in, float* out) { transpose<32>(in, out); }
        extern "C" __global__ void padded(const float* in, float* out) { transpose<33>(in, out); })";
    std::vector<float> in(64 * 64), out(64 * 64);
    for (std::size_t i = 0; i < in.size(); ++i) in[i] = float(i);
    for (const auto& [name, percent] : {std::pair{"tiled", 6.06}, {"padded", 100.0}}) {
        testing::Kernel kernel(text, name, "GTX 560 Ti");
        const auto outcome = kernel.buffer(in).buffer(out, false).run({2, 2, 1}, {32, 32, 1});
        EXPECT_TRUE(outcome.counters.findings.empty()) << testing::findings_text(outcome);
        EXPECT_NEAR(100 * outcome.counters.total.shared_efficiency(), percent, 0.005);
        EXPECT_EQ(out[5 * 64 + 40], in[40 * 64 + 5]);
    }
}

TEST(AccessRules, PartitionsOfTheG200) {
    WS_NEED_COMPILER();
    std::vector<float> in(2048 * 64);
    // All blocks in the first columns of a matrix of 2048 bytes a row use one of the eight partitions.
    testing::Kernel kernel(
        "extern \"C\" __global__ void k(float* m) { m[blockIdx.x * 512 + threadIdx.x] = 1; }", "k",
        "GTX 280");
    const auto outcome = kernel.buffer(in).run({64, 1, 1}, {64, 1, 1});
    ASSERT_EQ(outcome.counters.partitions.size(), 8u);
    int used = 0;
    for (const PartitionCounts& one : outcome.counters.partitions) used += one.transactions > 0;
    EXPECT_EQ(used, 1);
}

}  // namespace
}  // namespace ws::simt

#include "gpu/pipeline/versions.h"

#include <algorithm>
#include <array>

#include "gpu/core/error.h"

namespace ws {
namespace {

constexpr Block k32x8{32, 8};
constexpr auto kAny = CachePreference::none;
constexpr auto kL1 = CachePreference::l1;
constexpr auto kShared = CachePreference::shared;
constexpr auto kStandard = BankWidth::standard;
constexpr auto kEight = BankWidth::eight_bytes;

using Kernels = PerStage<std::string_view>;
using Blocks = PerStage<Block>;

// What a version with one kernel for all takes where only a part of the pipeline is shown: the fastest there
// is.
constexpr std::string_view kGray = "gray_c2";
constexpr std::string_view kBlur = "blur_g6";
constexpr std::string_view kEdge = "edge_s1";

// Columns: number, title, what changed, why; kernels and blocks for gray, blur, edge; cache preference and
// bank width of the blur kernel; knobs other than the kernels' defaults.
const std::array kVersions{
    Version{0,
            "first version",
            "Every thread reads its 49 neighbours from global memory, in blocks of 8 x 8.",
            "The formula as it is written, to start from.",
            Kernels{"gray_c1", "blur_g1", "edge_s1"},
            Blocks{k32x8, Block{8, 8}, k32x8},
            kL1,
            kStandard,
            {}},
    Version{1,
            "block 32 x 2",
            "The block is 32 x 2 instead of 8 x 8: as many threads, one row per warp.",
            "Better coalescing: a warp reads 32 neighbours of one row, not 8 of four.",
            Kernels{"gray_c1", "blur_g1", "edge_s1"},
            Blocks{k32x8, Block{32, 2}, k32x8},
            kL1,
            kStandard,
            {}},
    Version{2,
            "block 8 x 16",
            "The block is 8 x 16: 128 threads instead of 64.",
            "Better occupancy: where the number of blocks is the limit, larger blocks bring more warps.",
            Kernels{"gray_c1", "blur_g1", "edge_s1"},
            Blocks{k32x8, Block{8, 16}, k32x8},
            kL1,
            kStandard,
            {}},
    Version{3,
            "block 32 x 4",
            "The block is 32 x 4: rows of 32 and 128 threads together.",
            "Better occupancy and coalescing at once.",
            Kernels{"gray_c1", "blur_g1", "edge_s1"},
            Blocks{k32x8, Block{32, 4}, k32x8},
            kL1,
            kStandard,
            {}},
    Version{4,
            "launch bounds",
            "__launch_bounds__ tells the compiler the block size and asks for 10 blocks.",
            "Less register pressure: with fewer registers per thread more warps are resident on a "
            "multiprocessor.",
            Kernels{"gray_c1", "blur_g2", "edge_s1"},
            Blocks{k32x8, Block{32, 4}, k32x8},
            kL1,
            kStandard,
            {}},
    Version{5,
            "shared memory",
            "The block copies its pixels and a border of 3 into shared memory first.",
            "Less pressure on the LSU pipe: each pixel is read from global memory about once.",
            Kernels{"gray_c1", "blur_g3", "edge_s1"},
            Blocks{k32x8, Block{32, 4}, k32x8},
            kShared,
            kStandard,
            {}},
    Version{6,
            "better convolution",
            "2-byte loads, a tile of floats, two vertical neighbours per thread.",
            "Wider loads and more work per thread: two pixels share most of their window.",
            Kernels{"gray_c1", "blur_g4", "edge_s1"},
            Blocks{k32x8, k32x8, k32x8},
            kShared,
            kStandard,
            {}},
    Version{7,
            "separable filter",
            "First the rows, then the columns of the row sums.",
            "Less computation: 7 + 7 multiply-adds a pixel instead of 49.",
            Kernels{"gray_c1", "blur_g5", "edge_s1"},
            Blocks{k32x8, k32x8, k32x8},
            kShared,
            kStandard,
            {}},
    Version{8,
            "two pixels per thread",
            "The separable filter with 2-byte loads and two output rows per thread.",
            "Memory efficiency and instruction-level parallelism.",
            Kernels{"gray_c1", "blur_g6", "edge_s1"},
            Blocks{k32x8, k32x8, k32x8},
            kShared,
            kStandard,
            {}},
    Version{9,
            "better access to shared memory",
            "Banks 8 bytes wide on Kepler; everywhere else a pair of cells is stored as one 8-byte word.",
            "Fewer bank conflicts: lanes that store every second word make 2-way conflicts.",
            Kernels{"gray_c1", "blur_g6", "edge_s1"},
            Blocks{k32x8, k32x8, k32x8},
            kShared,
            kEight,
            {{"WIDE_STORES", 1}}},
    Version{10,
            "floats",
            "The same kernel with floats instead of integers.",
            "Less pressure on the ALU pipe.",
            Kernels{"gray_c1", "blur_g7", "edge_s1"},
            Blocks{k32x8, k32x8, k32x8},
            kShared,
            kEight,
            {{"WIDE_STORES", 1}}},
    Version{11,
            "math intrinsics",
            "Sobel with float weights and intrinsics; gray with two pixels per thread.",
            "Single instructions instead of sequences; more independent loads.",
            Kernels{"gray_c2", "blur_g7", "edge_s2"},
            Blocks{k32x8, k32x8, k32x8},
            kShared,
            kEight,
            {{"WIDE_STORES", 1}}},
    Version{12,
            "one kernel",
            "Gray, blur and edges in one kernel, from tile to tile in shared memory.",
            "Less traffic: 5 bytes a pixel instead of 9, and one launch instead of three.",
            Kernels{kGray, kBlur, kEdge, "fused_f1"},
            Blocks{k32x8, k32x8, k32x8, Block{32, 16}},
            kShared,
            kStandard,
            {}},
    Version{13,
            "four pixels per thread",
            "A thread reads 16 bytes, works on words of four pixels and writes 4 bytes.",
            "Fewer requests and addresses for the same bytes, in global as in shared memory.",
            Kernels{kGray, kBlur, kEdge, "fused_f2"},
            Blocks{k32x8, k32x8, k32x8, Block{32, 8}},
            kShared,
            kStandard,
            {}},
    Version{14,
            "a warp marches",
            "A warp marches down the picture; rows live in registers, neighbours come by shuffle.",
            "No shared memory, no barrier, and hardly any pixel is worked on twice.",
            Kernels{kGray, kBlur, kEdge, "fused_f3"},
            Blocks{k32x8, k32x8, k32x8, Block{32, 2}},
            kL1,
            kStandard,
            {}},
    Version{15,
            "packed arithmetic",
            "dp4a, two sums in a register, byte permutes; four rows at a time.",
            "A third of the instructions, and more of them independent of each other.",
            Kernels{kGray, kBlur, kEdge, "fused_f4"},
            Blocks{k32x8, k32x8, k32x8, Block{32, 2}},
            kL1,
            kStandard,
            {}},
    Version{16,
            "asynchronous copies",
            "Rows are copied to shared memory ahead; neighbouring warps march towards each other.",
            "Memory and arithmetic never wait for each other.",
            Kernels{kGray, kBlur, kEdge, "fused_f5"},
            Blocks{k32x8, k32x8, k32x8, Block{32, 1}},
            kAny,
            kStandard,
            {}},
    Version{17,
            "work for every multiprocessor",
            "Strips follow picture and GPU: as many warps for each multiprocessor; whole words at any width.",
            "No multiprocessor waits for another, and odd widths need no more requests than even ones.",
            Kernels{kGray, kBlur, kEdge, "fused_f6"},
            Blocks{k32x8, k32x8, k32x8, Block{32, 1}},
            kAny,
            kStandard,
            {}},
};

constexpr std::array kPresets{Block{8, 8},  Block{32, 2},  Block{8, 16}, Block{32, 4},
                              Block{32, 8}, Block{16, 16}, Block{64, 4}, Block{32, 32}};

}  // namespace

std::span<const Version> versions() {
    return kVersions;
}

const Version& version_numbered(int number) {
    const auto found = std::find_if(kVersions.begin(), kVersions.end(),
                                    [&](const Version& version) { return version.number == number; });
    if (found == kVersions.end()) {
        throw UsageError("there is no version " + std::to_string(number), "",
                         "choose one from " + std::to_string(kVersions.front().number) + " to " +
                             std::to_string(kVersions.back().number));
    }
    return *found;
}

std::span<const Block> block_presets() {
    return kPresets;
}

}  // namespace ws

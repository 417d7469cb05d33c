#pragma once
// Kernels as values: what a .cu file says about itself, and what the compiler made of it.

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "gpu/core/block.h"
#include "gpu/core/gpu_profile.h"
#include "gpu/core/image.h"

namespace ws {

// A compile-time constant of a kernel, declared by a line "// knob: NAME = 10 in 0..32  meaning".
struct Knob {
    std::string name;
    int value = 0;  // the default
    int low = 0;
    int high = 0;
    std::string meaning;
};

// It is a side of the block, and has a control of its own.
[[nodiscard]] inline bool is_block_side(const Knob& knob) {
    return knob.name == "BLOCK_X" || knob.name == "BLOCK_Y";
}

using KnobValues = std::map<std::string, int>;

// One side of what a block computes: a number times the values of some knobs.
struct TileSide {
    int factor = 1;
    std::vector<std::string> knobs;
};

// Which tile the n-th block of a launch takes: row by row, column by column, or along diagonals, each a row
// further down and a column further right, for every round one column further. `line`: a tile is a run of
// elements in the order in which they lie in memory, over the ends of rows.
// `folded_line`: the same, in as many rows of blocks as it takes for a GPU before 3.0; block n of the line is
// at row n / gridDim.x.
enum class TileOrder : std::uint8_t { rows, columns, diagonals, line, folded_line };
[[nodiscard]] constexpr bool is_line(TileOrder order) {
    return order == TileOrder::line || order == TileOrder::folded_line;
}

// How the work (a picture, a matrix) is cut into blocks.
struct Tiling {
    Extent tile{1, 1};     // elements of a block
    int uneven_width = 0;  // across, where the picture's width is no multiple of 4; 0: as ever
    int blocks_per_multiprocessor =
        0;  // no more than these: tiles grow in height, by whole ones; 0: no limit
    TileOrder order = TileOrder::rows;
    friend bool operator==(const Tiling&, const Tiling&) = default;
};

// A file that kernels include, under the name by which they do.
struct KernelHeader {
    std::string name;  // "marching.cuh"
    std::string text;
    friend bool operator==(const KernelHeader&, const KernelHeader&) = default;
};

// One kernel file.
struct KernelSource {
    std::string name;  // "blur_g1"
    std::string path;  // the file on disk, empty if it is the one embedded in the program
    // The text, or that of a header, is not the one embedded in the program.
    bool edited = false;
    std::int64_t saved_at = 0;  // of the file on disk, in seconds since 1970; 0 without one
    std::string text;
    std::vector<KernelHeader> headers;  // those that the text includes, and those that they do
    std::vector<Knob> knobs;
    // From the line "// elements per block: BLOCK_X x 2 * BLOCK_Y"; without it a thread computes one element.
    TileSide across{1, {"BLOCK_X"}};
    TileSide down{1, {"BLOCK_Y"}};
    // From the line "// pixels across if the width is no multiple of 4: 112"; 0 without it.
    int uneven_across = 0;
    // From the line "// warps per multiprocessor: WARPS": the grid has no more, and the kernel shares the
    // rows of the picture among the blocks that there are. A factor of 0 without it.
    TileSide warps{0, {}};
    // From the line "// order of tiles: columns"; or diagonals, line, folded line, or rows, as without it.
    TileOrder order = TileOrder::rows;
    // From the line "// registers at most: MAX_REGISTERS": the knob whose value the compiler keeps to; empty
    // without it.
    std::string registers_knob;
    // From the line "// instruction-level parallelism: ILP": the knob that says how many operations of a
    // thread are independent of each other; empty without it.
    std::string parallelism_knob;
    // From the line "// needs compute capability: 8.0  why"; 0.0 and empty without it.
    ComputeCapability needs;
    std::string needs_why;
};

// Null if it has none of this name.
[[nodiscard]] const Knob* find_knob(const KernelSource& source, std::string_view name);
// They compile to the same.
[[nodiscard]] inline bool same_text(const KernelSource& a, const KernelSource& b) {
    return &a == &b || (a.text == b.text && a.headers == b.headers);
}

// How a kernel with these knobs, in blocks of this size, cuts the work.
[[nodiscard]] Tiling tiling_of(const KernelSource& source, const KnobValues& knobs, Block block);
// The elements that a block computes of work of this size. Where it is not known how many multiprocessors
// there are (0), tiles do not grow.
[[nodiscard]] Extent tile_of(const Tiling& tiling, Extent size, int multiprocessors);
// The block, by its linear index, that computes a tile of the grid.
[[nodiscard]] std::uint64_t block_of_tile(TileOrder order, Extent grid, int column, int row);
// The tile, as column and row, that the block of this linear index computes.
[[nodiscard]] std::pair<int, int> tile_of_block(TileOrder order, Extent grid, std::uint64_t block);
// The nearest block that the kernel takes: its sides may be restricted by the ranges of BLOCK_X and BLOCK_Y.
[[nodiscard]] Block fitted(const KernelSource& source, Block block);
// "32 x 1 to 8" or "any", for messages.
[[nodiscard]] std::string blocks_text(const KernelSource& source);

// What a kernel's machine code says of a thread beyond its registers; 0: nothing, or not known.
struct CodeFacts {
    int loads_in_flight = 0;    // of a warp at most
    int spill_store_bytes = 0;  // to local memory, each instruction once however often it is executed
    int spill_load_bytes = 0;   // and from it
    [[nodiscard]] int spill_bytes() const { return spill_store_bytes + spill_load_bytes; }
    friend bool operator==(const CodeFacts&, const CodeFacts&) = default;
};

// What the compiler reports. Sizes are bytes.
struct CompileReport {
    std::string architecture;  // "sm_90", or "compute_75" if the result is PTX
    std::string compiler;      // "NVRTC 13.0"
    int registers = 0;
    int shared_bytes = 0;
    int local_bytes = 0;
    int constant_bytes = 0;
    CodeFacts code;
    int register_cap = 0;     // the --maxrregcount that lets the block fit the register file, 0 if none
    double milliseconds = 0;  // of the compiler's pass, with all that it made; also if the cache had it
    bool from_cache = false;  // read from the cache folder in this run
    std::string log;
    friend bool operator==(const CompileReport&, const CompileReport&) = default;
};

// The registers of a thread on the GPU that the code stands for: its own compiler keeps to the cap, where
// today's assembler needs a few more than the smallest ones.
[[nodiscard]] int registers_within_cap(const CompileReport& report);

struct CompiledKernel {
    std::string source_name;
    std::string entry;         // the symbol to launch
    std::vector<char> binary;  // cubin, or PTX with a closing 0
    bool is_ptx = false;
    CompileReport report;
};

}  // namespace ws

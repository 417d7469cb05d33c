#pragma once
// What a simulated launch counted: exact integers, per source line and in total.

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "gpu/core/block.h"

namespace ws {

// Where an instruction executes.
enum class Pipe : std::uint8_t { fma, alu, conversion, xu, fp64, lsu, control, texture };
inline constexpr std::size_t kPipes = 8;
[[nodiscard]] const char* name_of(Pipe pipe);  // as docs/json.md has it: "float", "integer", ...

// Arithmetic that has fewer lanes than its pipe on some GPUs. Wide conversions are from or to doubles; narrow
// ones, of whole numbers from 8 and 16 bits to 32, have more.
enum class SlowKind : std::uint8_t { none, shift, multiply, wide_conversion, narrow_conversion };
inline constexpr std::size_t kSlowKinds = 5;

// Loads or stores to global or local memory. A request is one warp instruction with an active lane. A sector
// is what the chosen GPU transfers at once: 32 bytes from 3.0 on; before, a transaction of a line or segment.
// Bytes requested are the different bytes that the lanes request.
struct TrafficCounts {
    std::uint64_t requests = 0;
    std::uint64_t sectors = 0;
    std::uint64_t bytes_requested = 0;
    std::uint64_t bytes_transferred = 0;
    std::uint64_t replays = 0;  // wavefronts beyond the first, one for every further 128-byte line

    TrafficCounts& operator+=(const TrafficCounts& other);
    [[nodiscard]] double sectors_per_request() const;
    [[nodiscard]] double efficiency() const;  // sector efficiency: bytes requested / transferred, or 0
    friend bool operator==(const TrafficCounts&, const TrafficCounts&) = default;
};

// Loads or stores to shared memory. In one wavefront each bank serves one word; a conflict-free request of
// 4-byte words needs one. `ideal` are the wavefronts that the requests would need without any conflict: 2 and
// 4 for 8 and 16 bytes a lane, half of that where the GPU serves lanes that share words together.
struct SharedCounts {
    std::uint64_t requests = 0;
    std::uint64_t wavefronts = 0;
    std::uint64_t ideal = 0;
    std::uint64_t broadcasts = 0;  // requests in which lanes share a word
    int conflict_ways_max = 0;     // of the worst n-way conflict: n

    SharedCounts& operator+=(const SharedCounts& other);
    friend bool operator==(const SharedCounts&, const SharedCounts&) = default;
};

struct InstructionCounts {
    std::uint64_t instructions = 0;         // executed by warps
    std::uint64_t thread_instructions = 0;  // executed by threads
    std::uint64_t predicated_off = 0;       // active lanes that a predicate switched off
    // Of the arithmetic, what lies on the longest chain in which each needs the result of the one before:
    // those of basic blocks added up, on the line where a block's chain ends.
    std::uint64_t dependent = 0;
    std::array<std::uint64_t, kPipes> pipes{};     // warp instructions by pipe
    std::array<std::uint64_t, kSlowKinds> slow{};  // of those of the pipes
    // Machine instructions beyond the first, of PTX that becomes several; for the XU pipe among them.
    std::uint64_t further = 0;
    std::uint64_t further_special = 0;
    std::uint64_t float_operations = 0;  // of threads; a multiply-add counts two
    std::uint64_t branches = 0;
    std::uint64_t divergent_branches = 0;
    TrafficCounts global_load, global_store, local_load, local_store;
    SharedCounts shared_load, shared_store;
    std::uint64_t constant_requests = 0;
    std::uint64_t constant_addresses = 0;  // different ones, summed over the requests
    std::uint64_t constant_operands = 0;   // requests at an address in the code: no load in machine code
    std::uint64_t atomics = 0;
    TrafficCounts texture;  // fetches; sectors are of 32 bytes on every GPU
    std::uint64_t barriers = 0;
    std::uint64_t device_launches = 0;  // grids that kernels launched; what they did is counted with them

    InstructionCounts& operator+=(const InstructionCounts& other);
    // Each count times `factor`, rounded: what a sample of blocks stands for.
    [[nodiscard]] InstructionCounts scaled(double factor) const;
    [[nodiscard]] double warp_execution_efficiency() const;  // thread_instructions / (32 * instructions)
    [[nodiscard]] double shared_efficiency() const;          // ideal / wavefronts, loads and stores together
    [[nodiscard]] std::uint64_t global_bytes_transferred() const;  // by loads, stores and fetches
    [[nodiscard]] double bytes_per_instruction() const;            // transferred to and from global memory
    [[nodiscard]] double arithmetic_intensity() const;  // float operations per byte transferred, or 0
    friend bool operator==(const InstructionCounts&, const InstructionCounts&) = default;
};

struct LineCounts {
    int line = 0;  // of the kernel's source
    InstructionCounts counts;
};

// The 32 addresses of one access, as the picture of a warp shows them.
struct AccessExample {
    int line = 0;
    int site = 0;  // of the instruction among those that access memory: the same in every block of a kernel
    bool shared = false;
    bool store = false;
    int bytes = 0;  // of a lane
    std::uint32_t mask = 0;
    std::array<std::uint64_t, 32> addresses{};  // of shared memory: offsets
    int block_x = 0, block_y = 0;
    int warp = 0;             // of the block
    int buffer = -1;          // of the lab, that the addresses lie in; -1: not known
    std::uint64_t base = 0;   // its address
    int sectors = 0;          // or wavefronts
    int bytes_requested = 0;  // of global memory
    int bytes_transferred = 0;
};

// A note is worth knowing and does no harm by itself; an error gives wrong values or makes hardware end the
// launch.
enum class Severity : std::uint8_t { note, error };

// Something that a student would need a checker for.
struct Finding {
    enum class Kind : std::uint8_t {
        out_of_bounds,
        misaligned,
        uninitialised,
        race_shared,
        race_global,
        same_value,  // several threads write one and the same value without an order
        divergent_barrier,
        warp_mask,      // a lane is not in the member mask that it passes to a warp-wide instruction
        absent_member,  // lanes that such a mask names do not reach the instruction
        absent_source,  // a shuffle reads from a lane that does not take part
        async_copy,     // bytes that cp.async copies are touched before its wait
        unwritten,
        wrong_free,      // of what malloc did not give, or took back already
        leak,            // what malloc gave is never freed
        refused_launch,  // of a grid, by a kernel
        stopped
    };
    Kind kind = Kind::out_of_bounds;
    Severity severity = Severity::error;  // severity_of(kind)
    std::string message;                  // complete, with line, block and thread
    int line = 0;
    std::uint64_t count = 1;  // how often
};
[[nodiscard]] const char* name_of(Finding::Kind kind);
[[nodiscard]] Severity severity_of(Finding::Kind kind);
[[nodiscard]] const char* name_of(Severity severity);

// Hits in a model of the caches (sets, ways and sizes of the chosen GPU; blocks one after the other).
struct CacheModel {
    std::uint64_t l1_sectors = 0, l1_hits = 0;
    std::uint64_t l2_sectors = 0, l2_hits = 0;
    // Of textures, and of read-only loads where they go the same way: their own cache before 5.0, else L1.
    std::uint64_t texture_sectors = 0, texture_hits = 0;

    CacheModel& operator+=(const CacheModel& other);
    [[nodiscard]] CacheModel scaled(double factor) const;  // as those of InstructionCounts
};

// What a part of a launch asks of one memory partition of a GPU that does not hash addresses (1.x): they take
// 256 bytes each in turn. A DRAM row is opened where a transaction of a request does not continue the one
// before.
struct PartitionCounts {
    std::uint64_t transactions = 0;
    std::uint64_t bytes = 0;  // transferred
    std::uint64_t rows_opened = 0;

    PartitionCounts& operator+=(const PartitionCounts& other);
    [[nodiscard]] PartitionCounts scaled(double factor) const;  // as those of InstructionCounts
    friend bool operator==(const PartitionCounts&, const PartitionCounts&) = default;
};

// The same by windows: consecutive blocks, as many as the GPU holds at a time. A partition that all of them
// use at the same time is busy while the others wait (partition camping), even if a whole launch uses all
// alike.
struct PartitionWindows {
    std::uint64_t blocks = 0;             // in all windows together; 0: not counted
    std::vector<PartitionCounts> counts;  // a window after the other, all partitions of each

    friend bool operator==(const PartitionWindows&, const PartitionWindows&) = default;
};

struct KernelCounters {
    std::string kernel;
    std::string gpu;
    Block block;
    std::uint64_t blocks_total = 0;
    std::uint64_t blocks_simulated = 0;  // fewer than total: the counts are scaled from a sample
    std::uint64_t warps = 0;             // launched, all blocks
    InstructionCounts total;
    std::vector<LineCounts> lines;  // ascending
    // How often warps executed each basic block of the kernel's PTX, functions one after the other.
    std::vector<std::uint64_t> block_executions;
    std::vector<AccessExample> accesses;
    std::uint64_t unique_bytes =
        0;  // of global memory, in sectors touched at least once: the least traffic possible
    CacheModel caches;
    std::vector<PartitionCounts> partitions;  // 1.x: of the whole launch; empty where addresses are hashed
    PartitionWindows partition_windows;
    std::vector<Finding> findings;
    double milliseconds = 0;  // of the simulation
};

}  // namespace ws

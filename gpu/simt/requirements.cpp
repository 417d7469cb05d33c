#include "gpu/simt/requirements.h"

#include <algorithm>
#include <array>
#include <set>
#include <string_view>
#include <vector>

namespace ws::simt {
namespace {

struct Row {
    std::string_view name;                     // of the instruction; red counts as atom
    std::array<std::string_view, 2> suffixes;  // which it must have; empty: any
    ComputeCapability needs;
    const char* feature;
};

// What the compiler also chooses by itself (dp4a for sums of products of bytes, lop3, ...) cannot be told
// from what the program asks for and is left out. Source: the target notes of each instruction in NVIDIA's
// PTX manual, and the table of features by compute capability in its programming guide for what came before
// PTX had notes (1.1 to 1.3).
constexpr Row kRows[]{
    {"activemask", {}, {3, 0}, "__activemask"},
    {"atom", {}, {1, 1}, "atomics on global memory"},
    {"atom", {"shared"}, {1, 2}, "atomics on shared memory"},
    {"atom", {"u64"}, {1, 2}, "64-bit atomics"},
    {"atom", {"b64"}, {1, 2}, "64-bit atomics"},
    {"atom", {"shared", "u64"}, {2, 0}, "64-bit atomics on shared memory"},
    {"atom", {"shared", "b64"}, {2, 0}, "64-bit atomics on shared memory"},
    {"atom", {"add", "f32"}, {2, 0}, "atomicAdd of floats"},
    {"atom", {"min", "u64"}, {3, 2}, "64-bit atomicMin"},
    {"atom", {"min", "s64"}, {3, 2}, "64-bit atomicMin"},
    {"atom", {"max", "u64"}, {3, 2}, "64-bit atomicMax"},
    {"atom", {"max", "s64"}, {3, 2}, "64-bit atomicMax"},
    {"atom", {"and", "b64"}, {3, 2}, "64-bit atomicAnd"},
    {"atom", {"or", "b64"}, {3, 2}, "64-bit atomicOr"},
    {"atom", {"xor", "b64"}, {3, 2}, "64-bit atomicXor"},
    {"atom", {"f64"}, {6, 0}, "atomicAdd of doubles"},
    {"atom", {"f16x2"}, {6, 0}, "atomicAdd of half2"},
    {"atom", {"cta"}, {6, 0}, "atomics of a block's scope"},
    {"atom", {"sys"}, {6, 0}, "atomics of the system's scope"},
    {"atom", {"relaxed"}, {6, 0}, "atomics with a memory order"},
    {"atom", {"acquire"}, {6, 0}, "atomics with a memory order"},
    {"atom", {"release"}, {6, 0}, "atomics with a memory order"},
    {"atom", {"acq_rel"}, {6, 0}, "atomics with a memory order"},
    {"atom", {"b16"}, {7, 0}, "16-bit atomics"},
    {"atom", {"f16"}, {7, 0}, "atomicAdd of halves"},
    {"bar", {"arrive"}, {2, 0}, "barriers that a warp passes without waiting"},
    {"bar", {"red"}, {2, 0}, "__syncthreads_count, _and and _or"},
    {"bar", {"warp"}, {3, 0}, "__syncwarp"},
    {"cp", {"async"}, {8, 0}, "asynchronous copies to shared memory"},
    {"discard", {}, {8, 0}, "discarding cache lines"},
    {"applypriority", {}, {8, 0}, "cache priorities"},
    {"fns", {}, {3, 0}, "__fns"},
    {"launch", {}, {3, 5}, "launches from kernels"},
    {"griddepcontrol", {}, {9, 0}, "dependent launches"},
    {"match", {}, {7, 0}, "__match_any_sync and __match_all_sync"},
    {"membar", {"sys"}, {2, 0}, "__threadfence_system"},
    {"nanosleep", {}, {7, 0}, "__nanosleep"},
    {"redux", {}, {8, 0}, "warp reductions in one instruction"},
    {"shfl", {}, {3, 0}, "warp shuffles"},
    {"vote", {}, {1, 2}, "warp votes"},
    {"vote", {"ballot"}, {2, 0}, "__ballot_sync"},
};
constexpr Row kDoubles{"", {"f64"}, {1, 3}, "doubles; nvcc calculates with floats there"};

bool moves_only(std::string_view name) {
    static const std::set<std::string_view> kMoves{"ld", "ldu", "st", "mov", "selp", "shfl", "atom"};
    return kMoves.count(name) > 0;
}

// Everything between the dots, the name first; nothing is taken, unlike in Opcode.
std::vector<std::string_view> parts_of(std::string_view opcode) {
    std::vector<std::string_view> parts;
    while (true) {
        const std::size_t dot = opcode.find('.');
        parts.push_back(opcode.substr(0, dot));
        if (dot == std::string_view::npos) return parts;
        opcode.remove_prefix(dot + 1);
    }
}

// The row that asks for most, of those that the instruction fits.
const Row* row_of(std::string_view opcode) {
    const std::vector<std::string_view> parts = parts_of(opcode);
    const std::string_view name = parts.front() == "red"       ? "atom"
                                  : parts.front() == "barrier" ? "bar"
                                                               : parts.front();
    const auto has = [&](std::string_view suffix) {
        return std::any_of(parts.begin() + 1, parts.end(), [&](std::string_view part) {
            return part == suffix || (suffix == "shared" && part.starts_with("shared::"));
        });
    };
    const Row* found = nullptr;
    const auto consider = [&](const Row& row) {
        const bool fits = std::all_of(row.suffixes.begin(), row.suffixes.end(),
                                      [&](std::string_view suffix) { return suffix.empty() || has(suffix); });
        if (fits && (!found || found->needs < row.needs)) found = &row;
    };
    for (const Row& row : kRows) {
        if (row.name == name) consider(row);
    }
    if (!moves_only(name)) consider(kDoubles);
    return found;
}

}  // namespace

std::optional<MissingFeature> missing_feature(const Program& program, ComputeCapability capability) {
    std::optional<MissingFeature> first;
    for (const auto& [opcode, line] : program.opcodes) {
        const Row* row = row_of(opcode);
        if (!row || row->needs <= capability || (first && first->line <= line)) continue;
        first = MissingFeature{row->feature, opcode, line, row->needs};
    }
    return first;
}

}  // namespace ws::simt

#pragma once
// The launches whose counters are compared between the simulated GPU and a real one: every kernel of the
// versions with six blocks, and the patterns of counters/patterns.cu.

#include <algorithm>
#include <string>
#include <vector>

#include "gpu/compile/kernel_library.h"
#include "gpu/core/files.h"
#include "gpu/engine/planner.h"
#include "gpu/labs/filters/filters.h"

namespace ws::testing {

struct CounterCase {
    std::string name;  // "blur_g1 8x8", "stride_2"
    CompileRequest request;
    Extent grid;
    Block block;
    bool is_step = false;  // its kernel takes a picture's width and height
};

inline constexpr Extent kCounterPicture{500, 333};
inline constexpr int kCounterMultiprocessors = 132;  // of the H200 whose counters are recorded
inline constexpr std::size_t kPatternBytes = 4 << 20;

// `patterns` is the text of patterns.cu.
inline std::vector<CounterCase> counter_cases(const std::string& patterns) {
    std::vector<CounterCase> cases;
    const KernelLibrary library;
    std::vector<std::string> known;
    for (const Version& version : filters::lab().versions) {
        for (const Block block :
             {Block{8, 8}, Block{32, 2}, Block{8, 16}, Block{32, 4}, Block{32, 8}, Block{16, 16}}) {
            Work work = with_version(first_work(filters::lab()), version);
            work.blocks.fill(block);
            const auto requests = step_requests(
                work, [&](std::string_view name) -> const KernelSource& { return library.find(name); });
            for (const StepRequest& step : requests) {
                std::string name = step.source->name + " " + std::to_string(step.block.x) + "x" +
                                   std::to_string(step.block.y);
                for (const auto& [knob, value] : step.knobs) {
                    if (knob.rfind("BLOCK_", 0) != 0) name += " " + knob + "=" + std::to_string(value);
                }
                if (std::find(known.begin(), known.end(), name) != known.end()) continue;
                known.push_back(name);
                const Extent tile = tile_of(step.tiling, kCounterPicture, kCounterMultiprocessors);
                cases.push_back({name, compile_request(filters::lab(), step, {}),
                                 grid_for(kCounterPicture, tile), step.block, true});
            }
        }
    }
    const auto pattern = [&](const std::string& name, Extent grid, Block block) {
        CompileRequest request;
        request.name = "patterns";
        request.text = patterns;
        request.entry = name;
        cases.push_back({name, request, grid, block});
    };
    for (const char* name :
         {"offset_0",          "offset_1",          "offset_7",         "offset_8",    "offset_31",
          "stride_2",          "stride_3",          "stride_4",         "stride_8",    "stride_32",
          "reversed",          "one_word",          "bytes_1",          "bytes_2",     "bytes_8",
          "bytes_16",          "bytes_16_stride_2", "bytes_8_offset_1", "diverge_one", "diverge_half",
          "diverge_alternate", "diverge_never",     "half_of_the_lanes"})
        pattern(name, {8, 1}, {256, 1});
    for (const char* name : {"shared_stride_1", "shared_stride_2", "shared_stride_3", "shared_stride_4",
                             "shared_stride_5", "shared_stride_8", "shared_stride_16", "shared_stride_17",
                             "shared_stride_32", "shared_stride_33", "shared_broadcast", "shared_pairs",
                             "shared_bytes", "shared_doubles", "shared_double_stride_2", "shared_float4"})
        pattern(name, {8, 1}, {32, 1});
    for (const char* word : {"double", "float4"}) {
        for (const char* name : {"broadcast", "pairs", "every_second", "mixed_pairs", "pairs_apart",
                                 "same_halves", "same_quarters", "word_a_half"})
            pattern(std::string("shared_") + word + "_" + name, {8, 1}, {32, 1});
        pattern(std::string("shared_") + word + "_20_lanes", {8, 1}, {20, 1});
    }
    for (const char* name : {"shared_double_stride_3", "shared_double_stride_16", "shared_float4_stride_2",
                             "shared_float4_stride_3", "shared_float4_stride_8"})
        pattern(name, {8, 1}, {32, 1});
    for (const char* name : {"transpose_naive", "transpose_tile", "transpose_padded"})
        pattern(name, {4, 4}, {32, 32});
    return cases;
}

}  // namespace ws::testing

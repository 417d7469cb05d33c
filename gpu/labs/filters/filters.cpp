#include "gpu/labs/filters/filters.h"

#include "gpu/labs/filters/native.h"

namespace ws::filters {
namespace {

constexpr Block k32x8{32, 8};
constexpr auto kAny = CachePreference::none;
constexpr auto kL1 = CachePreference::l1;
constexpr auto kShared = CachePreference::shared;
constexpr auto kStandard = BankWidth::standard;
constexpr auto kEight = BankWidth::eight_bytes;

// What a version with one kernel for all takes where only a part of the pipeline is shown: the fastest there
// is.
constexpr std::string_view kGray = "gray_c2";
constexpr std::string_view kBlur = "blur_g6";
constexpr std::string_view kEdge = "edge_s1";

// Number, title, what changed, why; for gray, blur, edge and all in one the kernel, its block, cache
// preference and bank width; knobs other than the kernels' defaults.
const std::vector<Version>& versions() {
    static const std::vector<Version> kVersions{
        {0,
         "first version",
         "Every thread reads its 49 neighbours from global memory.",
         "The formula as it is written, to start from.",
         {{"gray_c1", k32x8}, {"blur_g1", {8, 8}, kL1, kStandard}, {"edge_s1", k32x8}, {}},
         {}},
        {1,
         "block 32 x 2",
         "The block is 32 x 2 instead of 8 x 8: as many threads, one row per warp.",
         "Better coalescing: a warp reads 32 neighbours of one row, not 8 of four.",
         {{"gray_c1", k32x8}, {"blur_g1", {32, 2}, kL1, kStandard}, {"edge_s1", k32x8}, {}},
         {}},
        {2,
         "block 8 x 16",
         "The block is 8 x 16: 128 threads instead of 64.",
         "Better occupancy: where the number of blocks is the limit, larger blocks bring more warps.",
         {{"gray_c1", k32x8}, {"blur_g1", {8, 16}, kL1, kStandard}, {"edge_s1", k32x8}, {}},
         {}},
        {3,
         "block 32 x 4",
         "The block is 32 x 4: rows of 32 and 128 threads together.",
         "Better occupancy and coalescing at once.",
         {{"gray_c1", k32x8}, {"blur_g1", {32, 4}, kL1, kStandard}, {"edge_s1", k32x8}, {}},
         {}},
        {4,
         "launch bounds",
         "__launch_bounds__ tells the compiler the block size and asks for 10 blocks.",
         "Less register pressure: with fewer registers per thread more warps are resident on a "
         "multiprocessor.",
         {{"gray_c1", k32x8}, {"blur_g2", {32, 4}, kL1, kStandard}, {"edge_s1", k32x8}, {}},
         {}},
        {5,
         "shared memory",
         "The block copies its pixels and a border of 3 into shared memory first.",
         "Less pressure on the LSU pipe: each pixel is read from global memory about once.",
         {{"gray_c1", k32x8}, {"blur_g3", {32, 4}, kShared, kStandard}, {"edge_s1", k32x8}, {}},
         {}},
        {6,
         "better convolution",
         "2-byte loads, a tile of floats, two vertical neighbours per thread.",
         "Wider loads and more work per thread: two pixels share most of their window.",
         {{"gray_c1", k32x8}, {"blur_g4", k32x8, kShared, kStandard}, {"edge_s1", k32x8}, {}},
         {}},
        {7,
         "separable filter",
         "First the rows, then the columns of the row sums.",
         "Less computation: 7 + 7 multiply-adds a pixel instead of 49.",
         {{"gray_c1", k32x8}, {"blur_g5", k32x8, kShared, kStandard}, {"edge_s1", k32x8}, {}},
         {}},
        {8,
         "two pixels per thread",
         "The separable filter with 2-byte loads and two output rows per thread.",
         "Memory efficiency and instruction-level parallelism.",
         {{"gray_c1", k32x8}, {"blur_g6", k32x8, kShared, kStandard}, {"edge_s1", k32x8}, {}},
         {}},
        {9,
         "better access to shared memory",
         "Banks 8 bytes wide on Kepler; everywhere else a pair of cells is stored as one 8-byte word.",
         "Fewer bank conflicts: lanes that store every second word make 2-way conflicts.",
         {{"gray_c1", k32x8}, {"blur_g6", k32x8, kShared, kEight}, {"edge_s1", k32x8}, {}},
         {{"WIDE_STORES", 1}}},
        {10,
         "floats",
         "The same kernel with floats instead of integers.",
         "Less pressure on the ALU pipe.",
         {{"gray_c1", k32x8}, {"blur_g7", k32x8, kShared, kEight}, {"edge_s1", k32x8}, {}},
         {{"WIDE_STORES", 1}}},
        {11,
         "math intrinsics",
         "Sobel with float weights and intrinsics; gray with two pixels per thread.",
         "Single instructions instead of sequences; more independent loads.",
         {{"gray_c2", k32x8}, {"blur_g7", k32x8, kShared, kEight}, {"edge_s2", k32x8}, {}},
         {{"WIDE_STORES", 1}}},
        {12,
         "one kernel",
         "Gray, blur and edges in one kernel, from tile to tile in shared memory.",
         "Less traffic: 5 bytes a pixel instead of 9, and one launch instead of three.",
         {{kGray, k32x8},
          {kBlur, k32x8, kShared, kStandard},
          {kEdge, k32x8},
          {"fused_f1", {32, 16}, kShared, kStandard}},
         {}},
        {13,
         "four pixels per thread",
         "A thread reads 16 bytes, works on words of four pixels and writes 4 bytes.",
         "Fewer requests and addresses for the same bytes, in global as in shared memory.",
         {{kGray, k32x8},
          {kBlur, k32x8, kShared, kStandard},
          {kEdge, k32x8},
          {"fused_f2", {32, 8}, kShared, kStandard}},
         {}},
        {14,
         "a warp marches",
         "A warp marches down the picture; rows live in registers, neighbours come by shuffle.",
         "No shared memory, no barrier, and hardly any pixel is worked on twice.",
         {{kGray, k32x8},
          {kBlur, k32x8, kL1, kStandard},
          {kEdge, k32x8},
          {"fused_f3", {32, 2}, kL1, kStandard}},
         {}},
        {15,
         "packed arithmetic",
         "dp4a, two sums in a register, byte permutes; four rows at a time.",
         "A third of the instructions, and more of them independent of each other.",
         {{kGray, k32x8},
          {kBlur, k32x8, kL1, kStandard},
          {kEdge, k32x8},
          {"fused_f4", {32, 2}, kL1, kStandard}},
         {}},
        {16,
         "asynchronous copies",
         "Rows are copied to shared memory ahead; neighbouring warps march towards each other.",
         "Memory and arithmetic never wait for each other.",
         {{kGray, k32x8},
          {kBlur, k32x8, kAny, kStandard},
          {kEdge, k32x8},
          {"fused_f5", {32, 1}, kAny, kStandard}},
         {}},
        {17,
         "work for every multiprocessor",
         "Strips follow picture and GPU: as many warps for each multiprocessor; whole words at any width.",
         "No multiprocessor waits for another, and odd widths need no more requests than even ones.",
         {{kGray, k32x8},
          {kBlur, k32x8, kAny, kStandard},
          {kEdge, k32x8},
          {"fused_f6", {32, 1}, kAny, kStandard}},
         {}},
    };
    return kVersions;
}

Pass pass(int step, int from, int to) {
    using Kind = Argument::Kind;
    return {step, {{Kind::input, from}, {Kind::output, to}, {Kind::width, -1}, {Kind::height, -1}}};
}

const std::vector<Buffer> kBuffers{
    {"picture", Element::rgba, Content::picture}, {"gray"}, {"blurred"}, {"edges"}, {"edges of gray"}};

void native_step(ThreadPool& pool, int step, Extent size, const std::uint8_t* in, std::uint8_t* out) {
    switch (step) {
        case step::gray:
            return native::gray(pool, size, in, out);
        case step::blur:
            return native::blur(pool, size, in, out);
        case step::edge:
            return native::edge(pool, size, in, out);
        default:
            return native::one_pass(pool, size, in, {.blur = true, .edge = true}, out);
    }
}

void native_whole(ThreadPool& pool, const Problem& problem, int buffer, std::uint8_t* out) {
    native::one_pass(pool, problem.size, problem.input->data(), filters_of(buffer), out);
}

Lab make() {
    Lab lab;
    lab.id = "filters";
    lab.title = "image filters";
    lab.question = "How does an image filter become more than ten times as fast?";
    lab.buffers = kBuffers;
    lab.steps = {{"gray", "gray"}, {"blur", "blur"}, {"edge", "edge"}, {"fused", "gray_blur_edge"}};
    lab.by_weight = {step::fused, step::blur, step::edge, step::gray};
    using namespace buffer;
    const Pass to_gray = pass(step::gray, picture, gray);
    const Pass to_blurred = pass(step::blur, gray, blurred);
    lab.views = {
        {.name = "original", .title = "original", .shows = picture, .ways = {}, .key = 'r'},
        {.name = "gray", .title = "gray", .shows = gray, .ways = {{to_gray}}, .key = 'g'},
        {.name = "blur",
         .title = "blurred",
         .shows = blurred,
         .ways = {{to_gray, to_blurred}},
         .key = 'b',
         .moves = {{'b', "gray"}}},
        {.name = "edge",
         .title = "edges after blur",
         .shows = edges,
         .first = true,
         .lines = true,
         .ways = {{pass(step::fused, picture, edges)},
                  {to_gray, to_blurred, pass(step::edge, blurred, edges)}},
         .key = 'e',
         .moves = {{'b', "edge of gray"}, {'e', "blur"}}},
        {.name = "edge of gray",
         .title = "edges without blur",
         .shows = edges_of_gray,
         .lines = true,
         .ways = {{to_gray, pass(step::edge, gray, edges_of_gray)}},
         .base = "edge",
         .omits = "blur",
         .moves = {{'b', "edge"}, {'e', "gray"}}},
    };
    lab.versions = versions();
    lab.presets = {Block{8, 8},  Block{32, 2},  Block{8, 16}, Block{32, 4},
                   Block{32, 8}, Block{16, 16}, Block{64, 4}, Block{32, 32}};
    lab.reach = 4;
    lab.native = {native_step, native_whole};
    return lab;
}

}  // namespace

const Lab& lab() {
    static const Lab kLab = make();
    return kLab;
}

native::Filters filters_of(int buffer) {
    return {.blur = buffer == buffer::blurred || buffer == buffer::edges,
            .edge = buffer == buffer::edges || buffer == buffer::edges_of_gray};
}

}  // namespace ws::filters

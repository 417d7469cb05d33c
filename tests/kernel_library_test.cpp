// Kernel files: their knobs, the library of them, the headers that they share.

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "gpu/compile/includes.h"
#include "gpu/compile/kernel_library.h"
#include "gpu/compile/kernel_source.h"
#include "gpu/core/files.h"

namespace ws {
namespace {

namespace fs = std::filesystem;

class Folder : public ::testing::Test {
  protected:
    Folder() : folder_(fs::temp_directory_path() / ("warpscope_library_" + std::to_string(::getpid()))) {
        fs::remove_all(folder_);
        fs::create_directories(folder_);
    }
    ~Folder() override { fs::remove_all(folder_); }
    fs::path folder_;
};

TEST(KernelSource, ReadsKnobsAndPixels) {
    const Result<KernelSource> source =
        parse_kernel("blur_x",
                     "// knob: MIN_BLOCKS = 10 in 0..32  minimum blocks\n// "
                     "elements per block: 120 x 2 * MIN_BLOCKS * BLOCK_Y\n// needs compute "
                     "capability: 8.6  wide copies\nint x; // knob: not one\n");
    ASSERT_TRUE(source.ok());
    const KernelSource& kernel = source.value();
    ASSERT_EQ(kernel.knobs.size(), 3u) << "BLOCK_X and BLOCK_Y are knobs of every kernel";
    EXPECT_EQ(kernel.knobs[2].name, "MIN_BLOCKS");
    EXPECT_EQ(kernel.knobs[2].value, 10);
    EXPECT_EQ(kernel.knobs[2].high, 32);
    EXPECT_EQ(kernel.knobs[2].meaning, "minimum blocks");
    EXPECT_EQ(tiling_of(kernel, {{"MIN_BLOCKS", 5}, {"BLOCK_X", 32}, {"BLOCK_Y", 3}}, {32, 3}),
              (Tiling{{120, 30}, 0, 0}));
    EXPECT_EQ(kernel.needs, (ComputeCapability{8, 6}));
    EXPECT_EQ(kernel.needs_why, "wide copies");
}

TEST(KernelSource, TakesBlocksOfItsOwn) {
    const Result<KernelSource> any = parse_kernel("a", "int x;");
    EXPECT_EQ(fitted(any.value(), {7, 100}), (Block{7, 100}));
    EXPECT_EQ(tiling_of(any.value(), {{"BLOCK_X", 7}, {"BLOCK_Y", 5}}, {7, 5}), (Tiling{{7, 5}, 0, 0}));
    const Result<KernelSource> warps =
        parse_kernel("b", "// knob: BLOCK_X = 32 in 32..32  a warp\n// knob: BLOCK_Y = 2 in 1..8  warps\n");
    EXPECT_EQ(fitted(warps.value(), {7, 100}), (Block{32, 8}));
    EXPECT_EQ(fitted(warps.value(), {1024, 1}), (Block{32, 1}));
    EXPECT_EQ(blocks_text(warps.value()), "32 x 1 to 8");
}

TEST(KernelSource, MayLetTheGridFollowTheGpu) {
    const Result<KernelSource> source = parse_kernel(
        "fused_x",
        "// knob: WARPS = 8 in 1..32  warps\n// elements per block: 120 x 4 * BLOCK_Y\n// pixels "
        "across if the width is no multiple of 4: 112\n// warps per multiprocessor: WARPS\n");
    ASSERT_TRUE(source.ok());
    const KnobValues knobs{{"WARPS", 8}, {"BLOCK_X", 32}, {"BLOCK_Y", 2}};
    EXPECT_EQ(tiling_of(source.value(), knobs, {32, 2}), (Tiling{{120, 8}, 112, 4}));
    // A block of more warps than a multiprocessor is to have: one block.
    EXPECT_EQ(tiling_of(source.value(), knobs, {32, 16}), (Tiling{{120, 8}, 112, 1}));
}

TEST(KernelSource, SaysInWhichOrderBlocksTakeTiles) {
    const Extent grid{5, 3};
    for (const auto& [line, order] : {std::pair{"", TileOrder::rows},
                                      {"// order of tiles: rows", TileOrder::rows},
                                      {"// order of tiles: columns", TileOrder::columns},
                                      {"// order of tiles: diagonals", TileOrder::diagonals},
                                      {"// order of tiles: line", TileOrder::line},
                                      {"// order of tiles: folded line", TileOrder::folded_line}}) {
        const Result<KernelSource> source = parse_kernel("a", line);
        ASSERT_TRUE(source.ok());
        EXPECT_EQ(tiling_of(source.value(), {{"BLOCK_X", 8}, {"BLOCK_Y", 8}}, {8, 8}).order, order) << line;
        // As the kernels compute it, from the block's number.
        for (int number = 0; number < grid.width * grid.height; ++number) {
            const int round = number / grid.height;
            const int below = number % grid.height;
            const bool by_rows = order == TileOrder::rows || is_line(order);
            const int row = by_rows ? number / grid.width : below;
            const int column = by_rows                       ? number % grid.width
                               : order == TileOrder::columns ? round
                                                             : (round + below) % grid.width;
            EXPECT_EQ(block_of_tile(order, grid, column, row), std::uint64_t(number)) << line;
        }
    }
}

TEST(KernelSource, NamesTheLineThatIsWrong) {
    for (const char* text : {"\n// knob: A = x in 0..1 y", "\n// knob: A = 5 in 0..1  outside",
                             "\n// knob: A = 1 in 3..0  upside down", "\n// pixels per block: 8 x 8"}) {
        const Result<KernelSource> source = parse_kernel("blur_x", text);
        ASSERT_FALSE(source.ok()) << text;
        EXPECT_NE(source.message().find("blur_x.cu:2"), std::string::npos) << source.message();
    }
}

// A file of two kernels, the second of which calls a function of its own.
TEST(KernelLibrary, RefusesANameThatItDoesNotKnow) {
    const KernelLibrary library;
    EXPECT_EQ(library.find("blur_g1").name, "blur_g1");
    EXPECT_THROW((void)library.find("blur_g99"), Error);
}

TEST_F(Folder, LibraryFollowsFilesOnDisk) {
    EXPECT_TRUE(KernelLibrary::write_to(folder_, false).empty());
    KernelLibrary library(folder_);
    EXPECT_FALSE(library.refresh());
    const std::string text = library.find("blur_g1").text;
    write_file(folder_ / "blur_g1.cu", "// changed\n" + text);
    EXPECT_TRUE(library.refresh());
    EXPECT_EQ(library.find("blur_g1").text, "// changed\n" + text);
    EXPECT_EQ(library.find("blur_g1").path, (folder_ / "blur_g1.cu").string());
    // A file that cannot be parsed, and one that vanishes, leave the last good text.
    write_file(folder_ / "blur_g1.cu", "// knob: broken\n");
    EXPECT_FALSE(library.refresh());
    EXPECT_NE(library.problem().find("blur_g1.cu:1"), std::string::npos) << library.problem();
    fs::remove(folder_ / "blur_g1.cu");
    EXPECT_FALSE(library.refresh());
    EXPECT_EQ(library.find("blur_g1").text, "// changed\n" + text);
    EXPECT_THROW(KernelLibrary(folder_ / "missing"), Error);
}

TEST(Includes, AreReadFromCodeAlone) {
    const std::vector<Include> found = includes_of(
        "#include <a.h>\r\n# include \"b/c.cuh\" // #include <no.h>\n/* \n#include <no.h>\n*/ #include "
        "\"d.h\"\n"
        "const char* s = \"\\\"#include <no.h>\"; // \\\n#include <no.h>\nR\"x(\n#include <no.h>\n)x\";\n"
        "int n = 1'000;\n#include MACRO\n#include_next <no.h>\n#include \"\"\n#include <last>");
    EXPECT_EQ(found, (std::vector<Include>{
                         {"a.h", 1, false}, {"b/c.cuh", 2, true}, {"d.h", 5, true}, {"last", 15, false}}));
    const auto find = [](const std::string& name) -> std::optional<std::string> {
        if (name == "a.h") return "#include \"b.h\"\n#include <missing.h>\n";
        if (name == "b.h") return "#include \"a.h\"\n#include \"b.h\"\n";
        return std::nullopt;
    };
    const std::vector<KernelHeader> headers = headers_of("#include \"a.h\"\n#include \"a.h\"\n", find);
    ASSERT_EQ(headers.size(), 2u) << "each once, in a circle too";
    EXPECT_EQ(headers[0].name, "a.h");
    EXPECT_EQ(headers[1].name, "b.h");
}

TEST_F(Folder, KernelsShareHeaders) {
    const KernelLibrary embedded;
    ASSERT_EQ(embedded.find("fused_f5").headers.size(), 1u);
    EXPECT_EQ(embedded.find("fused_f5").headers[0].name, "marching.cuh");
    EXPECT_TRUE(embedded.find("fused_f3").headers.empty());
    (void)KernelLibrary::write_to(folder_, false);
    KernelLibrary library(folder_);
    EXPECT_FALSE(library.refresh());
    const std::string text = library.find("fused_f5").headers[0].text;
    EXPECT_EQ(read_file(folder_ / "marching.cuh"), text);
    // An edited header is another kernel for those that include it, and for no other one.
    write_file(folder_ / "marching.cuh", text + "#include \"mine.h\"\n");
    write_file(folder_ / "mine.h", "constexpr int kMine = 7;\n");
    EXPECT_TRUE(library.refresh());
    EXPECT_FALSE(library.refresh());
    ASSERT_EQ(library.find("fused_f4").headers.size(), 2u);
    EXPECT_EQ(library.find("fused_f4").headers[1].text, "constexpr int kMine = 7;\n");
    EXPECT_TRUE(library.find("fused_f3").headers.empty());
    write_file(folder_ / "mine.h", "constexpr int kMine = 77;\n");
    EXPECT_TRUE(library.refresh());
    EXPECT_EQ(library.find("fused_f6").headers[1].text, "constexpr int kMine = 77;\n");
    // A header of the folder that a kernel begins to include.
    write_file(folder_ / "other.h", "constexpr int kOther = 1;\n");
    write_file(folder_ / "gray_c1.cu", "#include \"other.h\"\n" + library.find("gray_c1").text);
    EXPECT_TRUE(library.refresh());
    ASSERT_EQ(library.find("gray_c1").headers.size(), 1u);
}

TEST_F(Folder, WritingKernelsKeepsChangedFiles) {
    (void)KernelLibrary::write_to(folder_, false);
    write_file(folder_ / "edge_s1.cu", "mine");
    EXPECT_EQ(KernelLibrary::write_to(folder_, false), std::vector<std::string>{"edge_s1.cu"});
    EXPECT_EQ(read_file(folder_ / "edge_s1.cu"), "mine");
    EXPECT_TRUE(KernelLibrary::write_to(folder_, true).empty());
    EXPECT_NE(read_file(folder_ / "edge_s1.cu"), "mine");
}

}  // namespace
}  // namespace ws

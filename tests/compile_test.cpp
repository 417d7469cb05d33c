// The run-time compiler, its cache and its workers.

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <set>

#include "gpu/compile/compile_service.h"
#include "gpu/compile/kernel_cache.h"
#include "gpu/compile/ptxas_report.h"
#include "gpu/core/files.h"
#include "gpu/engine/targets.h"

namespace ws {
namespace {

namespace fs = std::filesystem;

class Folder : public ::testing::Test {
  protected:
    Folder() : folder_(fs::temp_directory_path() / ("warpscope_compile_" + std::to_string(::getpid()))) {
        fs::remove_all(folder_);
        fs::create_directories(folder_);
    }
    ~Folder() override { fs::remove_all(folder_); }
    fs::path folder_;
};

CompileRequest request_for(const std::string& text, int threads = 64) {
    CompileRequest request;
    request.name = "gray_mine";
    request.text = text;
    request.entry = "gray";
    request.knobs = {{"BLOCK_X", threads}, {"BLOCK_Y", 1}};
    request.architecture = 80;
    return request;
}

constexpr const char* kGood =
    "__global__ void gray(const uchar4* s, unsigned char* d, int w, int h) { d[0] = BLOCK_X; }\n";

constexpr const char* kLogOfTwo =
    "ptxas info    : 0 bytes gmem, 196 bytes cmem[3]\n"
    "ptxas info    : Compiling entry function 'heavy' for 'sm_86'\n"
    "ptxas info    : Function properties for heavy\n"
    "ptxas         .     40 bytes stack frame, 36 bytes spill stores, 28 bytes spill loads\n"
    "ptxas info    : Used 48 registers, used 1 barriers, 3432 bytes smem, 376 bytes cmem[0]\n"
    "ptxas info    : Compile time = 21.476 ms\n"
    "ptxas info    : Compiling entry function '_Z5lightPf' for 'sm_86'\n"
    "ptxas info    : Function properties for _Z5lightPf\n"
    "ptxas         .     8 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
    "ptxas info    : Used 10 registers, used 0 barriers, 24 bytes cumulative stack size, 360 bytes cmem[0]\n"
    "ptxas info    : Function properties for _Z4deepPii\n"
    "ptxas         .     16 bytes stack frame, 4 bytes spill stores, 4 bytes spill loads\n";

TEST(PtxasReport, ReadsTheLinesOfOneKernel) {
    CompileReport report;
    ASSERT_TRUE(read_ptxas_report(kLogOfTwo, "heavy", report));
    EXPECT_EQ(report.registers, 48);
    EXPECT_EQ(report.shared_bytes, 3432);
    EXPECT_EQ(report.local_bytes, 40);
    EXPECT_EQ(report.code.spill_store_bytes, 36);
    EXPECT_EQ(report.code.spill_load_bytes, 28);
    EXPECT_EQ(report.constant_bytes, 572);
    ASSERT_TRUE(read_ptxas_report(kLogOfTwo, "_Z5lightPf", report));
    EXPECT_EQ(report.registers, 10);
    EXPECT_EQ(report.shared_bytes, 0);
    EXPECT_EQ(report.local_bytes, 24) << "with the function that it calls";
    EXPECT_EQ(report.code.spill_store_bytes, 0);
    EXPECT_EQ(report.constant_bytes, 556);
    EXPECT_FALSE(read_ptxas_report(kLogOfTwo, "_Z5ligh", report));
    EXPECT_EQ(report.registers, 10) << "as it was";
    EXPECT_EQ(ptxas_entries(kLogOfTwo), (std::vector<std::string>{"heavy", "_Z5lightPf"}));
    EXPECT_EQ(without_ptxas_report(std::string("a.cu(1): warning\n  at it\n") + kLogOfTwo + "the end"),
              "a.cu(1): warning\n  at it\nthe end");
}

TEST_F(Folder, HeadersArePartOfTheKernel) {
    CompileService service(folder_);
    ASSERT_TRUE(service.compiler()) << service.why();
    CompileRequest request = request_for(
        "#include \"one.cuh\"\n__global__ void gray(int* d) { d[threadIdx.x] = kOne + BLOCK_X; }\n");
    request.headers = {{"one.cuh", "#include \"two.h\"\nconstexpr int kOne = kTwo;\n"},
                       {"two.h", "constexpr int kTwo = 2;\n"}};
    const CompileOutcome first = service.wait_for(request);
    ASSERT_TRUE(first.kernel) << first.error;
    request.headers[1].text = "constexpr int kTwo = 3;\n";
    EXPECT_FALSE(service.find(request)) << "another header is another kernel";
    const CompileOutcome second = service.wait_for(request);
    ASSERT_TRUE(second.kernel) << second.error;
    EXPECT_FALSE(second.kernel->report.from_cache);
    EXPECT_NE(first.kernel->binary, second.kernel->binary);
    CompileRequest without = request;
    without.headers.pop_back();
    EXPECT_NE(service.wait_for(without).error.find("two.h"), std::string::npos);
    EXPECT_NE(kernel_key(request, *service.compiler()), kernel_key(without, *service.compiler()));
    // A header of the request comes before one of a folder.
    write_file(folder_ / "two.h", "constexpr int kTwo = 4;\n");
    request.include_folders = {folder_.string()};
    const CompileOutcome third = service.wait_for(request);
    ASSERT_TRUE(third.kernel) << third.error;
    EXPECT_EQ(third.kernel->binary, second.kernel->binary);
}

TEST_F(Folder, CacheKnowsItsKeys) {
    const KernelCache cache(folder_);
    CompiledKernel kernel;
    kernel.source_name = "blur_g1";
    kernel.entry = "blur";
    kernel.binary = {'\0', '\n', 'x', '\x7f'};
    kernel.is_ptx = true;
    // Each figure is another one, so that none can stand for its neighbour.
    kernel.report = {
        "sm_90", "NVRTC 13.0", 42, 1, 2, 3, {4, 5, 6}, 7, 8.5, false, "log with \"quotes\"\nand lines"};
    cache.store("key one", kernel);
    const std::optional<CompiledKernel> read = cache.load("key one");
    ASSERT_TRUE(read);
    EXPECT_EQ(read->source_name, "blur_g1");
    EXPECT_EQ(read->entry, "blur");
    EXPECT_TRUE(read->is_ptx);
    EXPECT_EQ(read->binary, kernel.binary);
    CompileReport report = kernel.report;
    report.from_cache = true;
    EXPECT_EQ(read->report, report);
    EXPECT_FALSE(cache.load("key two"));
    // Two keys whose hashes are alike would share a file: the key in it decides.
    const fs::path of_one = fs::directory_iterator(folder_)->path();
    const std::string content = read_file(of_one);
    cache.store("key two", kernel);
    for (const auto& entry : fs::directory_iterator(folder_)) write_file(entry.path(), content);
    EXPECT_TRUE(cache.load("key one"));
    EXPECT_FALSE(cache.load("key two"));
    for (const auto& entry : fs::directory_iterator(folder_)) {
        if (entry.path() != of_one) fs::remove(entry.path());
    }
    // Damaged files are as good as missing: each byte counts, of the kernel too.
    for (const auto& entry : fs::directory_iterator(folder_)) {
        const std::string file = read_file(entry.path());
        for (const std::size_t at : {file.size() - 1, file.size() / 2, file.find("42"), std::size_t(3)}) {
            std::string damaged = file;
            damaged[at] = char(damaged[at] ^ 1);
            write_file(entry.path(), damaged);
            EXPECT_FALSE(cache.load("key one")) << at;
        }
        write_file(entry.path(), file);
        EXPECT_TRUE(cache.load("key one"));
        fs::permissions(entry.path(), fs::perms(0666));
        EXPECT_FALSE(cache.load("key one")) << "others can write to it";
        fs::permissions(entry.path(), fs::perms(0600));
        write_file(entry.path(), file.substr(0, file.size() - 1));
        EXPECT_FALSE(cache.load("key one"));
        write_file(entry.path(), "{}");
        EXPECT_FALSE(cache.load("key one"));
    }
    KernelCache("/proc/nowhere").store("key", kernel);  // cannot be written: no error
    EXPECT_FALSE(KernelCache({}).load("key one"));
    // A folder that others can write to, as in a shared /tmp, is none.
    const fs::path shared = folder_ / "shared";
    fs::create_directory(shared);
    fs::permissions(shared, fs::perms(0777));
    const KernelCache refused(shared);
    refused.store("key one", kernel);
    EXPECT_TRUE(fs::is_empty(shared));
}

TEST_F(Folder, ServiceCompilesCachesAndReportsErrors) {
    CompileService service(folder_);
    ASSERT_TRUE(service.compiler()) << service.why();
    const CompileRequest good = request_for(kGood);
    EXPECT_FALSE(service.find(good));
    const CompileOutcome first = service.wait_for(good);
    ASSERT_TRUE(first.kernel) << first.error;
    EXPECT_GT(first.kernel->report.registers, 0);
    EXPECT_FALSE(first.kernel->report.from_cache);
    EXPECT_EQ(first.kernel->report.architecture, "sm_80");
    EXPECT_EQ(service.wait_for(good).kernel, first.kernel) << "kept in memory";

    CompileService second(folder_);
    const CompileOutcome again = second.wait_for(good);
    ASSERT_TRUE(again.kernel);
    EXPECT_TRUE(again.kernel->report.from_cache);
    EXPECT_EQ(again.kernel->binary, first.kernel->binary);
    EXPECT_EQ(again.kernel->report.registers, first.kernel->report.registers);
    // Another constant, another architecture or another text is another kernel.
    EXPECT_FALSE(second.wait_for(request_for(kGood, 128)).kernel->report.from_cache);
    CompileRequest newer = good;
    newer.architecture = 90;
    EXPECT_FALSE(second.wait_for(newer).kernel->report.from_cache);
    EXPECT_FALSE(second.wait_for(request_for(std::string(kGood) + "\n")).kernel->report.from_cache);

    const CompileOutcome broken = service.wait_for(request_for("\n__global__ void gray() { int x = ; }\n"));
    EXPECT_FALSE(broken.kernel);
    EXPECT_NE(broken.error.find("gray_mine.cu(2): error"), std::string::npos) << broken.error;
    const CompileOutcome nameless = service.wait_for(request_for("__global__ void other() {}\n"));
    EXPECT_FALSE(nameless.kernel);
    EXPECT_NE(nameless.error.find("no kernel"), std::string::npos) << nameless.error;
}

TEST_F(Folder, ServiceForgetsWhatWasNotAskedForLongest) {
    CompileService service(folder_, 1, 2);
    ASSERT_TRUE(service.compiler()) << service.why();
    std::vector<CompileRequest> requests;
    for (const char* space : {"", " ", "  "}) requests.push_back(request_for(std::string(space) + kGood));
    (void)service.wait_for(requests[0]);
    (void)service.wait_for(requests[1]);
    EXPECT_TRUE(service.find(requests[0]));
    (void)service.wait_for(requests[2]);
    EXPECT_TRUE(service.find(requests[0])) << "it was looked at after the second";
    EXPECT_FALSE(service.find(requests[1]));
    EXPECT_TRUE(service.find(requests[2]));
    EXPECT_EQ(service.finished(), 3u);
    const CompileOutcome again = service.wait_for(requests[1]);
    ASSERT_TRUE(again.kernel);
    EXPECT_TRUE(again.kernel->report.from_cache);
    EXPECT_EQ(service.finished(), 4u) << "a new outcome, although as many are kept";
}

TEST_F(Folder, TooMuchSharedMemoryIsToldWithTheNumbers) {
    CompileService service({});
    ASSERT_TRUE(service.compiler());
    CompileRequest request = request_for(
        "__global__ void gray(const uchar4* s, unsigned char* d, int w, int h) {\n"
        "__shared__ int a[40000]; a[threadIdx.x] = s[0].x; __syncthreads(); d[0] = a[w]; }\n");
    const CompileOutcome outcome = service.wait_for(request);
    EXPECT_FALSE(outcome.kernel);
    EXPECT_NE(outcome.error.find("160000 bytes of shared memory are too much"), std::string::npos)
        << outcome.error;
}

TEST_F(Folder, KernelsOfOneFileAreReportedApart) {
    CompileService service({});
    ASSERT_TRUE(service.compiler());
    const Nvrtc& nvrtc = *service.compiler();
    CompileRequest request = request_for(
        "__global__ void light(float* o) { o[threadIdx.x] = 1; }\n"
        "namespace deep { __global__ void wide(float* o) {\n"
        "  __shared__ float s[2048]; s[threadIdx.x] = o[threadIdx.x]; __syncthreads(); o[0] = s[o[1] > 0]; } "
        "}\n"
        "template <class T> __global__ void scale(T* o) { o[threadIdx.x] *= 2; }\n");
    request.entry = "light";
    const auto light = nvrtc.compile(request);
    ASSERT_TRUE(light.ok()) << light.message();
    EXPECT_EQ(light.value().report.shared_bytes, 0);
    EXPECT_GT(light.value().report.registers, 0);
    request.entry = "deep::wide";
    const auto wide = nvrtc.compile(request);
    ASSERT_TRUE(wide.ok()) << wide.message();
    EXPECT_EQ(wide.value().report.shared_bytes, 8192);
    EXPECT_EQ(wide.value().report.registers, nvrtc.assemble(request, wide.value().entry).value().registers);
    request.entry = "scale<double>";
    EXPECT_TRUE(nvrtc.compile(request).ok());
    const auto kernels = nvrtc.kernels_of(request);
    ASSERT_TRUE(kernels.ok()) << kernels.message();
    EXPECT_EQ(std::set<std::string>(kernels.value().begin(), kernels.value().end()),
              (std::set<std::string>{"light(float*)", "deep::wide(float*)"}));
}

TEST_F(Folder, AKernelThatTheAssemblerRefusesLeavesTheOthers) {
    CompileService service({});
    ASSERT_TRUE(service.compiler());
    CompileRequest request = request_for(
        "extern \"C\" __global__ void big(int* o) { __shared__ int s[20000]; s[threadIdx.x] = o[1];\n"
        "  __syncthreads(); o[0] = s[o[2]]; }\n"
        "extern \"C\" __global__ void small(int* o) { o[threadIdx.x] = 1; }\n");
    request.entry = "small";
    const auto small = service.compiler()->assemble(request, "small");
    ASSERT_TRUE(small.ok()) << small.message();
    EXPECT_GT(small.value().registers, 0);
    const auto big = service.compiler()->assemble(request, "big");
    ASSERT_FALSE(big.ok());
    EXPECT_NE(big.message().find("big: too much shared data, 0x13880 bytes, 0xc000 max"), std::string::npos)
        << big.message();
}

TEST_F(Folder, PtxWhereThereIsNoAssembler) {
    CompileService service({});
    ASSERT_TRUE(service.compiler());
    CompileRequest request = request_for(kGood);
    request.to_ptx = true;
    const CompileOutcome outcome = service.wait_for(request);
    ASSERT_TRUE(outcome.kernel) << outcome.error;
    EXPECT_TRUE(outcome.kernel->is_ptx);
    EXPECT_NE(std::string(outcome.kernel->binary.data()).find(".version"), std::string::npos);
}

// The same as PTX that is made alone.
TEST_F(Folder, OnePassMakesCodeAndItsPtx) {
    const CompileRequest code =
        request_for("__global__ void gray(int* d) { int unused; d[threadIdx.x] = BLOCK_X; }\n");
    CompileRequest ptx = code;
    ptx.to_ptx = true;
    CompileService alone({});
    ASSERT_TRUE(alone.compiler()) << alone.why();
    const CompileOutcome expected = alone.wait_for(ptx);
    ASSERT_TRUE(expected.kernel) << expected.error;
    EXPECT_FALSE(alone.find(code)) << "nobody has asked for it";

    ptx.with_code = true;
    for (const bool cached : {false, true}) {
        CompileService service(folder_);
        const CompileOutcome made = service.wait_for(ptx);
        ASSERT_TRUE(made.kernel) << made.error;
        EXPECT_EQ(service.finished(), 1u);
        const std::optional<CompileOutcome> beside = service.find(code);
        ASSERT_TRUE(beside && beside->kernel);
        EXPECT_FALSE(beside->kernel->is_ptx);
        EXPECT_GT(beside->kernel->report.registers, 0);
        for (const CompileOutcome& one : {made, *beside}) EXPECT_EQ(one.kernel->report.from_cache, cached);
        EXPECT_TRUE(made.kernel->is_ptx);
        EXPECT_EQ(made.kernel->binary, expected.kernel->binary);
        EXPECT_EQ(made.kernel->entry, expected.kernel->entry);
        CompileReport report = made.kernel->report;
        report.milliseconds = expected.kernel->report.milliseconds;
        report.from_cache = false;
        EXPECT_EQ(report, expected.kernel->report);
    }
    // Whoever asks for PTX alone finds it, too.
    ptx.with_code = false;
    EXPECT_TRUE(CompileService(folder_).wait_for(ptx).kernel->report.from_cache);
}

TEST_F(Folder, WhatTheAssemblerRefusesIsPtxAllTheSame) {
    CompileService service({});
    ASSERT_TRUE(service.compiler()) << service.why();
    const CompileRequest code =
        request_for("__global__ void gray(int* d) { asm(\"no_such_instruction;\"); d[0] = 1; }\n");
    CompileRequest ptx = code;
    ptx.to_ptx = ptx.with_code = true;
    const CompileOutcome made = service.wait_for(ptx);
    ASSERT_TRUE(made.kernel) << made.error;
    EXPECT_TRUE(made.kernel->is_ptx);
    EXPECT_NE(service.find(code)->error.find("no_such_instruction"), std::string::npos);
    // What the compiler refuses is neither.
    CompileRequest broken = request_for("\n__global__ void gray() { int x = ; }\n");
    broken.to_ptx = broken.with_code = true;
    const CompileOutcome refused = service.wait_for(broken);
    EXPECT_FALSE(refused.kernel);
    EXPECT_NE(refused.error.find("gray_mine.cu(2): error"), std::string::npos) << refused.error;
}

TEST(Targets, NearestAndRunnable) {
    const std::vector<int> archs{75, 80, 86, 90};
    EXPECT_EQ(runnable_target(archs, {8, 6}).architecture, 86);
    EXPECT_FALSE(runnable_target(archs, {8, 6}).to_ptx);
    EXPECT_EQ(runnable_target(archs, {8, 9}).architecture, 86);
    EXPECT_TRUE(runnable_target(archs, {8, 9}).to_ptx);
    EXPECT_EQ(runnable_target(archs, {3, 0}).architecture, 0) << "nothing runs there";
    EXPECT_EQ(nearest_target(archs, {3, 0}).architecture, 75);
    EXPECT_EQ(nearest_target(archs, {12, 0}).architecture, 90);
}

}  // namespace
}  // namespace ws

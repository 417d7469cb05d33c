// Kernel files as people write them: what is left out of them, and what is found for them.

#include "gpu/compile/device_code.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "gpu/compile/declarations.h"
#include "gpu/compile/host_code.h"
#include "gpu/compile/source_text.h"
#include "gpu/core/files.h"
#include "simt_support.h"

namespace ws {
namespace {

namespace fs = std::filesystem;

TEST(SourceText, BlanksWhatIsNoCode) {
    struct Case {
        const char* text;
        const char* code;
    };
    for (const auto& [text, code] : {
             Case{"a // b\nc", "a     \nc"},
             {"a /* b\n */ c", "a     \n    c"},
             {"a /* b", "a     "},
             {"s = \"x // y\\\" z\"; t", "s = \"          \"; t"},
             {"c = '\"'; d = '\\''; e", "c = ' '; d = '  '; e"},
             {"n = 1'000'000; /*", "n = 1'000'000;   "},
             {"R\"x(a)\" b)x\" c", "R\"         \" c"},
             {"// a \\\nb\nc", "      \n \nc"},
             {"#error don't\nx", "#error don't\nx"},
             {"\"open\nx", "\"    \nx"},
             {"", ""},
         })
        EXPECT_EQ(code_of(text), code) << text;
}

TEST(Declarations, AreFoundWithTheirKinds) {
    using Kind = Declaration::Kind;
    struct Case {
        const char* text;
        Kind kind;
        bool device;
        bool constant;
    };
    for (const Case& item : {
             Case{"int main() { return 0; }", Kind::function, false, false},
             {"auto main() -> int { }", Kind::function, false, false},
             {"int main() try { } catch (...) { }", Kind::function, false, false},
             {"__global__ void k(float* p) { { } }", Kind::function, true, false},
             {"template <int N = (1 > 0)> __device__ int f(int a = g({1})) { return a; }", Kind::function,
              true, false},
             {"float f(const float* a);", Kind::function, false, false},
             {"constexpr int f(int a) { return a; }", Kind::function, false, true},
             {"bool operator==(const A& a, const A& b) { return true; }", Kind::function, false, false},
             {"A& A::operator=(A&& a) { return *this; }", Kind::function, false, false},
             {"A::A(int b) : b_{b}, c_(b) { }", Kind::function, false, false},
             {"struct A* next(A* a) { return a; }", Kind::function, false, false},
             {"struct A { int b; void c() { } };", Kind::type, false, false},
             {"struct A { int b; __device__ void c() { } };", Kind::type, true, false},
             {"struct __align__(16) A { int b; };", Kind::type, false, false},
             {"template <typename T> struct alignas(16) A : B<T> { T c[4]; };", Kind::type, false, false},
             {"typedef struct { int a; } A;", Kind::type, false, false},
             {"typedef float (*F)(float);", Kind::type, false, false},
             {"using A = B<int>;", Kind::type, false, false},
             {"namespace cg = cooperative_groups;", Kind::type, false, false},
             {"enum class E : int { a, b };", Kind::type, false, false},
             {"int n = f({1, 2});", Kind::variable, false, false},
             {"std::vector<int> v{1, 2};", Kind::variable, false, false},
             {"auto l = [](int a) { return a; };", Kind::variable, false, false},
             {"const int n = 3;", Kind::variable, false, true},
             {"__constant__ float c[3] = {1, 2, 3};", Kind::variable, true, false},
             {"__device__ F table[2] = {f, g};", Kind::variable, true, false},
             {"extern __shared__ float s[];", Kind::variable, true, false},
             {"MAKE_KERNELS(float)", Kind::other, false, false},
         }) {
        const std::string code = plain_code(item.text);
        const auto found = declarations_of(code, 0, code.size(), device_words(code));
        ASSERT_EQ(found.size(), 1u) << item.text;
        EXPECT_EQ(found[0].kind, item.kind) << item.text;
        EXPECT_EQ(found[0].device, item.device) << item.text;
        EXPECT_EQ(found[0].constant, item.constant) << item.text;
        EXPECT_EQ(found[0].begin, 0u) << item.text;
        EXPECT_EQ(found[0].end, code.size()) << item.text;
    }
}

TEST(Declarations, OfScopesAndMacros) {
    const std::string code = plain_code(
        "#define HD __host__ __device__\n#define BOTH HD inline\n#define KERNEL(n) \\\n  __global__ void n() "
        "{ }\n"
        "namespace a { namespace b::c {\nBOTH int f() { return 1; }\nvoid g();\n} }\nextern \"C\" "
        "{\nKERNEL(k)\n}\n"
        "struct S { public: S() { } private: HD int h() { return 2; } };");
    const Words device =
        device_words(code_of("#define HD __host__ __device__\n#define BOTH HD inline\n"
                             "#define KERNEL(n) \\\n  __global__ void n() { }\n"));
    const auto found = declarations_of(code, 0, code.size(), device);
    ASSERT_EQ(found.size(), 4u);
    EXPECT_TRUE(found[0].device);
    EXPECT_FALSE(found[1].device);
    EXPECT_TRUE(found[2].device);
    const auto members = declarations_of(code, found[3].body + 1, code.rfind('}'), device);
    ASSERT_EQ(members.size(), 2u);
    EXPECT_EQ(code.substr(members[0].begin, 3), "S()");
    EXPECT_FALSE(members[0].device);
    EXPECT_TRUE(members[1].device);
    // Nothing, and brackets that nobody closes, end.
    for (const char* text :
         {"", "}", "a(", "void f() {", "= {", ";", "template <", "struct", "namespace a {", "x[", ")"})
        EXPECT_LE(declarations_of(text, 0, std::string_view(text).size(), device).size(), 1u) << text;
}

TEST(HostCode, IsBlankWhereItWas) {
    const std::string text =
        "#include <vector>\nstd::vector<int> v;\nint n = 1;\nconst int kN = 2;\n"
        "int main() {\n#ifdef A\n  f<<<1, 1>>>();\n#endif\n}\n__global__ void k() { }\n";
    const std::string less = without_host_code(text, device_words(text));
    EXPECT_EQ(less,
              "#include <vector>\n                   \n          \nconst int kN = 2;\n"
              "            \n#ifdef A\n                \n#endif\n \n__global__ void k() { }\n");
    EXPECT_EQ(without_declarations_at(less, {10}, device_words(text)), less) << "a kernel stays";
    EXPECT_NE(without_declarations_at(less, {4}, device_words(text)), less);
    const std::string type =
        "struct S {\n  S() { h(); }\n  __device__ int f() { return 1; }\n};\nstruct H { FILE* f; };\n";
    EXPECT_EQ(without_declarations_at(type, {2, 5}, device_words(type)),
              "struct S {\n              \n  __device__ int f() { return 1; }\n};\n                      \n");
}

class Files : public ::testing::Test {
  protected:
    Files() : folder_(fs::temp_directory_path() / ("warpscope_files_" + std::to_string(::getpid()))) {
        fs::remove_all(folder_);
        fs::create_directories(folder_);
    }
    ~Files() override { fs::remove_all(folder_); }
    [[nodiscard]] CompileRequest request(const std::string& text) const {
        CompileRequest made;
        made.name = "mine";
        made.text = text;
        made.architecture = 80;
        made.include_folders = {folder_.string()};
        return made;
    }
    [[nodiscard]] static Result<DeviceCode> device_code_of(const CompileRequest& made) {
        return device_code(*testing::compiler(), made);
    }
    fs::path folder_;
};

// A program with all that stands beside kernels in public files.
constexpr const char* kProgram = R"(#include <iostream>
#include <vector>
#include <cstdint>
#include <cuda_runtime.h>
#include <thrust/device_vector.h>
#include "helper_nobody_has.h"
#define CHECK(x) do { if ((x) != cudaSuccess) exit(1); } while (0)
using namespace std;
const std::string kTitle = "title";
constexpr int kThreads = 64;
static FILE* log_file;
struct Timer { cudaEvent_t a; std::vector<int> b; Timer() { cudaEventCreate(&a); } };
struct Point { float x, y; Point() { std::cout << 1; } __device__ float norm() const { return std::sqrt(x * x + y * y); } };
template <typename T> void print(const std::vector<T>& v) { for (auto& x : v) cout << x; }
__global__ void scale(uint8_t* out, const Point* in, int64_t n) {
    const auto i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = uint8_t(std::min(in[i].norm(), FLT_MAX) + kThreads + INT_MAX * std::numeric_limits<int>::min());
}
int main() {
    thrust::device_vector<int> v(3);
    CHECK(cudaMalloc((void**)&log_file, 3));
    scale<<<1, kThreads>>>(nullptr, nullptr, 0);
})";

TEST_F(Files, WithHostCodeCompile) {
    WS_NEED_COMPILER();
    const Result<DeviceCode> code = device_code_of(request(kProgram));
    ASSERT_TRUE(code.ok()) << code.message();
    EXPECT_EQ(code.value().kernels,
              std::vector<std::string>{"scale(unsigned char*, Point const*, long long)"});
    EXPECT_EQ(code.value().missing, std::vector<std::string>{"helper_nobody_has.h"});
    for (const char* place : {"mine.cu:9", "mine.cu:12", "mine.cu:13"})
        EXPECT_EQ(std::count(code.value().left_out.begin(), code.value().left_out.end(), place), 1) << place;
    CompileRequest made = code.value().request;
    made.entry = "scale";
    const auto compiled = testing::compiler()->compile(made);
    EXPECT_TRUE(compiled.ok()) << compiled.message();
    EXPECT_EQ(std::count(made.text.begin(), made.text.end(), '\n'),
              std::count(kProgram, kProgram + std::string_view(kProgram).size(), '\n'));
}

TEST_F(Files, FindTheirHeadersAndTheToolkits) {
    WS_NEED_COMPILER();
    fs::create_directories(folder_ / "deep");
    fs::create_directories(folder_ / "more");
    write_file(folder_ / "deep/a.h", "#pragma once\n#include \"b.h\"\nvoid host() { abort(); }\n");
    write_file(folder_ / "deep/b.h",
               "#define DEV __device__\nDEV inline int twice(int a) { return 2 * a; }\n");
    write_file(folder_ / "more/c.h", "constexpr int kC = 3;\n");
    CompileRequest made = request(
        "#include \"deep/a.h\"\n#include <c.h>\n__global__ void k(int* o) { o[0] = twice(kC); }\nDEV int "
        "unused();\n");
    EXPECT_NE(
        device_code_of(made).message().find("not found, and taken for empty: c.h; name their folder with -I"),
        std::string::npos);
    made.include_folders.push_back((folder_ / "more").string());
    const Result<DeviceCode> code = device_code_of(made);
    ASSERT_TRUE(code.ok()) << code.message();
    EXPECT_TRUE(code.value().missing.empty());
    if (testing::compiler()->toolkit_folders().empty()) GTEST_SKIP() << "the toolkit's headers are not here";
    const Result<DeviceCode> all = device_code_of(
        request("#include <cooperative_groups.h>\n#include <cuda_fp16.h>\n#include <curand_kernel.h>\n"
                "#include <curand.h>\n#include <cublas_v2.h>\n#include <cub/cub.cuh>\n"
                "__global__ void k(half* h, curandState* s, float* f) {\n"
                "  __shared__ cub::BlockReduce<float, 64>::TempStorage t;\n"
                "  auto b = cooperative_groups::this_thread_block();\n"
                "  h[0] = __float2half(cub::BlockReduce<float, 64>(t).Sum(curand_uniform(s) + "
                "f[b.thread_rank()])); }\n"));
    ASSERT_TRUE(all.ok()) << all.message();
    EXPECT_TRUE(all.value().missing.empty());
}

TEST_F(Files, ThatAreWrongStayWrong) {
    WS_NEED_COMPILER();
    struct Case {
        const char* text;
        const char* message;
    };
    for (const auto& [text, message] :
         {Case{"int main() { return x; }\n__global__ void k(int* o) { o[0] = ; }\n", "mine.cu(2): error"},
          {"int helper(int a) { return a; }\n__global__ void k(int* o) { o[0] = helper(1); }\n",
           "\"helper\" is undefined"},
          {"int n = 3;\n__global__ void k(int* o) { o[0] = n; }\n", "\"n\" is undefined"},
          {"struct S { std::string s; };\n__global__ void k(S s) { }\n", "mine.cu(2): error"}}) {
        const Result<DeviceCode> code = device_code_of(request(text));
        ASSERT_FALSE(code.ok()) << text;
        EXPECT_NE(code.message().find(message), std::string::npos) << code.message();
    }
}

}  // namespace
}  // namespace ws

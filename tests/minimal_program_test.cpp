// Programs that the compiler may read without the declarations of the runtime, and those that it may not:
// each compiles as it is told.

#include "gpu/compile/minimal_program.h"

#include <gtest/gtest.h>

namespace ws {
namespace {

struct Program {
    const char* what;
    const char* text;
    bool minimal;
    std::vector<KernelHeader> headers{};
};

const std::vector<Program>& programs() {
    static const std::vector<Program> kPrograms{
        {"plain", "__global__ void k(float4* out) { out[threadIdx.x] = make_float4(1, 2, 3, 4); }", true},
        {"names that go on with those letters",
         "__global__ void k(int* out) { constexpr int next_surface_tex = 3; *out = next_surface_tex; }",
         true},
        {"a header of its own",
         "#include \"mine.cuh\"\n__global__ void k(int* out) { *out = kMine; }",
         true,
         {{"mine.cuh", "constexpr int kMine = 3;\n"}}},
        {"a header that names the runtime",
         "#include \"mine.cuh\"\n__global__ void k(int* out) { *out = sizeof(Mine); }",
         false,
         {{"mine.cuh", "using Mine = cudaError_t;\n"}}},
        {"a header that a macro names",
         "#define MINE \"mine.cuh\"\n#include MINE\n__global__ void k(int* out) { *out = sizeof(Mine); }",
         false,
         {{"mine.cuh", "using Mine = int;\n"}}},
        {"a texture",
         "__global__ void k(cudaTextureObject_t t, float* out) { *out = tex2D<float>(t, 1, 2); }", false},
        {"a surface's function",
         "template <typename T> __device__ int read(T s) { return surf1Dread<int>(s, 0); }\n"
         "__global__ void k(unsigned long long s, int* out) { *out = read(s); }",
         false},
        {"a type of the runtime", "__global__ void k(int* out) { *out = int(cudaErrorNotReady); }", false},
        {"a name that a macro joins",
         "#define RUNTIME(name) cu##da##name\n__global__ void k(int* out) { *out = sizeof(RUNTIME(Error_t)); "
         "}",
         false},
        {"a launch from the device",
         "__global__ void inner(int* out) { *out = 1; }\n__global__ void k(int* out) { inner<<<1, 1>>>(out); "
         "}",
         false}};
    return kPrograms;
}

CompileRequest request_for(const Program& program) {
    CompileRequest request;
    request.name = "mine";
    request.text = program.text;
    request.entry = "k";
    request.headers = program.headers;
    request.architecture = 90;
    return request;
}

TEST(MinimalProgram, IsOneThatNamesNothingOfTheRuntime) {
    for (const Program& program : programs())
        EXPECT_EQ(is_minimal(request_for(program)), program.minimal) << program.what;
}

TEST(MinimalProgram, OneOfAPersonIsNot) {
    CompileRequest request = request_for(programs().front());
    request.host_names = true;
    EXPECT_FALSE(is_minimal(request));
}

TEST(MinimalProgram, EveryOneCompiles) {
    const Result<std::shared_ptr<Nvrtc>> compiler = Nvrtc::open();
    ASSERT_TRUE(compiler.ok()) << compiler.message();
    for (const Program& program : programs()) {
        const Result<CompiledKernel> kernel = compiler.value()->compile(request_for(program));
        EXPECT_TRUE(kernel.ok()) << program.what << ": " << kernel.message();
    }
}

}  // namespace
}  // namespace ws

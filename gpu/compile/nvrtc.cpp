#include "gpu/compile/nvrtc.h"

#include <cxxabi.h>
#include <dlfcn.h>
#include <fmt/format.h>
#include <link.h>
#include <nvrtc.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <utility>

#include "gpu/compile/device_runtime.h"
#include "gpu/compile/ptxas_report.h"
#include "gpu/compile/toolkit.h"
#include "gpu/core/embedded_file.h"
#include "gpu/sass/in_flight.h"
#include "gpu/sass/machine_code_reader.h"

namespace ws::embedded_headers {
std::span<const EmbeddedFile> files();
}

namespace ws {

namespace fs = std::filesystem;
namespace {

std::string demangled(const std::string& symbol) {
    int status = 0;
    const std::unique_ptr<char, void (*)(void*)> text(
        abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status), std::free);
    return status == 0 && text ? text.get() : symbol;
}

}  // namespace

struct Nvrtc::Api {
    void* library = nullptr;
    std::string path;
    decltype(&nvrtcVersion) version = nullptr;
    decltype(&nvrtcGetErrorString) error_string = nullptr;
    decltype(&nvrtcGetNumSupportedArchs) count_architectures = nullptr;
    decltype(&nvrtcGetSupportedArchs) get_architectures = nullptr;
    decltype(&nvrtcCreateProgram) create = nullptr;
    decltype(&nvrtcDestroyProgram) destroy = nullptr;
    decltype(&nvrtcCompileProgram) compile = nullptr;
    decltype(&nvrtcGetProgramLogSize) log_size = nullptr;
    decltype(&nvrtcGetProgramLog) log = nullptr;
    decltype(&nvrtcGetPTXSize) ptx_size = nullptr;
    decltype(&nvrtcGetPTX) ptx = nullptr;
    decltype(&nvrtcGetCUBINSize) cubin_size = nullptr;
    decltype(&nvrtcGetCUBIN) cubin = nullptr;
    decltype(&nvrtcAddNameExpression) add_name = nullptr;
    decltype(&nvrtcGetLoweredName) lowered_name = nullptr;

    // Empty, or the name of the function that this library lacks.
    std::string load_all() {
        std::string missing;
        const auto load = [&](auto& function, const char* symbol) {
            function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, symbol));
            if (!function && missing.empty()) missing = symbol;
        };
        load(version, "nvrtcVersion");
        load(error_string, "nvrtcGetErrorString");
        load(count_architectures, "nvrtcGetNumSupportedArchs");
        load(get_architectures, "nvrtcGetSupportedArchs");
        load(create, "nvrtcCreateProgram");
        load(destroy, "nvrtcDestroyProgram");
        load(compile, "nvrtcCompileProgram");
        load(log_size, "nvrtcGetProgramLogSize");
        load(log, "nvrtcGetProgramLog");
        load(ptx_size, "nvrtcGetPTXSize");
        load(ptx, "nvrtcGetPTX");
        load(cubin_size, "nvrtcGetCUBINSize");
        load(cubin, "nvrtcGetCUBIN");
        load(add_name, "nvrtcAddNameExpression");
        load(lowered_name, "nvrtcGetLoweredName");
        return missing;
    }
};

namespace {

constexpr const char* kMissing =
    "the kernel compiler NVRTC is missing (libnvrtc): kernels cannot be compiled, so the cuda device, "
    "registers and "
    "occupancy are unavailable; install the CUDA toolkit or its NVRTC package";
constexpr const char* kHostNames = "warpscope_host_names.h";
constexpr const char* kRepair = "kernels cannot be compiled; reinstall the CUDA toolkit or its NVRTC package";

// The names under which NVRTC may lie, the newest first; WARPSCOPE_NVRTC names one for tests and odd places.
std::vector<std::string> candidates() {
    if (const char* forced = std::getenv("WARPSCOPE_NVRTC")) return {forced};
    std::vector<std::string> names;
    for (const std::string& folder : {std::string(), std::string(WARPSCOPE_CUDA_LIBRARY_DIR) + "/"}) {
        for (const char* version : {".so.13", ".so.12", ".so.11.2", ".so"}) {
            names.push_back(folder + "libnvrtc" + version);
        }
    }
    return names;
}

// Where the loader found the library.
std::string path_of(void* library) {
    const link_map* map = nullptr;
    return dlinfo(library, RTLD_DI_LINKMAP, &map) == 0 && map ? map->l_name : "";
}

// NVRTC opens its second library, the builtins, by name when it first compiles. Where the loader does not
// search NVRTC's folder it finds it only if it is open already: opens the one beside NVRTC. False if there is
// none.
bool open_builtins(const fs::path& nvrtc, int major, int minor) {
    const std::string name = fmt::format("libnvrtc-builtins.so.{}.{}", major, minor);
    std::error_code unreadable;
    const fs::path real = fs::canonical(nvrtc, unreadable);
    for (const fs::path& folder : {nvrtc.parent_path(), real.parent_path()}) {
        if (dlopen((folder / name).c_str(), RTLD_NOW | RTLD_LOCAL)) return true;
        for (const fs::directory_entry& entry : fs::directory_iterator(folder, unreadable)) {
            const std::string other = entry.path().filename();
            if (other != "libnvrtc-builtins.so" && !other.starts_with(name + ".")) continue;
            if (dlopen(entry.path().c_str(), RTLD_NOW | RTLD_LOCAL)) return true;
        }
    }
    return false;
}

// NVRTC 11.8 declares these functions and has no code for them: the PTX calls what nobody defines. 13.0 has
// it. The instructions are those of the toolkit's own header, so that nothing changes for a compiler between
// that has it, too.
constexpr const char* kDotProductsName = "warpscope_dot_products.h";
constexpr const char* kDotProducts = R"(#if __CUDA_ARCH__ >= 610
#define WS_DOT(name, instruction, R, A, B)                                                         \
    static __device__ __forceinline__ R name(A a, B b, R c) {                                      \
        R d;                                                                                       \
        asm(instruction " %0, %1, %2, %3;" : "=r"(d) : "r"(*(int*)&a), "r"(*(int*)&b), "r"(c));    \
        return d;                                                                                  \
    }
WS_DOT(ws_dp4a, "dp4a.s32.s32", int, int, int)
WS_DOT(ws_dp4a, "dp4a.s32.s32", int, char4, char4)
WS_DOT(ws_dp4a, "dp4a.u32.u32", unsigned, unsigned, unsigned)
WS_DOT(ws_dp4a, "dp4a.u32.u32", unsigned, uchar4, uchar4)
WS_DOT(ws_dp2a_lo, "dp2a.lo.s32.s32", int, int, int)
WS_DOT(ws_dp2a_lo, "dp2a.lo.s32.s32", int, short2, char4)
WS_DOT(ws_dp2a_lo, "dp2a.lo.u32.u32", unsigned, unsigned, unsigned)
WS_DOT(ws_dp2a_lo, "dp2a.lo.u32.u32", unsigned, ushort2, uchar4)
WS_DOT(ws_dp2a_hi, "dp2a.hi.s32.s32", int, int, int)
WS_DOT(ws_dp2a_hi, "dp2a.hi.s32.s32", int, short2, char4)
WS_DOT(ws_dp2a_hi, "dp2a.hi.u32.u32", unsigned, unsigned, unsigned)
WS_DOT(ws_dp2a_hi, "dp2a.hi.u32.u32", unsigned, ushort2, uchar4)
#undef WS_DOT
#define __dp4a ws_dp4a
#define __dp2a_lo ws_dp2a_lo
#define __dp2a_hi ws_dp2a_hi
#endif
)";

}  // namespace

Result<std::shared_ptr<Nvrtc>> Nvrtc::open() {
    using Opened = Result<std::shared_ptr<Nvrtc>>;
    std::string problem = kMissing;
    for (const std::string& name : candidates()) {
        auto api = std::make_unique<Api>();
        api->library = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
        if (!api->library) continue;
        api->path = path_of(api->library);
        if (const std::string missing = api->load_all(); !missing.empty()) {
            problem = fmt::format("the NVRTC library {} is too old (it lacks {}); install CUDA 11.8 or newer",
                                  api->path, missing);
            continue;
        }
        int major = 0;
        int minor = 0;
        if (api->version(&major, &minor) != NVRTC_SUCCESS) {
            problem = fmt::format("the NVRTC library {} does not report its version; {}", api->path, kRepair);
            continue;
        }
        const bool whole = open_builtins(api->path, major, minor);
        const std::shared_ptr<Nvrtc> nvrtc(new Nvrtc(std::move(api), major, minor));
        // The loader may know another place for the builtins. A trial takes time that a start does not have
        // otherwise.
        std::string refusal = whole ? "" : nvrtc->try_out();
        if (refusal.empty()) return nvrtc;
        problem = std::move(refusal);
    }
    return Opened::failure(problem);
}

std::string Nvrtc::try_out() const {
    CompileRequest request;
    request.name = "trial";
    request.text = "__global__ void trial() {}";
    request.entry = "trial";
    request.architecture = architectures_.empty() ? 0 : architectures_.back();
    const Result<CompiledKernel> compiled = compile(request);
    if (compiled.ok()) return "";
    std::string log = compiled.message();
    std::replace(log.begin(), log.end(), '\n', ' ');
    return fmt::format("{} in {} cannot compile ({}): {}", name_, api_->path, log, kRepair);
}

Nvrtc::Nvrtc(std::unique_ptr<Api> api, int major, int minor)
    : api_(std::move(api)), major_(major), minor_(minor), name_(fmt::format("NVRTC {}.{}", major, minor)) {
    int count = 0;
    api_->count_architectures(&count);
    architectures_.resize(std::size_t(std::max(count, 0)));
    if (count > 0) api_->get_architectures(architectures_.data());
    std::sort(architectures_.begin(), architectures_.end());
    toolkit_ = toolkit_folders_near(api_->path);
}

const std::string& Nvrtc::path() const {
    return api_->path;
}

Nvrtc::~Nvrtc() = default;  // the library stays open: its threads and caches may outlive a call of ours

std::vector<std::string> Nvrtc::options(const CompileRequest& request) const {
    std::vector<std::string> list{
        fmt::format("--gpu-architecture={}_{}", request.to_ptx ? "compute" : "sm", request.architecture),
        "--std=c++17", "--ptxas-options=-v"};
    if (major_ < 13) list.push_back(fmt::format("--pre-include={}", kDotProductsName));
    // The compiler's own cache drops the assembler's report on a hit.
    if (version() >= 1209) list.emplace_back("--no-cache");
    // Counts and machine code are told by source line.
    list.emplace_back(request.for_debugger ? "--device-debug" : "-lineinfo");
    int most = request.register_cap;
    if (request.register_limit > 0 && (most == 0 || request.register_limit < most))
        most = request.register_limit;
    if (most > 0) list.push_back(fmt::format("--maxrregcount={}", most));
    if (request.host_names) {
        list.push_back(fmt::format("--pre-include={}", kHostNames));
        list.emplace_back("--device-as-default-execution-space");
        list.emplace_back("--device-int128");
    }
    const auto launches = [](const KernelHeader& header) { return launches_kernels(header.text); };
    if (launches_kernels(request.text) ||
        std::any_of(request.headers.begin(), request.headers.end(), launches))
        list.emplace_back("--relocatable-device-code=true");
    for (const std::vector<std::string>* folders : {&request.include_folders, &toolkit_}) {
        for (const std::string& folder : *folders) list.push_back("--include-path=" + folder);
    }
    for (const auto& [knob, value] : request.knobs) list.push_back(fmt::format("-D{}={}", knob, value));
    return list;
}

// A program that has been through the compiler.
struct Nvrtc::Run {
    nvrtcProgram handle = nullptr;
    nvrtcResult (*destroy)(nvrtcProgram*) = nullptr;
    nvrtcResult status = NVRTC_SUCCESS;
    std::string log;
    double milliseconds = 0;

    Run() = default;
    Run(Run&& other) noexcept
        : handle(std::exchange(other.handle, nullptr)),
          destroy(other.destroy),
          status(other.status),
          log(std::move(other.log)),
          milliseconds(other.milliseconds) {}
    Run& operator=(Run&&) = delete;
    ~Run() {
        if (handle) destroy(&handle);
    }
};

Nvrtc::Run Nvrtc::run(const CompileRequest& request) const {
    const auto start = std::chrono::steady_clock::now();
    Run run;
    run.destroy = api_->destroy;
    const std::string file = request.name + ".cu";
    std::vector<const char*> headers{kDotProducts};
    std::vector<const char*> names{kDotProductsName};
    for (const EmbeddedFile& header : embedded_headers::files()) {  // texts and names end with a 0
        headers.push_back(header.text.data());
        names.push_back(header.name.data());
    }
    for (const KernelHeader& header : request.headers) {
        headers.push_back(header.text.c_str());
        names.push_back(header.name.c_str());
    }
    run.status = api_->create(&run.handle, request.text.c_str(), file.c_str(), int(headers.size()),
                              headers.data(), names.data());
    if (run.status != NVRTC_SUCCESS) return run;
    if (!request.entry.empty()) api_->add_name(run.handle, request.entry.c_str());
    std::vector<const char*> arguments;
    const std::vector<std::string> texts = options(request);
    arguments.reserve(texts.size());
    for (const std::string& option : texts) arguments.push_back(option.c_str());
    run.status = api_->compile(run.handle, int(arguments.size()), arguments.data());
    std::size_t log_size = 0;
    api_->log_size(run.handle, &log_size);
    run.log.resize(log_size);
    if (log_size > 0) api_->log(run.handle, run.log.data());
    while (!run.log.empty() && run.log.back() == '\0') run.log.pop_back();
    run.milliseconds =
        std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
    return run;
}

namespace {

constexpr int kStaticShared = 48 * 1024;

// Why a program did not compile: the log, and what it does not say by itself.
std::string failure_text(const CompileRequest& request, std::string message, const char* status) {
    const std::string file = request.name + ".cu";
    const std::string log = message;
    // The assembler may fail without a word of its own: its report then stands alone in the log.
    if (message.find("error") == std::string::npos)
        message = fmt::format("{}: {}\n{}", file, status, message);
    for (const std::string& entry : ptxas_entries(log)) {
        CompileReport report;
        if (!read_ptxas_report(log, entry, report) || report.shared_bytes <= kStaticShared) continue;
        message = fmt::format(
            "{}: {} bytes of shared memory are too much, a kernel may declare {} ({}: too much shared data, "
            "0x{:x} bytes, 0x{:x} max)\n{}",
            file, report.shared_bytes, kStaticShared, entry, report.shared_bytes, kStaticShared, message);
    }
    if (log.find("name expression") != std::string::npos) {
        message = fmt::format("{}: there is no kernel 'extern \"C\" __global__ void {}(...)' in it\n{}", file,
                              request.entry, message);
    }
    return message;
}

}  // namespace

Result<CompiledKernel> Nvrtc::compile(const CompileRequest& request) const {
    Run program = run(request);
    return kernel_of(program, request);
}

Result<CodeAndPtx> Nvrtc::compile_both(const CompileRequest& request) const {
    using Both = Result<CodeAndPtx>;
    Run program = run(request);
    Result<CompiledKernel> code = kernel_of(program, request);
    if (!code.ok()) return Both::failure(code.message());
    CompileRequest to_ptx = request;
    to_ptx.to_ptx = true;
    program.log = without_ptxas_report(program.log);
    Result<CompiledKernel> ptx = kernel_of(program, to_ptx);
    return CodeAndPtx{std::move(code.value()), std::move(ptx)};
}

Result<CompiledKernel> Nvrtc::kernel_of(Run& program, const CompileRequest& request) const {
    using Compiled = Result<CompiledKernel>;
    const std::string file = request.name + ".cu";
    if (program.status != NVRTC_SUCCESS)
        return Compiled::failure(failure_text(request, program.log, api_->error_string(program.status)));

    // The result, and under which symbol the entry is found in it.
    const char* symbol = nullptr;
    if (api_->lowered_name(program.handle, request.entry.c_str(), &symbol) != NVRTC_SUCCESS || !symbol) {
        return Compiled::failure(fmt::format(
            "{}: there is no kernel 'extern \"C\" __global__ void {}(...)' in it", file, request.entry));
    }
    CompiledKernel kernel;
    kernel.source_name = request.name;
    kernel.entry = symbol;
    kernel.is_ptx = request.to_ptx;
    kernel.binary = binary_of(program, request.to_ptx);
    if (program.status != NVRTC_SUCCESS)
        return Compiled::failure(file + ": " + api_->error_string(program.status));

    kernel.report.log = program.log;
    read_ptxas_report(kernel.report.log, kernel.entry, kernel.report);
    describe(request, kernel.entry, kernel.binary, kernel.report);
    kernel.report.milliseconds = program.milliseconds;
    return kernel;
}

std::vector<char> Nvrtc::binary_of(Run& program, bool to_ptx) const {
    std::size_t size = 0;
    program.status = to_ptx ? api_->ptx_size(program.handle, &size) : api_->cubin_size(program.handle, &size);
    if (program.status != NVRTC_SUCCESS) return {};
    std::vector<char> binary(size);
    program.status =
        to_ptx ? api_->ptx(program.handle, binary.data()) : api_->cubin(program.handle, binary.data());
    return binary;
}

void Nvrtc::describe(const CompileRequest& request, const std::string& symbol,
                     const std::vector<char>& binary, CompileReport& report) const {
    report.architecture = fmt::format("{}_{}", request.to_ptx ? "compute" : "sm", request.architecture);
    report.compiler = name_;
    report.register_cap = request.register_cap;
    if (request.to_ptx) return;
    const Result<MachineCode> code = read_machine_code(binary, symbol);
    if (code.ok()) report.code.loads_in_flight = loads_in_flight(code.value()).most;
}

Result<CompileReport> Nvrtc::assemble(const CompileRequest& request, const std::string& symbol) const {
    Run program = run(request);
    CompileReport report;
    report.log = program.log;
    const bool known = read_ptxas_report(program.log, symbol, report);
    if (!known || (program.status != NVRTC_SUCCESS && report.shared_bytes > kStaticShared)) {
        return Result<CompileReport>::failure(
            failure_text(request, program.log, api_->error_string(program.status)));
    }
    describe(request, symbol, binary_of(program, request.to_ptx), report);
    return report;
}

Result<std::vector<std::string>> Nvrtc::kernels_of(const CompileRequest& request) const {
    using Names = Result<std::vector<std::string>>;
    CompileRequest whole = request;
    whole.entry.clear();
    whole.to_ptx = true;
    const Run program = run(whole);
    if (program.status != NVRTC_SUCCESS)
        return Names::failure(failure_text(whole, program.log, api_->error_string(program.status)));
    std::size_t size = 0;
    api_->ptx_size(program.handle, &size);
    std::string ptx(size, '\0');
    api_->ptx(program.handle, ptx.data());
    std::vector<std::string> names;
    constexpr std::string_view kEntry = ".entry ";
    for (std::size_t at = ptx.find(kEntry); at != std::string::npos; at = ptx.find(kEntry, at + 1)) {
        const std::size_t first = at + kEntry.size();
        names.push_back(demangled(ptx.substr(first, ptx.find_first_of("( \n", first) - first)));
    }
    return names;
}

}  // namespace ws

#include "gpu/compile/device_runtime.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <link.h>

#include <array>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>
#include <type_traits>

#include "gpu/compile/source_text.h"

namespace ws {
namespace {

namespace fs = std::filesystem;

// The linker of machine code. Toolkits before 12 have none as a library, and headers of theirs do not declare
// it.
struct Linker {
    using Handle = void*;
    enum Kind { machine_code = 1, library = 6 };

    int (*create)(Handle*, std::uint32_t, const char**) = nullptr;
    int (*destroy)(Handle*) = nullptr;
    int (*add_data)(Handle, int, const void*, std::size_t, const char*) = nullptr;
    int (*add_file)(Handle, int, const char*) = nullptr;
    int (*complete)(Handle) = nullptr;
    int (*size)(Handle, std::size_t*) = nullptr;
    int (*get)(Handle, void*) = nullptr;
    int (*log_size)(Handle, std::size_t*) = nullptr;
    int (*log)(Handle, char*) = nullptr;
    fs::path path;

    bool load_all(void* from) {
        bool whole = true;
        const auto load = [&](auto& function, const char* symbol) {
            function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(from, symbol));
            whole = whole && function;
        };
        load(create, "nvJitLinkCreate");
        load(destroy, "nvJitLinkDestroy");
        load(add_data, "nvJitLinkAddData");
        load(add_file, "nvJitLinkAddFile");
        load(complete, "nvJitLinkComplete");
        load(size, "nvJitLinkGetLinkedCubinSize");
        load(get, "nvJitLinkGetLinkedCubin");
        load(log_size, "nvJitLinkGetErrorLogSize");
        load(log, "nvJitLinkGetErrorLog");
        return whole;
    }
};

// WARPSCOPE_NVJITLINK names one for tests and odd places.
std::vector<std::string> linker_candidates() {
    if (const char* forced = std::getenv("WARPSCOPE_NVJITLINK")) return {forced};
    std::vector<std::string> names;
    for (const std::string& folder : {std::string(), std::string(WARPSCOPE_CUDA_LIBRARY_DIR) + "/"}) {
        for (const char* version : {".so.13", ".so.12", ".so"})
            names.push_back(folder + "libnvJitLink" + version);
    }
    return names;
}

std::optional<Linker> find_linker() {
    for (const std::string& name : linker_candidates()) {
        void* library = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
        Linker linker;
        if (!library || !linker.load_all(library)) continue;
        const link_map* map = nullptr;
        if (dlinfo(library, RTLD_DI_LINKMAP, &map) == 0 && map) linker.path = map->l_name;
        return linker;
    }
    return std::nullopt;
}

// The toolkit's library; WARPSCOPE_CUDADEVRT names one for tests and odd places.
std::optional<fs::path> find_runtime(const fs::path& linker) {
    constexpr const char* kName = "libcudadevrt.a";
    std::error_code status;
    if (const char* forced = std::getenv("WARPSCOPE_CUDADEVRT"))
        return fs::exists(forced, status) ? std::optional<fs::path>(forced) : std::nullopt;
    std::vector<fs::path> folders{linker.parent_path(), fs::weakly_canonical(linker, status).parent_path(),
                                  WARPSCOPE_CUDA_LIBRARY_DIR};
    for (const char* name : {"CUDA_HOME", "CUDA_PATH"}) {
        if (const char* folder = std::getenv(name)) {
            folders.push_back(fs::path(folder) / "lib64");
            folders.push_back(fs::path(folder) / "lib");
        }
    }
    folders.emplace_back("/usr/local/cuda/lib64");
    folders.emplace_back("/usr/local/cuda/lib");
    for (const fs::path& folder : folders) {
        if (fs::exists(folder / kName, status)) return folder / kName;
    }
    return std::nullopt;
}

// One link; its handle goes with it.
class Linking {
  public:
    explicit Linking(const Linker& linker) : linker_(linker) {}
    ~Linking() {
        if (handle_) linker_.destroy(&handle_);
    }
    Linking(const Linking&) = delete;
    Linking& operator=(const Linking&) = delete;

    [[nodiscard]] bool run(const CompiledKernel& kernel, const fs::path& runtime) {
        const std::string architecture = "-arch=" + kernel.report.architecture;
        std::array<const char*, 2> options{architecture.c_str(), "-lineinfo"};
        return linker_.create(&handle_, std::uint32_t(options.size()), options.data()) == 0 &&
               linker_.add_data(handle_, Linker::machine_code, kernel.binary.data(), kernel.binary.size(),
                                kernel.source_name.c_str()) == 0 &&
               linker_.add_file(handle_, Linker::library, runtime.c_str()) == 0 &&
               linker_.complete(handle_) == 0;
    }
    [[nodiscard]] std::vector<char> code() const {
        std::size_t size = 0;
        if (linker_.size(handle_, &size) != 0) return {};
        std::vector<char> made(size);
        if (linker_.get(handle_, made.data()) != 0) return {};
        return made;
    }
    [[nodiscard]] std::string log() const {
        std::size_t size = 0;
        if (!handle_ || linker_.log_size(handle_, &size) != 0) return "";
        std::string text(size, '\0');
        if (linker_.log(handle_, text.data()) != 0) return "";
        while (!text.empty() && (text.back() == '\0' || text.back() == '\n')) text.pop_back();
        return text;
    }

  private:
    const Linker& linker_;
    Linker::Handle handle_ = nullptr;
};

// Of an ELF file that is to be linked.
bool is_relocatable(const std::vector<char>& binary) {
    constexpr std::size_t kType = 16;
    constexpr char kRelocatable = 1;
    return binary.size() > kType + 1 && binary[0] == 0x7F && binary[1] == 'E' &&
           binary[kType] == kRelocatable && binary[kType + 1] == 0;
}

}  // namespace

bool launches_kernels(std::string_view text) {
    constexpr std::string_view kLaunch = "<<<";
    return text.find(kLaunch) != std::string_view::npos && code_of(text).find(kLaunch) != std::string::npos;
}

bool needs_device_runtime(const CompiledKernel& kernel) {
    if (!kernel.is_ptx) return is_relocatable(kernel.binary);
    const std::string_view text(kernel.binary.data(), kernel.binary.size());
    return text.find("LaunchDeviceV2") != std::string_view::npos;
}

Result<std::vector<char>> with_device_runtime(const CompiledKernel& kernel) {
    using Linked = Result<std::vector<char>>;
    if (kernel.is_ptx)
        return Linked::failure(fmt::format(
            "{}.cu launches kernels, and {} has no assembler for this GPU; install a newer CUDA toolkit",
            kernel.source_name, kernel.report.compiler));
    const std::optional<Linker> linker = find_linker();
    if (!linker)
        return Linked::failure(
            "the linker of machine code is missing (libnvJitLink), which kernels that launch kernels need; "
            "install the CUDA toolkit 12 or newer, or choose --device simt");
    const std::optional<fs::path> runtime = find_runtime(linker->path);
    if (!runtime)
        return Linked::failure(
            "the device runtime is missing (libcudadevrt.a), which kernels that launch kernels need; "
            "install it with the CUDA toolkit, or choose --device simt");
    Linking link(*linker);
    std::vector<char> code;
    if (link.run(kernel, *runtime)) code = link.code();
    if (code.empty())
        return Linked::failure(fmt::format("{}.cu cannot be linked with {}: {}", kernel.source_name,
                                           runtime->string(), link.log()));
    return code;
}

}  // namespace ws

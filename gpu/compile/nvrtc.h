#pragma once
// NVIDIA's run-time compiler, opened when the program runs: it may be missing.

#include <memory>
#include <string>
#include <vector>

#include "gpu/core/error.h"
#include "gpu/core/kernel.h"

namespace ws {

// One kernel with everything that decides its code.
struct CompileRequest {
    std::string name;  // of the kernel file
    std::string text;
    std::string
        entry;  // the __global__ function to look for: gray, blur or edge; "scale<float>" of a template
    std::vector<KernelHeader> headers;         // found under their names before any folder
    std::vector<std::string> include_folders;  // where other includes are looked for, before the toolkit's
    bool host_names =
        false;  // int32_t, FLT_MAX, std::min ...: what a person's file takes from the libraries of C and C++
    KnobValues knobs;
    int architecture = 0;  // 90 is sm_90
    bool to_ptx = false;   // PTX, which the simulated GPU and later architectures run
    // Of PTX, and for CompileService alone: machine code of the same is wanted, too, so that one pass makes
    // both. It decides nothing of the code, and is part of no key.
    bool with_code = false;
    int register_cap = 0;       // with which the block fits the register file; 0: none
    int register_limit = 0;     // the kernel's own, by a knob; 0: none
    bool for_debugger = false;  // not optimised, and its PTX says where variables are
};

// What one pass of the compiler makes: machine code, and the PTX that it was assembled from.
struct CodeAndPtx {
    CompiledKernel code;
    Result<CompiledKernel> ptx;
};

class Nvrtc {
  public:
    // The first NVRTC found that has all its parts. The failure says what is missing and what then does not
    // work.
    static Result<std::shared_ptr<Nvrtc>> open();
    ~Nvrtc();
    Nvrtc(const Nvrtc&) = delete;
    Nvrtc& operator=(const Nvrtc&) = delete;

    [[nodiscard]] const std::string& name() const { return name_; }                         // "NVRTC 13.0"
    [[nodiscard]] const std::string& path() const;                                          // of the library
    [[nodiscard]] int version() const { return 100 * major_ + minor_; }                     // 1300
    [[nodiscard]] const std::vector<int>& architectures() const { return architectures_; }  // ascending

    // The folders of the toolkit's headers (cuda_fp16.h, cooperative_groups.h, cub/); none where only the
    // library is there.
    [[nodiscard]] const std::vector<std::string>& toolkit_folders() const { return toolkit_; }

    // Compiles an empty kernel. Empty, or why no kernel can be compiled.
    [[nodiscard]] std::string try_out() const;

    // The options that `compile` passes; part of the key of a cache.
    [[nodiscard]] std::vector<std::string> options(const CompileRequest& request) const;
    // Thread-safe. The failure is the compiler's log, with lines as "blur_g1.cu(12): error: ...".
    [[nodiscard]] Result<CompiledKernel> compile(const CompileRequest& request) const;
    // Of a request for machine code; its PTX is what `compile` makes of the same request to PTX.
    [[nodiscard]] Result<CodeAndPtx> compile_both(const CompileRequest& request) const;
    // What the assembler reports of the kernel with this symbol; also where it refuses another kernel of the
    // file. The failure is the log.
    [[nodiscard]] Result<CompileReport> assemble(const CompileRequest& request,
                                                 const std::string& symbol) const;
    // The kernels of the text as a person writes them, "ns::scale(float*)"; templates only where the text
    // names an instance. The failure is the compiler's log.
    [[nodiscard]] Result<std::vector<std::string>> kernels_of(const CompileRequest& request) const;

  private:
    struct Api;
    struct Run;
    [[nodiscard]] Run run(const CompileRequest& request) const;
    [[nodiscard]] Result<CompiledKernel> kernel_of(Run& program, const CompileRequest& request) const;
    // The cubin, or PTX; its status is in the program then.
    [[nodiscard]] std::vector<char> binary_of(Run& program, bool to_ptx) const;
    void describe(const CompileRequest& request, const std::string& symbol, const std::vector<char>& binary,
                  CompileReport& report) const;
    Nvrtc(std::unique_ptr<Api> api, int major, int minor);
    std::unique_ptr<Api> api_;
    int major_ = 0;
    int minor_ = 0;
    std::string name_;
    std::vector<int> architectures_;
    std::vector<std::string> toolkit_;
};

}  // namespace ws

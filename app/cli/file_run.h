#pragma once
// A person's .cu file as the command line says it is to be run: simulated with its checks; then, where a real
// GPU is asked for and nothing was found, there.

#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "app/cli/gpu_run.h"
#include "app/cli/kernel_argument.h"
#include "app/cli/options.h"
#include "app/cli/simt_report.h"
#include "app/cli/student_lab.h"
#include "gpu/compile/device_code.h"
#include "gpu/compile/nvrtc.h"
#include "gpu/simt/program.h"

namespace ws {

// The launch that the simulated GPU has run on the real one. Nothing is launched that was found wrong.
struct RealRun {
    std::string refused;  // why there is no run
    std::optional<GpuRun> run;
    std::vector<std::size_t> differing;  // arguments whose buffers hold something else than simulated
};

// A buffer after the run.
struct FileBuffer {
    std::size_t argument = 0;  // that it is, counted from 0
    Element element = Element::gray;
    std::size_t elements = 0;
    HostBytes bytes;
};

struct FileRun {
    SimtReport report;
    RealRun real;
    std::vector<FileBuffer> buffers;
    int status = 0;  // the exit code
};

// The file's kernel with its arguments, not compiled yet.
struct PreparedFile {
    DeviceCode code;
    CompileRequest file;  // as it is written, with its knobs
    std::unique_ptr<StudentLab> student;
};

class KernelFile {
  public:
    // Throws UsageError and Error for what cannot be run.
    KernelFile(const Options& options, const Nvrtc& nvrtc);
    ~KernelFile();
    KernelFile(const KernelFile&) = delete;
    KernelFile& operator=(const KernelFile&) = delete;

    // Those of its lines "// knob:".
    [[nodiscard]] const std::vector<Knob>& knobs() const { return knobs_; }
    [[nodiscard]] bool has_gpu() const { return device_ != nullptr; }
    // With the values of some knobs, the others as the options and the file say.
    [[nodiscard]] FileRun run(const KnobValues& knobs = {}) const;
    // Throws UsageError where no kernel is named.
    [[nodiscard]] PreparedFile prepare(const KnobValues& knobs = {}) const;
    // Throws UsageError where the kernel has more or fewer parameters than there are arguments.
    void check_arguments(const simt::Program& program) const;
    [[nodiscard]] const GpuProfile& simulated() const { return gpu_; }

  private:
    void open_real_gpu();
    void read_knobs();
    // `contents`: of the buffers, as simulated; then as the GPU leaves them.
    [[nodiscard]] RealRun run_on_real_gpu(CompileRequest request, const StudentLab& student,
                                          std::vector<HostBytes>& contents) const;

    const Options& options_;
    const Nvrtc& nvrtc_;
    std::unique_ptr<Device> device_;  // the real GPU; null: nobody asked for one
    GpuProfile real_profile_;
    GpuProfile gpu_;  // that is simulated
    CompileRequest file_;
    KernelSource source_;
    std::vector<Knob> knobs_;
    KnobValues values_;
    std::vector<KernelArgument> arguments_;
};

// The keys of docs/json.md, without what the buffers hold.
[[nodiscard]] nlohmann::ordered_json file_json(const KernelFile& file, const FileRun& run);

// 0, or what a run that was found wrong or interrupted ends with.
[[nodiscard]] int exit_code(const Options& options, const SimtReport& report);

}  // namespace ws

#include "gpu/engine/sessions.h"

#include <algorithm>
#include <utility>

#include "gpu/analysis/model_session.h"
#include "gpu/analysis/profiles.h"
#include "gpu/compile/compile_service.h"
#include "gpu/compile/kernel_library.h"
#include "gpu/core/error.h"
#include "gpu/cuda/cuda_device.h"
#include "gpu/cuda/cuda_session.h"
#include "gpu/engine/device_host.h"
#include "gpu/engine/targets.h"

namespace ws {
namespace {

constexpr int kModelledGpus = 4;

// Compiles the kernels of experiments, which have no block of their own and no knobs. They are few and small,
// so that they are compiled when they are launched first.
KernelMaker make_kernels(const SessionOptions& options) {
    auto library = std::make_shared<KernelLibrary>(options.kernel_folder);
    auto compiler = std::make_shared<CompileService>(options.cache_folder);
    return
        [library, compiler](std::string_view kernel, std::string_view entry, ComputeCapability capability) {
            if (!compiler->compiler()) throw Error("there is no compiler for kernels", compiler->why());
            const KernelSource& source = library->find(kernel);
            const CodeTarget target = runnable_target(compiler->compiler()->architectures(), capability);
            CompileRequest request;
            request.name = source.name;
            request.text = source.text;
            request.entry = std::string(entry);
            request.headers = source.headers;
            request.architecture = target.architecture;
            request.to_ptx = target.to_ptx;
            CompileOutcome outcome = compiler->wait_for(request);
            if (!outcome.kernel) throw Error("the kernel does not compile", source.name, outcome.error);
            return outcome.kernel;
        };
}

OpenedSession modelled(const SessionOptions& options, std::string reason) {
    const GpuTable table;
    const GpuProfile& gpu = table.named(options.gpu.empty() ? kDefaultTarget : options.gpu);
    return {make_model_session(gpu, kModelledGpus), std::move(reason)};
}

// Several of the GPU that is there, if the table has it.
OpenedSession modelled_like(const std::string& name, SessionOptions options, const std::string& why) {
    try {
        options.gpu = GpuTable().named(name).name;
    } catch (const UsageError&) {  // a newer one: the default
    }
    return modelled(options, why);
}

OpenedSession opened(const SessionOptions& options) {
    if (options.device == DeviceKind::cpu)
        throw UsageError("an experiment takes a GPU, or a model of one", "", "choose --device cuda or simt");
    if (options.device == DeviceKind::simt) return modelled(options, "chosen by hand");
    if (options.device == DeviceKind::automatic && !options.gpu.empty())
        return modelled(options, "a GPU was chosen by name");
    if (!options.gpu.empty())
        throw UsageError("--gpu chooses the GPU of the model", "", "leave it out, or choose --device simt");
    refuse_missing_gpu(options.cuda_gpu);
    Result<std::unique_ptr<DeviceSession>> cuda =
        open_cuda_session(std::max(0, options.cuda_gpu), make_kernels(options));
    if (cuda.ok()) {
        const SessionFacts& facts = cuda.value()->facts();
        if (int(facts.devices.size()) >= options.least_gpus)
            return {std::move(cuda.value()),
                    options.device == DeviceKind::cuda ? "chosen by hand" : "a CUDA GPU is there"};
        const std::string why = "the experiment takes several GPUs, and this machine has one";
        if (options.device == DeviceKind::cuda)
            throw Error(why, facts.devices.front().gpu.name, "use --device simt, which models several");
        return modelled_like(facts.devices.front().gpu.name, options, why);
    }
    if (options.device == DeviceKind::cuda)
        throw Error("the cuda device is not available", cuda.message(), "use --device auto or --device simt");
    return modelled(options, "no CUDA GPU to use: " + cuda.message());
}

}  // namespace

OpenedSession open_session(const SessionOptions& options) {
    OpenedSession session = opened(options);
    session.session = options.decorate(std::move(session.session));
    return session;
}

}  // namespace ws

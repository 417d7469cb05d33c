// The engine's devices: which one computes, and what happens when it is lost.

#include <fmt/format.h>

#include "gpu/cpu/cpu_device.h"
#include "gpu/cuda/cuda_device.h"
#include "gpu/engine/engine.h"

namespace ws {

void Engine::warm_up(const Settings& settings) {
    const Nvrtc* compiler = compiler_.compiler();
    if (!compiler || settings.device == DeviceKind::cpu) return;
    const Result<std::vector<DeviceFacts>> devices = cuda_devices();
    if (!devices.ok() || devices.value().size() != 1) return;  // of several, only the window knows which
    const ComputeCapability capability = devices.value().front().profile.limits.capability;
    std::vector<CompileRequest> needed;
    for (const StageRequest& request : requests_of(settings)) {
        if (!can_run(*request.source, capability)) continue;
        needed.push_back(compile_request(request, runnable_target(compiler->architectures(), capability)));
    }
    if (!needed.empty() && needed.front().architecture > 0) compiler_.ask(std::move(needed));
    warm_up_cuda(0);
}

void Engine::use_cuda_device(int index, std::string note) {
    cuda_index_ = index;
    cuda_note_ = std::move(note);
}

void Engine::open_device(std::unique_ptr<Device> device, std::string reason) {
    if (picture_) device->set_picture(picture_);
    simulated_ = dynamic_cast<simt::SimtDevice*>(device.get());
    device_ = options_.decorate(std::move(device));
    snapshot_.simulation.reset();
    ++device_epoch_;
    snapshot_.device = device_->facts();
    if (snapshot_.device.kind == DeviceKind::cuda) {
        snapshot_.device.profile = gpus_.completed(snapshot_.device.profile);
        if (!snapshot_.device.profile.chip.empty()) {
            snapshot_.device.facts.insert(snapshot_.device.facts.begin(),
                                          {"Chip", snapshot_.device.profile.chip});
        }
        snapshot_.device.facts.insert(snapshot_.device.facts.begin(), {"Name", snapshot_.device.name});
    }
    snapshot_.device_reason = std::move(reason);
    forget_plan();
    asked_ = false;
    start_samples();
}

std::unique_ptr<Device> Engine::make_simulated() const {
    return std::make_unique<simt::SimtDevice>(
        gpus_.named(settings_.target_gpu.empty() ? kDefaultTarget : settings_.target_gpu));
}

void Engine::choose_device(DeviceKind wanted) {
    if (device_ && wanted == wanted_device_) return;
    if (wanted == DeviceKind::cpu) {
        open_device(make_cpu_device(), "chosen by hand");
    } else if (wanted == DeviceKind::simt) {
        if (!compiler_.compiler())
            throw Error("the simulated GPU is not available", compiler_.why(),
                        "use --device auto or --device cpu");
        open_device(make_simulated(), "chosen by hand");
    } else {
        std::string missing;
        if (!compiler_.compiler()) {
            missing = compiler_.why();
        } else {
            Result<std::unique_ptr<Device>> cuda = make_cuda_device(cuda_index_);
            if (cuda.ok()) {
                const ComputeCapability capability = cuda.value()->facts().profile.limits.capability;
                if (runnable_target(compiler_.compiler()->architectures(), capability).architecture == 0) {
                    missing = fmt::format(
                        "{} makes no code for {} (compute capability {}); install an older CUDA toolkit",
                        compiler_.compiler()->name(), cuda.value()->facts().name, capability.text());
                } else {
                    std::string reason =
                        wanted == DeviceKind::cuda ? "chosen by hand" : "a CUDA GPU is there";
                    if (!cuda_note_.empty()) reason += "; " + cuda_note_;
                    open_device(std::move(cuda.value()), reason);
                }
            } else {
                missing = cuda.message();
            }
        }
        if (!missing.empty()) {
            if (wanted == DeviceKind::cuda) {
                throw Error("the cuda device is not available", missing, "use --device auto or --device cpu");
            }
            if (compiler_.compiler()) {
                open_device(make_simulated(), "no CUDA GPU to use: " + missing);
            } else {
                open_device(make_cpu_device(), "no CUDA GPU to use: " + missing);
            }
        }
    }
    wanted_device_ = wanted;
}

void Engine::replace_lost_device(const std::string& why) {
    options_.release_targets();
    device_.reset();
    reset_cuda(cuda_index_);
    const WorkKey culprit = plan_key_;
    Result<std::unique_ptr<Device>> again = make_cuda_device(cuda_index_);
    if (again.ok()) {
        snapshot_.device_loss = "the CUDA device was lost (" + why + ") and opened again";
        open_device(std::move(again.value()), "opened again after it was lost");
        rejected_ = culprit;
    } else {
        snapshot_.device_loss = "the CUDA device was lost (" + why + "); the CPU continues";
        open_device(make_cpu_device(), "the CUDA device was lost: " + again.message());
    }
}

}  // namespace ws

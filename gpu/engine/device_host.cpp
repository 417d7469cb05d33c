#include "gpu/engine/device_host.h"

#include <fmt/format.h>

#include "gpu/cpu/cpu_device.h"
#include "gpu/cuda/cuda_device.h"
#include "gpu/engine/targets.h"
#include "gpu/simt/simt_device.h"

namespace ws {

void DeviceHost::use_cuda_device(int index, std::string note) {
    cuda_index_ = index;
    cuda_note_ = std::move(note);
}

std::unique_ptr<Device> DeviceHost::make_simulated(const std::string& target) const {
    return std::make_unique<simt::SimtDevice>(gpus_.named(target.empty() ? kDefaultTarget : target));
}

DeviceHost::Opened DeviceHost::open_cuda(const DeviceChoice& wanted) const {
    if (!compiler_.compiler()) return {nullptr, compiler_.why()};
    Result<std::unique_ptr<Device>> cuda = make_cuda_device(index_of(wanted));
    if (!cuda.ok()) return {nullptr, cuda.message()};
    const DeviceFacts& facts = cuda.value()->facts();
    const ComputeCapability capability = facts.profile.limits.capability;
    if (runnable_target(compiler_.compiler()->architectures(), capability).architecture == 0) {
        return {nullptr,
                fmt::format("{} makes no code for {} (compute capability {}); install an older CUDA toolkit",
                            compiler_.compiler()->name(), facts.name, capability.text())};
    }
    std::string reason = wanted.kind == DeviceKind::cuda ? "chosen by hand" : "a CUDA GPU is there";
    if (wanted.gpu == kAnyGpu && !cuda_note_.empty()) reason += "; " + cuda_note_;
    return {std::move(cuda.value()), std::move(reason)};
}

void DeviceHost::adopt(Opened opened, const Problem& problem) {
    if (problem) opened.device->set_problem(problem);
    lent_->wait(true);
    device_ = options_.decorate(std::move(opened.device));
    reason_ = std::move(opened.reason);
    ++epoch_;
}

int DeviceHost::index_of(const DeviceChoice& wanted) const {
    return wanted.gpu == kAnyGpu ? cuda_index_ : wanted.gpu;
}

bool DeviceHost::choose(DeviceChoice wanted, const std::string& target, const Problem& problem) {
    if (wanted.kind != DeviceKind::cuda) wanted.gpu = kAnyGpu;
    if (device_ && wanted == wanted_) return false;
    if (wanted.kind == DeviceKind::cpu) {
        adopt({make_cpu_device(), "chosen by hand"}, problem);
    } else if (wanted.kind == DeviceKind::simt) {
        if (!compiler_.compiler())
            throw Error("the simulated GPU is not available", compiler_.why(),
                        "use --device auto or --device cpu");
        adopt({make_simulated(target), "chosen by hand"}, problem);
    } else {
        refuse_missing_gpu(wanted.gpu);
        Opened cuda = open_cuda(wanted);
        if (cuda.device) opened_index_ = index_of(wanted);
        if (!cuda.device) {
            if (wanted.kind == DeviceKind::cuda)
                throw Error("the cuda device is not available", cuda.reason,
                            "use --device auto or --device cpu");
            cuda = {compiler_.compiler() ? make_simulated(target) : make_cpu_device(),
                    "no CUDA GPU to use: " + cuda.reason};
        }
        adopt(std::move(cuda), problem);
    }
    wanted_ = wanted;
    return true;
}

std::string DeviceHost::replace_lost(const std::string& why, const Problem& problem) {
    options_.release_targets();
    lent_->wait(true);
    device_.reset();
    reset_cuda(opened_index_);
    Result<std::unique_ptr<Device>> again = make_cuda_device(opened_index_);
    if (again.ok()) {
        adopt({std::move(again.value()), "opened again after it was lost"}, problem);
        return "the CUDA device was lost (" + why + ") and opened again";
    }
    adopt({make_cpu_device(), "the CUDA device was lost: " + again.message()}, problem);
    return "the CUDA device was lost (" + why + "); the CPU continues";
}

DeviceLoan DeviceHost::lend() {
    Device& lent = device();
    *lent_ = true;
    return {lent, lent_};
}

DeviceFacts DeviceHost::facts() const {
    DeviceFacts facts = device_->facts();
    if (!facts.can.measures_time) return facts;
    facts.profile = gpus_.completed(facts.profile);
    if (!facts.profile.chip.empty()) facts.facts.insert(facts.facts.begin(), {"Chip", facts.profile.chip});
    facts.facts.insert(facts.facts.begin(), {"Name", facts.name});
    return facts;
}

}  // namespace ws

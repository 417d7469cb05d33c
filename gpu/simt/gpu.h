#pragma once
// The simulated GPU: memory, variables and textures that last from launch to launch, and launches.
//
//     Gpu gpu(GpuTable().named("RTX 3060"));
//     const std::uint64_t values = gpu.allocate(4 * n);
//     gpu.copy_in(values, std::as_bytes(std::span(host)));
//     KernelLaunch launch{module.kernel("scale").value(), {n / 256, 1, 1}, {256, 1, 1}};
//     set_parameter(launch, 0, values, 8);
//     const LaunchOutcome outcome = gpu.launch(launch);
//     gpu.copy_out(std::as_writable_bytes(std::span(host)), values);
//
// An address is simulated, and no buffer ever gets that of another: one that is used after its release is
// found out of bounds.

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "gpu/core/gpu_profile.h"
#include "gpu/simt/device_heap.h"
#include "gpu/simt/device_memory.h"
#include "gpu/simt/launch.h"
#include "gpu/simt/module_variables.h"
#include "gpu/simt/texture.h"

namespace ws::simt {

class Gpu {
  public:
    explicit Gpu(GpuProfile profile, Translate translate = Translate::when_hot)
        : profile_(std::move(profile)), translate_(translate) {}
    Gpu(Gpu&&) = default;
    Gpu& operator=(Gpu&&) = default;

    [[nodiscard]] const GpuProfile& profile() const { return profile_; }

    // A buffer that nothing has written yet. Throws RefusedLaunch where the GPU has no more memory; so do
    // the others.
    [[nodiscard]] std::uint64_t allocate(std::uint64_t bytes);
    // A buffer that is memory of the host's, which must outlive it: nothing is copied. `place`: so many bytes
    // behind a multiple of 2 MiB; none: behind the buffers before it.
    [[nodiscard]] std::uint64_t map(std::span<std::byte> memory, Content content = Content::given,
                                    std::optional<std::uint64_t> place = std::nullopt);
    // One that kernels only read.
    [[nodiscard]] std::uint64_t map_read_only(std::span<const std::byte> memory,
                                              std::optional<std::uint64_t> place = std::nullopt);
    void release(std::uint64_t address) { memory_.release(address); }

    // These throw Error where no buffer holds all the bytes.
    void copy_in(std::uint64_t to, std::span<const std::byte> from);
    void copy_out(std::span<std::byte> to, std::uint64_t from);

    // What a __device__ or __constant__ variable of the kernel's module holds on this GPU. Throws Error if
    // there is none of that name.
    [[nodiscard]] std::span<std::byte> variable(const Program& program, const std::string& name);

    // The handle to pass to kernels. The texture's data must outlive the GPU.
    [[nodiscard]] std::uint64_t bind(const Texture& texture);

    // What kernels got by malloc and have not freed so far: a leak where the program ends here.
    [[nodiscard]] std::vector<Finding> leaks() const { return heap_.leaks(); }

    // Throws RefusedLaunch for a launch that the GPU would not take, Error for a kernel that would not
    // compile for it.
    LaunchOutcome launch(const KernelLaunch& launch, const LaunchOptions& options = {});

  private:
    friend class SteppedBlock;
    [[nodiscard]] ModuleVariables& variables_of(const Program& program);

    GpuProfile profile_;
    Translate translate_;
    DeviceMemory memory_;
    DeviceHeap heap_;
    // By module, which is kept: no other one can be taken for it.
    std::map<std::shared_ptr<const ModuleVariables>, ModuleVariables> variables_;
    std::vector<Texture> textures_;
};

}  // namespace ws::simt

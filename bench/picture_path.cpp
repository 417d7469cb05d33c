// How a picture gets from the kernels' buffer to the screen: read by the shader where it lies, copied into a
// texture, or (with CUDA) copied into a registered texture. Time of OpenGL from the picture being complete to
// its being drawn at 1920 x 1080, and what the CPU spends on the calls. Usage: bench_picture_path

#include <fmt/format.h>
#include <glad/gl.h>
// glad comes first: cuda_gl_interop.h would include the system's OpenGL header.
#include <cuda_gl_interop.h>
#include <cuda_runtime_api.h>

#include <chrono>
#include <functional>
#include <memory>

#include "bench/figures.h"
#include "gpu/core/statistics.h"
#include "gpu/cuda/check.h"
#include "gpu/cuda/cuda_device.h"
#include "gpu/cuda/resources.h"
#include "render/interop_target.h"
#include "render/offscreen.h"
#include "render/viewer.h"

namespace ws {
namespace {

constexpr Extent kScreen{1920, 1080};
constexpr int kRounds = 60;
constexpr int kWarmUp = 10;

class Query {
  public:
    Query() { glGenQueries(1, &name_); }
    ~Query() { glDeleteQueries(1, &name_); }
    Query(const Query&) = delete;
    Query& operator=(const Query&) = delete;
    void begin() const { glBeginQuery(GL_TIME_ELAPSED, name_); }
    // Waits for the GPU; milliseconds.
    [[nodiscard]] double end() const {
        glEndQuery(GL_TIME_ELAPSED);
        GLuint64 nanoseconds = 0;
        glGetQueryObjectui64v(name_, GL_QUERY_RESULT, &nanoseconds);
        return double(nanoseconds) / 1e6;
    }

  private:
    GLuint name_ = 0;
};

// Draws a new picture often; `bring` completes it, `show` lets the texture have it.
void measure(Figures& figures, const char* name, Extent size, const Offscreen& screen,
             const std::function<void(int)>& bring, const std::function<void(PictureTexture&)>& show) {
    Viewer viewer;
    PictureTexture texture;
    const Query query;
    std::vector<double> gpu, cpu;
    for (int i = 0; i < kRounds; ++i) {
        bring(i);
        glFinish();
        const auto start = std::chrono::steady_clock::now();
        query.begin();
        show(texture);
        viewer.picture_changed();
        viewer.draw(texture, Camera{}, {0, 0, kScreen.width, kScreen.height}, screen.framebuffer(), kScreen);
        const double cpu_ms =
            std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
        const double gpu_ms = query.end();
        if (i < kWarmUp) continue;
        gpu.push_back(gpu_ms);
        cpu.push_back(cpu_ms);
    }
    const Statistics on_gpu = statistics_of(gpu);
    const Statistics on_cpu = statistics_of(cpu);
    fmt::print("{:>5} x {:<5} {:<34} OpenGL {:7.3f} ms +- {:.3f}   CPU {:6.3f} ms +- {:.3f}\n", size.width,
               size.height, name, on_gpu.median, on_gpu.spread(), on_cpu.median, on_cpu.spread());
    figures.add({{"width", size.width},
                 {"height", size.height},
                 {"path", name},
                 {"opengl_ms", on_gpu},
                 {"cpu_ms", on_cpu}});
}

void measure_target(Figures& figures, const char* name, Extent size, const Offscreen& screen,
                    GlTarget& target, bool on_cuda) {
    measure(
        figures, name, size, screen,
        [&](int i) {
            target.resize(size);
            std::uint8_t* bytes = target.map(nullptr);
            if (on_cuda)
                WS_CUDA(cudaMemsetAsync(bytes, i * 3, size.pixels(), nullptr));
            else
                std::fill_n(bytes, size.pixels(), std::uint8_t(i * 3));
            target.unmap(nullptr);
            if (on_cuda) WS_CUDA(cudaDeviceSynchronize());
        },
        [&](PictureTexture& texture) { target.present(texture); });
}

// A texture that CUDA knows: kernels write rows of bytes, so a copy on the GPU brings them into it.
void measure_registered(Figures& figures, Extent size, const Offscreen& screen) {
    const DeviceMemory bytes(size.pixels());
    const CudaEvent begin, end;
    std::vector<double> copies;
    PictureTexture* shown = nullptr;
    cudaGraphicsResource_t resource = nullptr;
    const auto copy = [&](int i) {
        if (!shown) return;
        if (!resource)
            WS_CUDA(cudaGraphicsGLRegisterImage(&resource, shown->tiles().front().texture.get(),
                                                GL_TEXTURE_2D, cudaGraphicsRegisterFlagsWriteDiscard));
        WS_CUDA(cudaMemsetAsync(bytes.data(), i * 3, size.pixels(), nullptr));
        WS_CUDA(cudaEventRecord(begin.get(), nullptr));
        WS_CUDA(cudaGraphicsMapResources(1, &resource, nullptr));
        cudaArray_t array = nullptr;
        WS_CUDA(cudaGraphicsSubResourceGetMappedArray(&array, resource, 0, 0));
        WS_CUDA(cudaMemcpy2DToArrayAsync(array, 0, 0, bytes.data(), std::size_t(size.width),
                                         std::size_t(size.width), std::size_t(size.height),
                                         cudaMemcpyDeviceToDevice, nullptr));
        WS_CUDA(cudaGraphicsUnmapResources(1, &resource, nullptr));
        WS_CUDA(cudaEventRecord(end.get(), nullptr));
        WS_CUDA(cudaDeviceSynchronize());
        float ms = 0;
        WS_CUDA(cudaEventElapsedTime(&ms, begin.get(), end.get()));
        copies.push_back(double(ms));
    };
    measure(figures, "registered texture, without its copy", size, screen, copy,
            [&](PictureTexture& texture) {
                texture.resize(size, PictureTexture::Format::gray);
                shown = &texture;
            });
    const Statistics time = statistics_of(copies);
    fmt::print("{:>13} {:<34} CUDA   {:7.3f} ms +- {:.3f}\n", "", "  its copy, with map and unmap",
               time.median, time.spread());
    figures.add({{"width", size.width},
                 {"height", size.height},
                 {"path", "copy into the registered texture"},
                 {"cuda_ms", time}});
    if (resource) cudaGraphicsUnregisterResource(resource);
}

void run(Figures& figures) {
    const Offscreen screen(kScreen);
    const auto devices = cuda_devices();
    const char* renderer = reinterpret_cast<const char*>(glGetString(GL_RENDERER));
    fmt::print("drawn by {}\n", renderer);
    figures.set("renderer", renderer);
    for (const Extent size : {Extent{360, 280}, Extent{1156, 867}, Extent{3648, 2736}, Extent{11584, 8640}}) {
        for (const auto& [path, name] : {std::pair{PicturePath::buffer, "buffer read by the shader"},
                                         {PicturePath::texture, "buffer copied into a texture"}}) {
            auto interop = devices.ok() ? make_interop_target(size, path)
                                        : Result<std::unique_ptr<GlTarget>>::failure(devices.message());
            if (interop.ok()) {
                measure_target(figures, name, size, screen, *interop.value(), true);
            } else {
                const auto host = make_host_target(path);
                measure_target(
                    figures,
                    path == PicturePath::buffer ? "from host memory, buffer" : "from host memory, texture",
                    size, screen, *host, false);
            }
        }
        if (devices.ok()) measure_registered(figures, size, screen);
    }
}

}  // namespace
}  // namespace ws

int main(int argc, char** argv) {
    try {
        std::vector<std::string> arguments(argv + 1, argv + argc);
        ws::Figures figures("picture_path", arguments);
        ws::run(figures);
        figures.save();
        return 0;
    } catch (const std::exception& error) {
        fmt::print(stderr, "bench_picture_path: error: {}\n", error.what());
        return 1;
    }
}

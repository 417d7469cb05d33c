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

// Draws a new picture often: it is filled in the target's memory, handed over, and drawn.
void measure(Figures& figures, const char* name, Extent size, const Offscreen& screen, GlTarget& target,
             PictureTexture& texture, bool on_cuda) {
    Viewer viewer;
    const Query query;
    std::vector<double> filling, gpu, cpu;
    for (int i = 0; i < kRounds; ++i) {
        const auto before = std::chrono::steady_clock::now();
        target.resize(size);
        std::uint8_t* bytes = target.map(nullptr);
        if (on_cuda)
            WS_CUDA(cudaMemsetAsync(bytes, i * 3, size.pixels(), nullptr));
        else
            std::fill_n(bytes, size.pixels(), std::uint8_t(i * 3));
        target.unmap(nullptr);
        if (on_cuda) WS_CUDA(cudaDeviceSynchronize());
        glFinish();
        const double filling_ms = 1000 * seconds_since(before);
        const auto start = std::chrono::steady_clock::now();
        query.begin();
        target.present(texture);
        viewer.picture_changed();
        const Area all{0, 0, kScreen.width, kScreen.height};
        viewer.draw(0, {&texture, {Framing::whole}, all, Reduction::mean, false, {}}, all,
                    screen.framebuffer(), kScreen);
        const double cpu_ms = 1000 * seconds_since(start);
        const double gpu_ms = query.end();
        if (i < kWarmUp) continue;
        filling.push_back(filling_ms);
        gpu.push_back(gpu_ms);
        cpu.push_back(cpu_ms);
    }
    const Statistics on_gpu = statistics_of(gpu);
    const Statistics on_cpu = statistics_of(cpu);
    const Statistics filled = statistics_of(filling);
    fmt::print(
        "{:>5} x {:<5} {:<38} OpenGL {:7.3f} ms +- {:.3f}   CPU {:6.3f} ms +- {:.3f}   before, map to unmap "
        "{:6.3f} ms +- {:.3f}\n",
        size.width, size.height, name, on_gpu.median, on_gpu.spread(), on_cpu.median, on_cpu.spread(),
        filled.median, filled.spread());
    figures.add({{"width", size.width},
                 {"height", size.height},
                 {"path", name},
                 {"map_to_unmap_ms", filled},
                 {"opengl_ms", on_gpu},
                 {"cpu_ms", on_cpu}});
}

void run(Figures& figures) {
    const Offscreen screen(kScreen);
    const auto devices = cuda_devices();
    const char* renderer = reinterpret_cast<const char*>(glGetString(GL_RENDERER));
    fmt::print("drawn by {}\n", renderer);
    figures.set("renderer", renderer);
    for (const Extent size : {Extent{360, 280}, Extent{1156, 867}, Extent{3648, 2736}, Extent{11584, 8640}}) {
        for (const auto& [path, name] : {std::pair{PicturePath::buffer, "buffer read by the shader"},
                                         {PicturePath::texture, "buffer copied into a texture by OpenGL"},
                                         {PicturePath::image, "buffer copied into a texture by CUDA"}}) {
            PictureTexture texture;  // dies after what writes into it
            auto interop = devices.ok() ? make_interop_target(size, path)
                                        : Result<std::unique_ptr<GlTarget>>::failure(devices.message());
            if (interop.ok()) {
                measure(figures, name, size, screen, *interop.value(), texture, true);
            } else if (path != PicturePath::image) {
                const auto host = make_host_target(path);
                measure(
                    figures,
                    path == PicturePath::buffer ? "from host memory, buffer" : "from host memory, texture",
                    size, screen, *host, texture, false);
            }
        }
    }
}

}  // namespace
}  // namespace ws

int main(int argc, char** argv) {
    return ws::bench_main("picture_path", argc, argv,
                          [](const std::vector<std::string>&, ws::Figures& figures) {
                              ws::run(figures);
                              return 0;
                          });
}

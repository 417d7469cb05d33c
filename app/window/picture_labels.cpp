#include "app/window/picture_labels.h"

#include <imgui.h>

#include <cmath>

#include "app/widgets/text.h"
#include "app/window/capture.h"
#include "app/window/fixed_windows.h"
#include "gpu/engine/matrix_picture.h"

namespace ws {
namespace {

// Empty where the pointer is not over the picture.
std::string_view pixel_under_pointer(const Layout& layout, const Engine& engine, const PictureScreen& screen,
                                     const Camera& camera) {
    const ImGuiIO& io = ImGui::GetIO();
    const Snapshot& snapshot = engine.snapshot();
    const Extent size = snapshot.shown_size;
    const float x = io.MousePos.x * io.DisplayFramebufferScale.x;
    const float y = io.MousePos.y * io.DisplayFramebufferScale.y;
    if (x < 0 || y < 0 || x >= float(layout.picture.width) || y >= float(layout.picture.height)) return {};
    const PicturePoint point = picture_point(camera, layout.picture, size, x, y);
    const int column = int(std::floor(point.x));
    const int row = int(std::floor(point.y));
    if (column < 0 || row < 0 || column >= size.width || row >= size.height) return {};
    if (!engine.problem()) return {};
    if (!engine.problem().lab->takes_picture()) {
        const bool result = runs_anything(snapshot.work) && !engine.checked_result().empty();
        const std::uint8_t* floats = result ? engine.checked_result().data() : engine.problem().input->data();
        return text("column {}, row {}: {}", column, row, value_at(size, floats, column, row));
    }
    const std::uint8_t* p =
        &engine.problem()
             .input->data()[4 * (std::size_t(row) * std::size_t(size.width) + std::size_t(column))];
    const std::string_view pixel =
        text("column {}, row {}: red {}, green {}, blue {}", column, row, p[0], p[1], p[2]);
    if (!runs_anything(snapshot.work) || !screen.fresh()) return pixel;
    return text("{}, shown {}", pixel, screen.value_at(column, row));
}

// "on a simulated GTX 280: 43 % of the whole picture, shown at 512 x 384".
std::string_view describe_simulation(const Progress& simulation, const Snapshot& snapshot) {
    if (simulation.complete)
        return text("on a {}, computed in {}", snapshot.device.name, time_text(simulation.milliseconds));
    const std::string_view progress =
        text("on a {}: {:.0f} % of the whole picture", snapshot.device.name, 100 * simulation.done);
    if (simulation.drawn.width <= 0) return progress;
    return text("{}, shown at {} x {} until then", progress, simulation.drawn.width, simulation.drawn.height);
}

std::string_view describe_shown(const Snapshot& snapshot) {
    const Work& work = snapshot.work;
    std::string_view shown = view_of(snapshot).title;
    if (runs_anything(work)) {
        const Version& version = version_of(*work.lab, work.version);
        if (snapshot.drawn) shown = describe_drawn(*snapshot.drawn);
        if (!(snapshot.drawn && snapshot.drawn->current))
            shown = text("{}; V{} {} is not drawn yet", shown, version.number, version.title);
        if (snapshot.total_ms.samples > 0 && !snapshot.stale)
            shown = text("{}: {}", shown, time_text(snapshot.total_ms.median));
        if (snapshot.progress)
            shown = text("{} {}", shown, describe_simulation(*snapshot.progress, snapshot));
    }
    return snapshot.compiling > 0 ? text("{}  (compiling...)", shown) : shown;
}

}  // namespace

void draw_picture_labels(const Layout& layout, const Engine& engine, const PictureScreen& screen,
                         const Camera& camera) {
    const float width = layout.picture_width;
    if (width < 8 * em()) return;
    ImGui::SetNextWindowBgAlpha(0.78f);
    ImGui::SetNextWindowPos({0, layout.height}, ImGuiCond_Always, {0, 1});
    ImGui::SetNextWindowSizeConstraints({width, 0}, {width, layout.height});
    ImGui::Begin("##status", nullptr, kOverlay | ImGuiWindowFlags_NoInputs);
    const Snapshot& snapshot = engine.snapshot();
    wrapped(describe_shown(snapshot));
    if (snapshot.work.lab->takes_picture())
        wrapped(screen.is_detour() ? kWarning : kDim, screen.way());
    else
        wrapped(kDim, "the matrix as gray values, drawn once it is checked");
    std::string_view line =
        text("{}, {} x {}, zoom {:.0f} %", snapshot.input_name, snapshot.shown_size.width,
             snapshot.shown_size.height, 100 * double(zoom_of(camera, layout.picture, snapshot.shown_size)));
    if (const std::string_view pixel = pixel_under_pointer(layout, engine, screen, camera); !pixel.empty())
        line = text("{}; {}", line, pixel);
    wrapped(kDim, line);
    if (snapshot.check.state == Check::State::equal && snapshot.device.can.needs_kernels && !snapshot.stale) {
        wrapped(kGood, text("checked: {}", snapshot.check.message));
    }
    ImGui::End();
}

}  // namespace ws

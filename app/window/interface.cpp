// What App draws with ImGui: the columns of panels, labels over the picture, notices, the key sheet.

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>

#include "app/panels/panels.h"
#include "app/widgets/text.h"
#include "app/window/app.h"
#include "gpu/pipeline/versions.h"

namespace ws {
namespace {

constexpr ImGuiWindowFlags kFixed = ImGuiWindowFlags_NoTitleBar | ImGuiWindowFlags_NoResize |
                                    ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoCollapse |
                                    ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoBringToFrontOnFocus;
constexpr ImGuiWindowFlags kOverlay = kFixed | ImGuiWindowFlags_NoScrollbar |
                                      ImGuiWindowFlags_AlwaysAutoResize | ImGuiWindowFlags_NoFocusOnAppearing;

constexpr float kColumnEms = 23.5f;
constexpr float kLargestShare = 0.62f;  // of the window's width for the panels

}  // namespace

void App::draw_interface() {
    draw_columns();
    draw_picture_area();
    draw_labels();
    draw_notices();
    if (key_sheet_) draw_key_sheet();
    if (const auto path = open_dialog_.draw()) open_picture(*path);
}

// One or two columns at the right; the picture has the rest.
void App::draw_columns() {
    const ImVec2 screen = ImGui::GetIO().DisplaySize;
    const float wish = kColumnEms * em();
    const int columns = 2 * wish <= screen.x * kLargestShare ? 2 : 1;
    const float width = std::min(wish, screen.x * kLargestShare / float(columns));
    const float left = screen.x - width * float(columns);
    for (int column = 0; column < columns; ++column) {
        ImGui::SetNextWindowPos({left + width * float(column), 0});
        ImGui::SetNextWindowSize({width, screen.y});
        ImGui::Begin(column == 0 ? "##choices" : "##results", nullptr, kFixed);
        if (column == 0) draw_toolbar();
        for (const Panel& panel : panels()) {
            if (columns == 2 && panel.column != column) continue;
            const auto found = state_.preferences.open_panels.find(panel.title);
            const bool was_open =
                found != state_.preferences.open_panels.end() ? found->second : panel.open_at_start;
            ImGui::SetNextItemOpen(was_open);
            const bool open = ImGui::CollapsingHeader(panel.title);
            if (open != was_open) state_.preferences.open_panels[panel.title] = open;
            if (!open) continue;
            ImGui::PushID(panel.title);
            panel.draw(engine_->snapshot(), state_.settings);
            ImGui::PopID();
        }
        ImGui::End();
    }
    // The area of the picture in framebuffer pixels.
    const ImVec2 scale = ImGui::GetIO().DisplayFramebufferScale;
    area_ = {0, 0, int(left * scale.x), surface_.height};
}

// What keys do too, for those who do not know them.
void App::draw_toolbar() {
    Commands commands;
    commands.open_dialog = ImGui::Button("open (o)");
    ImGui::SameLine();
    commands.save = ImGui::Button("save (s)");
    ImGui::SameLine();
    commands.fit = ImGui::Button("fit (f)");
    ImGui::SameLine();
    commands.one_to_one = ImGui::Button("1:1 (z)");
    ImGui::SameLine();
    commands.toggle_key_sheet = ImGui::Button("keys (?)");
    apply_commands(commands);
}

// An invisible window over the picture takes the mouse; dragging pans, the wheel zooms.
void App::draw_picture_area() {
    const ImVec2 scale = ImGui::GetIO().DisplayFramebufferScale;
    ImGui::SetNextWindowPos({0, 0});
    ImGui::SetNextWindowSize({std::max(1.0f, float(area_.width) / scale.x), float(area_.height) / scale.y});
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {0, 0});
    ImGui::Begin("##picture", nullptr,
                 kFixed | ImGuiWindowFlags_NoBackground | ImGuiWindowFlags_NoScrollWithMouse);
    ImGui::InvisibleButton("##drag",
                           {std::max(1.0f, float(area_.width) / scale.x), float(area_.height) / scale.y});
    move_camera();
    ImGui::End();
    ImGui::PopStyleVar();
}

void App::move_camera() {
    const ImGuiIO& io = ImGui::GetIO();
    const ImVec2 scale = io.DisplayFramebufferScale;
    const Extent picture = engine_->snapshot().picture;
    if (ImGui::IsItemActive() && (io.MouseDelta.x != 0 || io.MouseDelta.y != 0)) {
        camera_ = panned(camera_, area_, picture, io.MouseDelta.x * scale.x, io.MouseDelta.y * scale.y);
    }
    if (!ImGui::IsItemHovered()) return;
    if (io.MouseWheel != 0) {
        camera_ = zoomed(camera_, area_, picture, io.MousePos.x * scale.x, io.MousePos.y * scale.y,
                         std::pow(1.25f, io.MouseWheel));
    }
    if (ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left)) camera_ = {};
}

// What is wrong with the picture that is shown, if anything.
std::string_view App::banner() const {
    const Snapshot& snapshot = engine_->snapshot();
    if (snapshot.device.kind != DeviceKind::cpu) {
        for (const StageSnapshot& stage : snapshot.stages) {
            if (!stage.runs || stage.compile_error.empty()) continue;
            std::string_view log = stage.compile_error;
            constexpr std::size_t kLongest = 600;
            if (log.size() > kLongest) log = text("{}...", log.substr(0, kLongest));
            return text("The {} kernel does not compile; the last good one stays active.\n{}",
                        name_of(stage.stage), log);
        }
    }
    if (snapshot.failure) {
        return text("The {} kernel was not launched: {} ({}). The last good picture stays.",
                    name_of(snapshot.failure->stage), snapshot.failure->message, snapshot.failure->code);
    }
    if (snapshot.check.state == Check::State::different || snapshot.check.state == Check::State::failed) {
        return text("This picture is wrong: {}.", snapshot.check.message);
    }
    return {};
}

// Empty where the pointer is not over the picture.
std::string_view App::pixel_under_pointer() const {
    const ImGuiIO& io = ImGui::GetIO();
    const Extent size = engine_->snapshot().picture;
    const float x = io.MousePos.x * io.DisplayFramebufferScale.x;
    const float y = io.MousePos.y * io.DisplayFramebufferScale.y;
    if (x < 0 || y < 0 || x >= float(area_.width) || y >= float(area_.height)) return {};
    const PicturePoint point = picture_point(camera_, area_, size, x, y);
    const int column = int(std::floor(point.x));
    const int row = int(std::floor(point.y));
    if (column < 0 || row < 0 || column >= size.width || row >= size.height) return {};
    const std::uint8_t* p =
        &engine_->picture()->bytes[4 * (std::size_t(row) * std::size_t(size.width) + std::size_t(column))];
    const std::string_view pixel =
        text("column {}, row {}: red {}, green {}, blue {}", column, row, p[0], p[1], p[2]);
    if (const auto shown = shown_value(column, row)) return text("{}, shown {}", pixel, *shown);
    return pixel;
}

// "on a simulated GTX 280: 43 % of the whole picture, shown at 512 x 384".
static std::string_view describe_simulation(const Simulation& simulation, const Snapshot& snapshot) {
    if (simulation.complete)
        return text("on a {}, computed in {}", snapshot.device.name, time_text(simulation.milliseconds));
    const std::string_view progress =
        text("on a {}: {:.0f} % of the whole picture", snapshot.device.name, 100 * simulation.progress);
    if (simulation.drawn.width <= 0) return progress;
    return text("{}, shown at {} x {} until then", progress, simulation.drawn.width, simulation.drawn.height);
}

// What is shown stands in the picture; what it is made of and the pixel under the pointer stand below it.
void App::draw_labels() {
    const Snapshot& snapshot = engine_->snapshot();
    const ImVec2 scale = ImGui::GetIO().DisplayFramebufferScale;
    const float width = float(area_.width) / scale.x;
    const float height = float(area_.height) / scale.y;
    if (width < 8 * em()) return;
    ImGui::SetNextWindowBgAlpha(0.78f);
    ImGui::SetNextWindowPos({0, height}, ImGuiCond_Always, {0, 1});
    ImGui::SetNextWindowSizeConstraints({width, 0}, {width, height});
    ImGui::Begin("##status", nullptr, kOverlay | ImGuiWindowFlags_NoInputs);
    const Settings& settings = snapshot.settings;
    const Version& version = version_numbered(settings.version);
    std::string_view shown = describe_view(settings.view, settings.blur_first);
    if (settings.view != View::original && snapshot.drawn) shown = describe_drawn(*snapshot.drawn);
    if (settings.view != View::original && !(snapshot.drawn && snapshot.drawn->current))
        shown = text("{}; V{} {} is not drawn yet", shown, version.number, version.title);
    if (settings.view != View::original && snapshot.total_ms.samples > 0 && !snapshot.stale) {
        shown = text("{}: {}", shown, time_text(snapshot.total_ms.median));
    }
    if (settings.view != View::original && snapshot.simulation)
        shown = text("{} {}", shown, describe_simulation(*snapshot.simulation, snapshot));
    if (snapshot.compiling > 0) shown = text("{}  (compiling...)", shown);
    wrapped(shown);
    wrapped(path_is_detour_ ? kWarning : kDim, path_text_);
    std::string_view line =
        text("{}, {} x {}, zoom {:.0f} %", snapshot.picture_name, snapshot.picture.width,
             snapshot.picture.height, 100 * double(zoom_of(camera_, area_, snapshot.picture)));
    if (const std::string_view pixel = pixel_under_pointer(); !pixel.empty())
        line = text("{}; {}", line, pixel);
    wrapped(kDim, line);
    if (snapshot.check.state == Check::State::equal && snapshot.device.kind != DeviceKind::cpu &&
        !snapshot.stale) {
        wrapped(kGood, text("checked: {}", snapshot.check.message));
    }
    ImGui::End();
}

// Errors and news at the top of the picture.
void App::draw_notices() {
    std::erase_if(notices_,
                  [](const Notice& notice) { return notice.until > 0 && notice.until < ImGui::GetTime(); });
    const std::string_view problem = banner();
    if (notices_.empty() && problem.empty()) return;
    const float width = std::max(12 * em(), float(area_.width) / ImGui::GetIO().DisplayFramebufferScale.x);
    ImGui::SetNextWindowBgAlpha(0.92f);
    ImGui::SetNextWindowPos({0, 0});
    ImGui::SetNextWindowSizeConstraints({width, 0}, {width, float(surface_.height)});
    ImGui::Begin("##notices", nullptr, kOverlay);
    if (!problem.empty()) wrapped(kBad, problem);
    std::size_t closed = notices_.size();
    for (std::size_t i = 0; i < notices_.size(); ++i) {
        ImGui::PushID(int(i));
        if (ImGui::SmallButton("x")) closed = i;
        ImGui::SameLine();
        wrapped(notices_[i].error ? kWarning : kGood, notices_[i].text);
        ImGui::PopID();
    }
    ImGui::End();
    if (closed < notices_.size()) notices_.erase(notices_.begin() + std::ptrdiff_t(closed));
}

void App::draw_key_sheet() {
    const ImVec2 screen = ImGui::GetIO().DisplaySize;
    ImGui::SetNextWindowPos({screen.x / 2, screen.y / 2}, ImGuiCond_Always, {0.5f, 0.5f});
    ImGui::SetNextWindowSize({std::min(screen.x * 0.95f, 44 * em()), 0});
    ImGui::SetNextWindowFocus();
    ImGui::Begin("Keys", &key_sheet_,
                 ImGuiWindowFlags_NoResize | ImGuiWindowFlags_NoCollapse | ImGuiWindowFlags_NoSavedSettings);
    if (ImGui::BeginTable("keys", 2, ImGuiTableFlags_SizingStretchProp | ImGuiTableFlags_RowBg)) {
        for (const KeyBinding& binding : key_bindings()) {
            ImGui::TableNextRow();
            ImGui::TableNextColumn();
            wrapped(kAccent, binding.keys);
            ImGui::TableNextColumn();
            wrapped(binding.meaning);
        }
        ImGui::EndTable();
    }
    wrapped(
        kDim,
        "Mouse: drag the picture, wheel zooms, double click fits. Sliders: Ctrl + click to type a number.");
    ImGui::End();
}

}  // namespace ws

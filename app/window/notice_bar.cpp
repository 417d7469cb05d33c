#include "app/window/notice_bar.h"

#include <imgui.h>

#include <algorithm>

#include "app/widgets/text.h"
#include "app/window/fixed_windows.h"

namespace ws {
namespace {

// What is wrong with the picture that is shown, if anything.
std::string_view problem_of(const Snapshot& snapshot) {
    if (snapshot.device.can.needs_kernels) {
        for (const StepSnapshot& step : snapshot.steps) {
            if (!step.runs || step.compile_error.empty()) continue;
            std::string_view log = step.compile_error;
            constexpr std::size_t kLongest = 600;
            if (log.size() > kLongest) log = text("{}...", log.substr(0, kLongest));
            return text("The {} kernel does not compile; the last good one stays active.\n{}", step.name,
                        log);
        }
    }
    if (snapshot.failure) {
        return text("The {} kernel was not launched: {} ({}). The last good picture stays.",
                    snapshot.work.lab->steps[std::size_t(snapshot.failure->step)].name,
                    snapshot.failure->message, snapshot.failure->code);
    }
    if (snapshot.check.state == Check::State::different || snapshot.check.state == Check::State::failed) {
        return text("This picture is wrong: {}.", snapshot.check.message);
    }
    return {};
}

}  // namespace

void draw_notice_bar(const Layout& layout, const Snapshot& snapshot, const Notices& notices, Edits& edits) {
    const std::string_view problem = problem_of(snapshot);
    if (notices.all().empty() && problem.empty()) return;
    const float width = std::max(12 * em(), layout.picture_width);
    ImGui::SetNextWindowBgAlpha(0.92f);
    ImGui::SetNextWindowPos({0, 0});
    ImGui::SetNextWindowSizeConstraints({width, 0}, {width, layout.height});
    ImGui::Begin("##notices", nullptr, kOverlay);
    if (!problem.empty()) wrapped(kBad, problem);
    for (std::size_t i = 0; i < notices.all().size(); ++i) {
        ImGui::PushID(int(i));
        if (ImGui::SmallButton("x")) edits.add(CloseNotice{i});
        ImGui::SameLine();
        wrapped(notices.all()[i].error ? kWarning : kGood, notices.all()[i].text);
        ImGui::PopID();
    }
    ImGui::End();
}

}  // namespace ws

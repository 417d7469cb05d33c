#include "app/widgets/plot.h"

#include <imgui.h>

#include <algorithm>

#include "app/widgets/text.h"

namespace ws {
namespace {

ImU32 color(const ImVec4& value, float alpha = 1) {
    return ImGui::ColorConvertFloat4ToU32({value.x, value.y, value.z, value.w * alpha});
}

// The frame of a plot; takes its place in the layout.
struct Frame {
    ImVec2 from;
    ImVec2 to;
    ImDrawList* draw;
};

Frame begin(const char* id, float width, float height) {
    const ImVec2 from = ImGui::GetCursorScreenPos();
    ImGui::InvisibleButton(id, {std::max(width, 1.0f), std::max(height, 1.0f)});
    const Frame frame{from, {from.x + width, from.y + height}, ImGui::GetWindowDrawList()};
    frame.draw->AddRectFilled(frame.from, frame.to, IM_COL32(30, 32, 38, 255), 3);
    return frame;
}

}  // namespace

void curve_plot(const char* id, std::string_view label, const OccupancyCurve& curve, float width,
                float height) {
    ImGui::BeginGroup();
    const Frame frame = begin(id, width, height);
    if (curve.x.size() > 1) {
        const float least = curve.x.front();
        const float span = std::max(curve.x.back() - least, 1.0f);
        const auto point = [&](float x, float percent) {
            const float inset = 4;
            return ImVec2(frame.from.x + inset + (x - least) / span * (width - 2 * inset),
                          frame.to.y - inset - percent / 100 * (height - 2 * inset));
        };
        for (std::size_t i = 1; i < curve.x.size(); ++i) {
            // A step: occupancy holds until the next value.
            const ImVec2 before = point(curve.x[i - 1], curve.percent[i - 1]);
            const ImVec2 after = point(curve.x[i], curve.percent[i]);
            frame.draw->AddLine(before, {after.x, before.y}, color(kAccent), 2);
            frame.draw->AddLine({after.x, before.y}, after, color(kAccent), 2);
        }
        // The current value, on the step where it lies.
        std::size_t at = 0;
        for (std::size_t i = 0; i < curve.x.size(); ++i) {
            if (curve.x[i] <= curve.current) at = i;
        }
        const ImVec2 now = point(std::clamp(curve.current, least, curve.x.back()), curve.percent[at]);
        frame.draw->AddLine({now.x, frame.from.y}, {now.x, frame.to.y}, color(kWarning, 0.5f), 1);
        frame.draw->AddCircleFilled(now, 0.25f * em(), color(kWarning));
        if (ImGui::IsItemHovered()) {
            const float x = least + (ImGui::GetIO().MousePos.x - frame.from.x) / width * span;
            std::size_t under = 0;
            for (std::size_t i = 0; i < curve.x.size(); ++i) {
                if (curve.x[i] <= x) under = i;
            }
            ImGui::SetTooltip("%s %.0f: %.1f %%", label.data(), double(curve.x[under]),
                              double(curve.percent[under]));
        }
    }
    ImGui::PushTextWrapPos(ImGui::GetCursorPosX() + width);
    ImGui::TextColored(kDim, "%s", label.data());
    ImGui::Text("now %.0f", double(curve.current));
    ImGui::PopTextWrapPos();
    ImGui::EndGroup();
}

void history_plot(const char* id, const std::vector<float>& values, float width, float height) {
    const Frame frame = begin(id, width, height);
    if (values.size() < 2) return;
    const auto [least, most] = std::minmax_element(values.begin(), values.end());
    const float span = std::max(*most - *least, *most * 0.02f + 1e-9f);
    const float middle = (*most + *least) / 2;
    const auto point = [&](std::size_t i) {
        const float share = 0.5f + (values[i] - middle) / span * 0.8f;
        return ImVec2(frame.from.x + width * float(i) / float(values.size() - 1),
                      frame.to.y - share * height);
    };
    for (std::size_t i = 1; i < values.size(); ++i)
        frame.draw->AddLine(point(i - 1), point(i), color(kAccent), 1.5f);
    wrapped(kDim, text("latest {} samples of the total: {} to {}", values.size(), time_text(double(*least)),
                       time_text(double(*most))));
}

void share_bar(double share, std::string_view label, float width) {
    const float height = ImGui::GetFrameHeight();
    const ImVec2 from = ImGui::GetCursorScreenPos();
    ImGui::Dummy({width, height});
    ImDrawList* draw = ImGui::GetWindowDrawList();
    draw->AddRectFilled(from, {from.x + width, from.y + height}, IM_COL32(30, 32, 38, 255), 3);
    const float part = float(std::clamp(share, 0.0, 1.0)) * width;
    draw->AddRectFilled(from, {from.x + part, from.y + height}, IM_COL32(36, 104, 160, 255), 3);
    draw->AddText({from.x + 0.4f * em(), from.y + (height - em()) / 2}, IM_COL32_WHITE, label.data(),
                  label.data() + label.size());
}

}  // namespace ws

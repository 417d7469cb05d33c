#pragma once
// The views drawn as the window draws them, without one: figures of versions counted once, and a frame of a
// page.

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <imgui.h>

#include <chrono>
#include <thread>

#include "app/canvas/style.h"
#include "app/canvas/text.h"
#include "app/views/picture_parts.h"
#include "app/views/views.h"
#include "app/window/stage.h"
#include "gpu/engine/engine.h"
#include "gpu/labs/filters/filters.h"
#include "gpu/labs/labs.h"
#include "gpu/sass/machine_listing.h"
#include "tests/shared_engine.h"

namespace ws {

inline Engine& engine() {
    return engine_with_picture({512, 384}, "a picture.jpg");
}

// Figures of a version against another, all versions beside them.
inline Snapshot snapshot_of(const Lab& lab, int number, int against) {
    Work work = with_version(first_work(lab), version_of(lab, number));
    if (!lab.takes_picture()) work.size = {256, 256};
    work.device = DeviceKind::simt;
    engine().prepare(work);
    PinnedWork pinned;
    if (against >= 0) pinned = {with_version(work, version_of(lab, against)), engine().input()};
    const Beside beside{against >= 0 ? &pinned : nullptr, true, true};
    engine().prepare(work, beside);
    engine().wait_for_counts();
    const auto start = std::chrono::steady_clock::now();
    while (engine().comparing() && std::chrono::steady_clock::now() - start < std::chrono::minutes(3)) {
        engine().prepare(work, beside);
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    return engine().snapshot();
}

inline const Snapshot& filters_5_against_3() {
    static const Snapshot kSnapshot = snapshot_of(filters::lab(), 5, 3);
    return kSnapshot;
}

// Every version of every lab: with its titles and sentences; its figures need not be there.
template <typename Body>
void for_every_version(const Body& body) {
    for (const Lab* lab : labs()) {
        for (const Version& version : lab->versions) {
            Work work = with_version(first_work(*lab), version);
            if (!lab->takes_picture()) work.size = {256, 256};
            work.device = DeviceKind::simt;
            engine().prepare(work);
            body(engine().snapshot(), fmt::format("{} V{}", lab->id, version.number));
        }
    }
}

class Views : public ::testing::Test {
  protected:
    Views() {
        ImGui::CreateContext();
        ImGui::GetIO().IniFilename = nullptr;
        ImGui::GetIO().DeltaTime = 1.0f / 60;
    }
    ~Views() override { ImGui::DestroyContext(); }

    // Twice, as ImGui knows what lies under the pointer from the second frame on.
    const Drawing& draw(const Snapshot& snapshot, const ViewState& view, Extent size,
                        void (*page)(const Stage&) = draw_page) {
        const Slots slots = slots_for(size, view);
        if (!(size == size_) || slots.unit != unit_) {
            load_fonts(slots.unit);
            unsigned char* pixels = nullptr;
            int width = 0;
            int height = 0;
            ImGui::GetIO().Fonts->GetTexDataAsAlpha8(&pixels, &width, &height);
            size_ = size;
            unit_ = slots.unit;
        }
        apply_style(view.preferences.theme, slots.unit);
        for (int i = 0; i < 2; ++i) {
            ImGui::GetIO().DisplaySize = {float(size.width), float(size.height)};
            ImGui::NewFrame();
            begin_frame_texts();
            drawing_.clear();
            {
                const StageWindow window;
                Canvas canvas(*ImGui::GetWindowDrawList(), view.preferences.theme, slots.unit, drawing_);
                page({canvas, slots, snapshot, view, edits_, &sweep_, a_, experiment_, machine_, debugger_});
            }
            ImGui::Render();
        }
        return drawing_;
    }

    Extent size_;
    float unit_ = 0;  // that fonts are loaded for
    Drawing drawing_;
    SweepPage sweep_;
    Edits edits_;
    const ShownA* a_ = nullptr;                    // what is known of A
    const ExperimentScene* experiment_ = nullptr;  // in the place of the lab
    const MachineListing* machine_ = nullptr;      // beside the source
    const DebuggerPage* debugger_ = nullptr;       // a session of it
};

inline ViewState view_of(Theme theme, Tab tab) {
    ViewState view;
    view.preferences.theme = theme;
    view.preferences.tab = tab;
    return view;
}

}  // namespace ws

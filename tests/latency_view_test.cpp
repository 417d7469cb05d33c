// The page of latency hiding, with made-up clocks: what it says of them, where it draws them, and that
// nothing of it moves, is cut off or lies over something else.

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>

#include "app/texts/texts.h"
#include "app/views/latency_parts.h"
#include "app/views/words.h"
#include "app/window/keys.h"
#include "app/window/look.h"
#include "app/window/offscreen_session.h"
#include "app/window/steps.h"
#include "render/gl_objects.h"
#include "tests/made_clock.h"
#include "tests/walked_views.h"

namespace ws {
namespace {

StepSnapshot& focus_of(Snapshot& snapshot) {
    const StepSnapshot& focus = chosen_step(snapshot, {});
    return snapshot.steps[std::size_t(&focus - snapshot.steps.data())];
}

// Of the heaviest kernel, which then has blocks of four warps, sixteen of which are resident at most.
Snapshot with_clock(const ChosenClock& clock) {
    Snapshot snapshot = filters_5_against_3();
    StepSnapshot& step = focus_of(snapshot);
    step.counts.clock = clock;
    if (step.occupancy.now) step.occupancy.now->warps_per_block = 4;
    if (step.occupancy.now) step.occupancy.now->active_blocks = 16;
    return snapshot;
}
ViewState latency_view(Theme theme = Theme::dark) {
    ViewState view = view_of(theme, Tab::occupancy);
    view.occupancy.part = OccupancyPart::latency;
    view.occupancy.latency.few = 2;
    return view;
}

bool shows(const Drawing& drawing, std::string_view words) {
    return std::any_of(drawing.texts.begin(), drawing.texts.end(), [&](const DrawnText& text) {
        return text.text.find(words) != std::string_view::npos;
    });
}

std::optional<Box> slot_of(const Drawing& drawing, std::string_view name) {
    for (const Drawing::Slot& slot : drawing.slots) {
        if (slot.name == name) return slot.box;
    }
    return std::nullopt;
}

class Latency : public Views {
  protected:
    Latency() {
        // Tens of thousands of spans are more than 16 bits count.
        ImGui::GetIO().BackendFlags |= ImGuiBackendFlags_RendererHasVtxOffset;
    }
    ~Latency() override { use_language({}); }
    void SetUp() override {
        if (!filters_5_against_3().told.now.counted())
            GTEST_SKIP() << "there is no compiler here, and nothing to show";
    }
    // What the frame asked for, applied.
    ViewState applied(ViewState view) {
        for (const Edit& edit : edits_.all()) {
            if (const auto* looked = std::get_if<ViewEdit>(&edit)) view = edited(view, *looked, {});
        }
        edits_.clear();
        return view;
    }
};

TEST_F(Latency, EverythingFitsAndNothingMoves) {
    ChosenClock stale = few_and_many();
    stale.stale = true;
    ChosenClock refused;
    refused.problem = message(
        "the machine code of compute capability {} is not read: its instructions have another "
        "form, and there is no public description of all of them",
        "6.1");
    ChosenClock one = few_and_many();
    one.few.reset();
    const ChosenClock narrow{made_clock({.blocks = 1, .most_blocks = 32, .warps_per_block = 1}),
                             made_clock({.blocks = 32, .most_blocks = 32, .warps_per_block = 1}),
                             false,
                             {}};
    const ChosenClock same{made_clock({.blocks = 1, .most_blocks = 1, .warps_per_block = 32}),
                           made_clock({.blocks = 1, .most_blocks = 1, .warps_per_block = 32}),
                           false,
                           {}};
    const ChosenClock wide{
        made_clock({.blocks = 1, .clocks = 123456}), made_clock({.blocks = 16, .clocks = 123456}), false, {}};
    const ChosenClock cases[] = {few_and_many(), stale, refused, one, {}, narrow, same, wide};
    for (const std::string& language : languages()) {
        speak(language);
        for (const Theme theme : {Theme::light, Theme::dark}) {
            for (const Extent size : kSizes) {
                ViewState view = latency_view(theme);
                const Box few = *slot_of(draw(with_clock(few_and_many()), view, size), "latency few");
                const Box many = *slot_of(drawing_, "latency many");
                for (const ChosenClock& clock : cases) {
                    const Snapshot snapshot = with_clock(clock);
                    for (const double clocks : {0.0, 30.0, 200000.0}) {
                        view.occupancy.latency.clocks = clocks;
                        for (const std::optional<double> at :
                             {std::optional<double>(), std::optional(312.0)}) {
                            view.occupancy.latency.at = at;
                            const Drawing& drawing = draw(snapshot, view, size);
                            walk(drawing, theme, size,
                                 fmt::format("{} clock {} of {}, {}x{}", language, &clock - cases, clocks,
                                             size.width, size.height));
                            EXPECT_EQ(slot_of(drawing, "latency few"), few);
                            EXPECT_EQ(slot_of(drawing, "latency many"), many);
                        }
                    }
                }
            }
        }
    }
}

// Of V5 beside V3, and of a kernel with a knob for instruction-level parallelism: a slider of its own.
Snapshot with_baseline(const ChosenClock& clock, const std::string& knob = "") {
    Snapshot snapshot = with_clock(clock);
    StepSnapshot& step = focus_of(snapshot);
    step.counts.clock.baseline = true;
    if (knob.empty()) return snapshot;
    step.source.knobs.push_back({knob, 4, 1, 8, "chains of a thread"});
    step.knobs[knob] = 4;
    step.source.parallelism_knob = knob;
    return snapshot;
}

TEST_F(Latency, TwoKernelsAboveEachOtherFit) {
    ChosenClock stale = few_and_many();
    stale.stale = true;
    ChosenClock one = few_and_many();
    one.few.reset();
    const ChosenClock same{made_clock({.blocks = 16}), made_clock({.blocks = 16}), false, {}};
    const ChosenClock cases[] = {few_and_many(), stale, one, same};
    for (const std::string& language : languages()) {
        speak(language);
        for (const Extent size : kSizes) {
            const ViewState view = latency_view();
            const Box few = *slot_of(draw(with_baseline(few_and_many()), view, size), "latency few");
            const Box many = *slot_of(drawing_, "latency many");
            EXPECT_NEAR(few.h, many.h, many.h / 3) << "two kernels take as much room";
            for (const ChosenClock& clock : cases) {
                for (const char* knob : {"", "ILP", "CHAINS"}) {
                    const Drawing& drawing = draw(with_baseline(clock, knob), view, size);
                    walk(drawing, Theme::dark, size,
                         fmt::format("{} beside the baseline, clock {}, {} {}x{}", language, &clock - cases,
                                     knob, size.width, size.height));
                    EXPECT_EQ(slot_of(drawing, "latency few"), few);
                    EXPECT_EQ(slot_of(drawing, "latency many"), many);
                    EXPECT_TRUE(shows(drawing, knob));
                }
            }
        }
    }
}

// A made-up clock whose warps wait most of all for that.
std::shared_ptr<const ClockedKernel> mostly_in(WarpState state, const MadeClock& made) {
    auto kernel = std::make_shared<ClockedKernel>(*made_clock(made));
    kernel->timeline.states[std::size_t(state)] += 100 * made.clocks;
    return kernel;
}

TEST_F(Latency, WhateverAWarpWaitsForTheSentenceFits) {
    for (const std::string& language : languages()) {
        speak(language);
        for (std::size_t i = std::size_t(WarpState::memory); i < kWarpStates; ++i) {
            const WarpState state = WarpState(i);
            const auto with_blocks = [&](int blocks) {
                return mostly_in(state, {.blocks = blocks, .clocks = 400});
            };
            const ChosenClock helps{with_blocks(2), with_blocks(16), false, {}};
            const ChosenClock little{with_blocks(15), with_blocks(16), false, {}};
            const ChosenClock same{with_blocks(16), with_blocks(16), false, {}};
            const std::string_view reason = say(fmt::format("{}.for", state_key(state)));
            for (const Extent size : kSizes) {
                const std::string where =
                    fmt::format("{} {}, {}x{}", language, reason, size.width, size.height);
                for (const Snapshot& snapshot :
                     {with_clock(helps), with_clock(little), with_clock(same), with_baseline(helps)}) {
                    const Drawing& drawing = draw(snapshot, latency_view(), size);
                    walk(drawing, Theme::dark, size, where);
                    EXPECT_TRUE(shows(drawing, reason)) << where;
                }
            }
        }
    }
}

TEST_F(Latency, TheSliderOfParallelismChoosesTheKnob) {
    const Snapshot snapshot = with_baseline(few_and_many(), "ILP");
    const Extent size{1920, 1080};
    const Drawing& drawing = draw(snapshot, latency_view(), size);
    EXPECT_TRUE(shows(drawing, "V3: ")) << "the sentence names both";
    const Box card = *slot_of(drawing, "latency slider");
    // The right end of the track: the knob's highest value.
    std::optional<ChooseKnob> chosen;
    for (const bool down : {false, true, true, false}) {
        ImGui::GetIO().MousePos = {card.right() - 100, card.center_y() + 8};
        ImGui::GetIO().MouseDown[0] = down;
        edits_.clear();
        draw(snapshot, latency_view(), size);
        for (const Edit& edit : edits_.all()) {
            const auto* work = std::get_if<WorkEdit>(&edit);
            if (work && std::holds_alternative<ChooseKnob>(*work)) chosen = std::get<ChooseKnob>(*work);
        }
    }
    ASSERT_TRUE(chosen);
    EXPECT_EQ(chosen->name, "ILP");
    EXPECT_GT(chosen->value, 4);
}

TEST_F(Latency, SaysHowManySlotsAreUsedAndWhy) {
    const ChosenClock clock = few_and_many();
    const Drawing& drawing = draw(with_clock(clock), latency_view(), {1920, 1080});
    const auto few = text("{:.0f}", clock.few->timeline.issue_percent);
    const auto many = text("{:.0f}", clock.many->timeline.issue_percent);
    ASSERT_NE(few, many);
    EXPECT_TRUE(shows(drawing, say("latency.headline", few, many)));
    EXPECT_TRUE(shows(drawing, text("{} %", few)));
    EXPECT_TRUE(shows(drawing, "waits for memory"));
    EXPECT_TRUE(shows(drawing, "2 warps"));
    EXPECT_TRUE(shows(drawing, "16 warps, 16 blocks"));
    ChosenClock refused;
    refused.problem = "Nobody knows this machine code.";
    EXPECT_TRUE(shows(draw(with_clock(refused), latency_view(), {1920, 1080}), "Nobody knows"));
    // Where many are no better than few, it does not say that they are.
    const ChosenClock same{clock.many, made_clock({.blocks = 15}), false, {}};
    EXPECT_FALSE(shows(draw(with_clock(same), latency_view(), {1920, 1080}), "others issue"));
}

TEST_F(Latency, ThePointerIsTold) {
    const ChosenClock clock = few_and_many();
    const Snapshot snapshot = with_clock(clock);
    const ViewState view = latency_view();
    const SeenClocks range = seen_clocks(view.occupancy.latency, clock);
    const Extent size{1920, 1080};
    const Box card = *slot_of(draw(snapshot, view, size), "latency many");
    const Slots slots = slots_for(size, view);
    Drawing unused;
    const Canvas canvas(*ImGui::GetBackgroundDrawList(), Theme::dark, slots.unit, unused);
    const PanelParts parts = panel_parts(canvas, card, true);
    const ClockPanel panel{clock.many.get(), true, false, warp_places(snapshot, clock), true};
    const float pitch = row_pitch(panel, parts, clock.many->timeline.rows.size());
    for (const int warp : {0, 7, 15}) {
        const int at = 312;
        ImGui::GetIO().MousePos = {
            parts.rows.x + parts.rows.w * float((at + 0.5 - range.from) / range.clocks),
            parts.rows.y + pitch * (float(warp) + 0.5f)};
        const Drawing& drawing = draw(snapshot, view, size);
        const TimelineSpan* span = span_at(clock.many->timeline.rows[std::size_t(warp)], at);
        ASSERT_TRUE(span);
        const std::string wanted(text("clock {}, warp {}: {}, {}", at, warp, say(state_key(span->state)),
                                      clock.many->names[std::size_t(span->instruction)]));
        EXPECT_TRUE(std::any_of(drawing.tips.begin(), drawing.tips.end(), [&](const Drawing::Tip& tip) {
            return tip.text.starts_with(wanted);
        })) << wanted;
    }
    // The wheel zooms around it.
    const double under = 312.5;
    edits_.clear();
    ImGui::GetIO().MouseWheel = 2;
    draw(snapshot, view, size);
    const ViewState closer = applied(view);
    const SeenClocks seen = seen_clocks(closer.occupancy.latency, clock);
    EXPECT_LT(seen.clocks, range.clocks);
    EXPECT_NEAR((under - seen.from) / seen.clocks, (under - range.from) / range.clocks, 1e-3);
}

TEST_F(Latency, ALineRunsToTheEnd) {
    const Snapshot snapshot = with_clock(few_and_many());
    ViewState view = latency_view();
    view = edited(view, PlayClock{}, {});
    EXPECT_TRUE(plays_clock(view));
    ImGui::GetIO().DeltaTime = 1;
    double last = -1;
    int frames = 0;
    for (; plays_clock(view) && frames < 1000; ++frames) {
        draw(snapshot, view, {1280, 720});
        view = applied(view);
        ASSERT_TRUE(view.occupancy.latency.at);
        EXPECT_GT(*view.occupancy.latency.at, last);
        last = *view.occupancy.latency.at;
        const SeenClocks seen = seen_clocks(view.occupancy.latency, few_and_many());
        EXPECT_GE(last, seen.from);
        EXPECT_LE(last, seen.until()) << "what is seen goes with it";
    }
    EXPECT_LT(frames, 1000);
    EXPECT_EQ(last, 3999);
    view.occupancy.latency.playing = true;
    view.preferences.tab = Tab::memory;
    EXPECT_FALSE(plays_clock(view)) << "nobody sees it";
}

TEST_F(Latency, KeysStepThroughClocksAndBlocks) {
    const Snapshot snapshot = with_clock(few_and_many());
    Snapshot changed = snapshot;
    const StepSnapshot& step = focus_of(changed);
    ViewState view = latency_view();
    const auto take = [&](const std::optional<ViewEdit>& edit) {
        if (edit) view = edited(view, *edit, {});
        return edit.has_value();
    };
    EXPECT_FALSE(take(stepped_resident(step, view, {false, 1}))) << "all that fit are resident";
    EXPECT_TRUE(take(stepped_resident(step, view, {false, -1})));
    EXPECT_EQ(view.occupancy.latency.many, 15);
    EXPECT_TRUE(take(stepped_resident(step, view, {false, 1})));
    EXPECT_EQ(view.occupancy.latency.many, 0) << "as many as fit, whatever comes next";
    EXPECT_TRUE(take(stepped_resident(step, view, {true, -1})));
    EXPECT_FALSE(take(stepped_resident(step, view, {true, -1}))) << "one is the least";
    EXPECT_TRUE(take(stepped_clock(step, view, 1)));
    EXPECT_EQ(view.occupancy.latency.at, 0.5) << "in its middle";
    EXPECT_TRUE(take(stepped_clock(step, view, 1)));
    EXPECT_EQ(view.occupancy.latency.at, 1.5);
    EXPECT_TRUE(take(moved_clocks(step, view, {2, 0})));
    EXPECT_TRUE(take(moved_clocks(step, view, {1, 0.5})));
    EXPECT_GT(view.occupancy.latency.from, 0);
    Edits edits;
    handle_key({KeyPress::Key::backspace}, snapshot.work, view, edits);
    for (const Edit& edit : edits.all()) view = edited(view, std::get<ViewEdit>(edit), {});
    EXPECT_EQ(view.occupancy.latency.from, 0);
    EXPECT_FALSE(view.occupancy.latency.at);
    // Another kernel holds fewer.
    view.occupancy.latency.few = view.occupancy.latency.many = 99;
    EXPECT_EQ(resident_blocks(step, view.occupancy.latency).many, 16);
    EXPECT_EQ(resident_blocks(step, view.occupancy.latency).few, 16);
}

TEST(LatencyLook, TakesThePlaceOfTheSweep) {
    LookOptions look;
    look.latency = true;
    ViewState view;
    for (const ViewEdit& edit : edits_of(look)) view = edited(view, edit, {});
    EXPECT_TRUE(shows_latency(view));
    look.latency = false;
    look.sweep = true;
    for (const ViewEdit& edit : edits_of(look)) view = edited(view, edit, {});
    EXPECT_EQ(view.occupancy.part, OccupancyPart::sweep);
    look.sweep = false;
    for (const ViewEdit& edit : edits_of(look)) view = edited(view, edit, {});
    EXPECT_EQ(view.occupancy.part, OccupancyPart::now);
}

// ---- as it is seen

Rgba mixed(Rgba under, Rgba over, double alpha) {
    const auto mix = [&](std::uint8_t a, std::uint8_t b) {
        return std::uint8_t(std::lround(a + (double(b) - a) * alpha));
    };
    return {mix(under.r, over.r), mix(under.g, over.g), mix(under.b, over.b), 255};
}

bool near(Rgba a, Rgba b) {
    return std::abs(a.r - b.r) + std::abs(a.g - b.g) + std::abs(a.b - b.b) <= 12;
}

Ink ink_of(WarpState state) {
    constexpr Ink kInks[kWarpStates] = {Ink::now_fill,     Ink::now_mid,        Ink::wait_memory,
                                        Ink::wait_barrier, Ink::context_strong, Ink::wait_pipe,
                                        Ink::wait_memory,  Ink::context_strong};
    return kInks[std::size_t(state)];
}

// Each clock of each row has the colour of its state where it is drawn, and its slot is filled where one is
// issued.
TEST(LatencyPicture, ShowsEachClock) {
    std::unique_ptr<OffscreenSession> session;
    try {
        session = std::make_unique<OffscreenSession>(Extent{1920, 1080});
    } catch (const Error& error) {
        GTEST_SKIP() << error.what();
    }
    if (!filters_5_against_3().told.now.counted())
        GTEST_SKIP() << "there is no compiler here, and nothing to show";
    for (const Theme theme : {Theme::dark, Theme::light}) {
        for (const bool stale : {false, true}) {
            ChosenClock clock = few_and_many();
            clock.stale = stale;
            const Snapshot snapshot = with_clock(clock);
            ViewState view = latency_view(theme);
            view.occupancy.latency.clocks = 120;
            view.occupancy.latency.from = 300;
            const Slots slots = slots_for(session->size(), view);
            session->begin_frame(theme, 1);
            begin_frame_texts();
            Drawing drawing;
            Edits edits;
            std::optional<PanelParts> parts;
            {
                const StageWindow window;
                Canvas canvas(*ImGui::GetWindowDrawList(), theme, slots.unit, drawing);
                draw_page({canvas, slots, snapshot, view, edits});
                parts = panel_parts(canvas, *slot_of(drawing, "latency many"), true);
            }
            ImGui::Render();
            clear_framebuffer(session->framebuffer(), session->size(), {});
            session->end_frame();
            const RgbaImage picture = session->read();
            const auto at = [&](float x, float y) {
                const std::uint8_t* pixel =
                    picture.bytes.data() +
                    4 * (std::size_t(y) * std::size_t(picture.size.width) + std::size_t(x));
                return Rgba{pixel[0], pixel[1], pixel[2], 255};
            };
            const Palette& colours = palette(theme);
            const auto expected = [&](Ink ink, Ink ground) {
                return mixed(colours[std::size_t(ground)], colours[std::size_t(ink)], stale ? 0.45 : 1);
            };
            const ClockPanel panel{clock.many.get(), true, stale, warp_places(snapshot, clock), true};
            const std::vector<TimelineRow>& rows = clock.many->timeline.rows;
            const float pitch = row_pitch(panel, *parts, rows.size());
            int wrong = 0;
            for (int column = 300; column < 420; ++column) {
                const float x = parts->rows.x + parts->rows.w * (float(column - 300) + 0.5f) / 120;
                bool issued = false;
                for (std::size_t row = 0; row < rows.size(); ++row) {
                    const TimelineSpan* span = span_at(rows[row], column);
                    ASSERT_TRUE(span);
                    issued = issued || span->state == WarpState::issuing;
                    const float gap = std::round(pitch * 0.12f);
                    const float middle = parts->rows.y + pitch * (float(row) + 0.5f) - gap / 2;
                    // Some states are two lines with nothing between them.
                    const Rgba wanted = span->state >= WarpState::pipe
                                            ? colours[std::size_t(Ink::panel)]
                                            : expected(ink_of(span->state), Ink::panel);
                    wrong += !near(at(x, middle), wanted);
                }
                const Rgba slot = issued ? expected(Ink::now_fill, Ink::context_soft)
                                         : colours[std::size_t(Ink::context_soft)];
                wrong += !near(at(x, parts->issue.center_y()), slot);
            }
            EXPECT_EQ(wrong, 0);
        }
    }
}

}  // namespace
}  // namespace ws

// Every view as it is drawn: each text is walked, in every theme and size, and no place may move.

#include <algorithm>
#include <set>
#include <utility>

#include "app/texts/texts.h"
#include "app/views/picture_parts.h"
#include "app/views/words.h"
#include "app/window/keys.h"
#include "app/window/stage.h"
#include "gpu/analysis/occupancy.h"
#include "gpu/engine/sweep.h"
#include "tests/walked_views.h"

namespace ws {
namespace {

TEST_F(Views, NoTextIsCutOffOverlapsOrCannotBeRead) {
    if (!filters_5_against_3().told.now.counted())
        GTEST_SKIP() << "there is no compiler here, and nothing to show";
    for (const Theme theme : {Theme::light, Theme::dark}) {
        for (const Extent size : kSizes) {
            for (const TabView& tab : tab_views()) {
                for (int page = 0; page < (slots_of(size).narrow ? 4 : 1); ++page) {
                    ViewState view = view_of(theme, tab.tab);
                    view.page = page;
                    const std::string where =
                        fmt::format("{} {}x{} {} page {}", phrase(tab.title), size.width, size.height,
                                    theme == Theme::light ? "light" : "dark", page);
                    walk(draw(filters_5_against_3(), view, size), theme, size, where);
                }
            }
        }
    }
}

// What a check stopped was launched, and the headline says so; the code of an error goes where there is no
// room.
TEST_F(Views, AKernelThatWasStoppedIsNotOneThatWasRefused) {
    Snapshot snapshot = filters_5_against_3();
    if (!snapshot.told.now.counted()) GTEST_SKIP() << "there is no compiler here, and nothing to show";
    const int blur = filters::step::blur;
    const std::string name(translated(snapshot.work.lab->steps[std::size_t(blur)].name));
    // What is said lasts for a frame.
    const std::string stopped(say("trouble.stopped", name, 68));
    const std::string refused(say("trouble.launch", name));
    const auto shows = [&](std::string_view part) {
        const Drawing& drawing = draw(snapshot, view_of(Theme::light, Tab::story), {1280, 720});
        return std::ranges::any_of(drawing.texts, [&](const DrawnText& text) {
            return text.text.find(part) != std::string_view::npos;
        });
    };
    snapshot.run.failure = LaunchFailure{blur, "uninitialised read", "nobody wrote it", false, 68};
    EXPECT_TRUE(shows(stopped));
    EXPECT_FALSE(shows(refused));
    EXPECT_TRUE(shows("(uninitialised read)"));
    snapshot.run.failure = LaunchFailure{blur, "the code of the error", "too large", false, 0};
    EXPECT_TRUE(shows(refused));
    EXPECT_TRUE(shows("the code of the error"));
    snapshot.run.failure->code.clear();
    for (int i = 0; i < 50; ++i) snapshot.run.failure->code += "cccc ";
    EXPECT_FALSE(shows("ccc"));
    EXPECT_TRUE(shows("too large"));
}

// What a kernel does to memory is drawn as it is, whatever it is: all accesses, in the class of each GPU.
TEST_F(Views, EveryAccessOfAKernelFits) {
    if (!filters_5_against_3().told.now.counted())
        GTEST_SKIP() << "there is no compiler here, and nothing to show";
    const Snapshot snapshot = filters_5_against_3();
    for (const StepSnapshot& step : snapshot.steps) {
        if (!step.counts.result) continue;
        ViewState view = view_of(Theme::light, Tab::warp);
        view.preferences.step = step.name;
        std::set<std::pair<int, int>> seen;
        for (int i = 0; i < 40; ++i) {
            view = edited(view, next_access(snapshot, view, 1, i % 2 == 1), {});
            if (!seen.insert({view.source.line, view.source.access}).second) continue;
            for (const Extent size : {Extent{1024, 768}, Extent{1920, 1080}}) {
                for (view.page = 0; view.page < (slots_of(size).narrow ? 2 : 1); ++view.page)
                    walk(
                        draw(snapshot, view, size), Theme::light, size,
                        fmt::format("{} line {} access {}", step.name, view.source.line, view.source.access));
            }
        }
        EXPECT_GT(seen.size(), 1u) << step.name;
    }
}

// The axis of the occupancy's curve; and a block that no multiprocessor takes.
TEST_F(Views, OccupancyOverEachQuantityFits) {
    if (!filters_5_against_3().told.now.counted())
        GTEST_SKIP() << "there is no compiler here, and nothing to show";
    Snapshot refused = filters_5_against_3();
    for (StepSnapshot& step : refused.steps) {
        if (!step.occupancy.now) continue;
        step.occupancy.now = occupancy_of({1024, 80, 0}, refused.target.gpu.limits);
        EXPECT_EQ(step.occupancy.now->active_blocks, 0);
    }
    for (const Snapshot* snapshot : {&filters_5_against_3(), static_cast<const Snapshot*>(&refused)}) {
        for (const Extent size : kSizes) {
            for (int axis = 0; axis < 3; ++axis) {
                ViewState view = view_of(Theme::dark, Tab::occupancy);
                view.occupancy.axis = axis;
                for (view.page = 0; view.page < (slots_of(size).narrow ? 2 : 1); ++view.page)
                    walk(draw(*snapshot, view, size), Theme::dark, size,
                         fmt::format("axis {} {}x{}", axis, size.width, size.height));
            }
        }
    }
}

// A result that is wrong in the last columns of each tile.
Difference some_difference(Extent tile) {
    Difference made;
    made.wrong = 36864;
    made.all = 196608;
    made.largest = 216;
    made.mean = 52.1;
    made.psnr_db = 18.6;
    made.first_column = 26;
    made.first_is = 100;
    made.first_should_be = 107;
    made.tile = tile;
    made.by_column.assign(std::size_t(tile.width), 0);
    made.by_row.assign(std::size_t(tile.height), 0.1f);
    made.by_place.assign(tile.pixels(), 0);
    for (std::size_t i = 0; i < made.by_place.size(); ++i) {
        const std::size_t column = i % std::size_t(tile.width);
        if (column + 6 < std::size_t(tile.width)) continue;
        made.by_place[i] = made.by_column[column] = 1;
    }
    return made;
}

TEST_F(Views, SlidesAndDifferencesToo) {
    if (!filters_5_against_3().told.now.counted())
        GTEST_SKIP() << "there is no compiler here, and nothing to show";
    for (const Theme theme : {Theme::light, Theme::dark}) {
        for (const Extent size : kSizes) {
            ViewState view = view_of(theme, Tab::story);
            view.slide.on = true;
            walk(draw(filters_5_against_3(), view, size), theme, size, fmt::format("slide {}", size.width));
            view.slide.on = false;
            view.preferences.comparison.how = Compare::difference;
            Snapshot wrong = filters_5_against_3();
            for (int i = 0; i < 2; ++i) {
                walk(draw(wrong, view, size), theme, size, fmt::format("difference {} {}", size.width, i));
                wrong.result.check = {Check::State::different,
                                      "36864 of 196608 pixels differ from the definition"};
                wrong.result.difference = some_difference({32, 4});
            }
        }
    }
}

// Over columns, rows and both, of tiles of all shapes; of the definition and of another picture.
TEST_F(Views, DifferencesByPlaceFit) {
    if (!filters_5_against_3().told.now.counted())
        GTEST_SKIP() << "there is no compiler here, and nothing to show";
    Snapshot wrong = filters_5_against_3();
    wrong.result.check = {Check::State::different, "36864 of 196608 pixels differ from the definition"};
    for (const Extent tile : {Extent{32, 4}, Extent{1, 1}, Extent{1024, 1}, Extent{8, 512}}) {
        wrong.result.difference = some_difference(tile);
        ShownA other{{SideA::Kind::result, wrong.work.view, {ResultOf::Kind::version, 12}},
                     true,
                     1,
                     {},
                     "edges after blur by V12",
                     {Apart::State::different, &*wrong.result.difference}};
        for (const Extent size : kSizes) {
            for (const PlaceAxis axis : {PlaceAxis::column, PlaceAxis::row, PlaceAxis::both}) {
                ViewState view = view_of(Theme::light, Tab::story);
                view.preferences.comparison.how = Compare::difference;
                view.preferences.comparison.places = axis;
                for (view.page = 0; view.page < (slots_of(size).narrow ? 2 : 1); ++view.page) {
                    const std::string where =
                        fmt::format("axis {} tile {}x{} {}", int(axis), tile.width, tile.height, size.width);
                    a_ = nullptr;
                    walk(draw(wrong, view, size), Theme::light, size, where);
                    a_ = &other;
                    walk(draw(wrong, view, size), Theme::light, size, where + " of V12");
                }
            }
        }
        a_ = nullptr;
    }
}

// Whatever is known of A, the page says it, and nothing moves.
TEST_F(Views, WhatAIsFits) {
    if (!filters_5_against_3().told.now.counted())
        GTEST_SKIP() << "there is no compiler here, and nothing to show";
    const Snapshot& snapshot = filters_5_against_3();
    const Difference difference = some_difference({32, 4});
    using Kind = ChosenA::Kind;
    using State = Apart::State;
    for (const Extent size : kSizes) {
        std::vector<std::pair<std::string, Box>> places;
        for (const ChosenA& chosen :
             {ChosenA{}, ChosenA{Kind::view, "gray", 0}, ChosenA{Kind::view, "edge", 0},
              ChosenA{Kind::baseline, {}, 0}, ChosenA{Kind::version, {}, 17}}) {
            for (const State state : {State::waiting, State::equal, State::different, State::never}) {
                ViewState view = view_of(Theme::dark, Tab::story);
                view.preferences.comparison.a = chosen;
                ShownA shown{side_a(view, snapshot.work),
                             state != State::waiting,
                             0.3,
                             {},
                             "blurred by V3",
                             {state, state == State::different ? &difference : nullptr}};
                a_ = &shown;
                walk(draw(snapshot, view, size), Theme::dark, size,
                     fmt::format("A in a wipe {}", size.width));
                view.preferences.comparison.how = Compare::difference;
                shown.side = side_a(view, snapshot.work);
                walk(draw(snapshot, view, size), Theme::dark, size,
                     fmt::format("A in a difference {} {}", size.width, int(state)));
                const auto now = slots_in(drawing_);
                if (!places.empty()) {
                    EXPECT_EQ(now, places);
                }
                places = now;
            }
        }
        a_ = nullptr;
    }
}

// A name of a person's own stands where the baseline is named, and is cut where it is long.
TEST_F(Views, ABaselinesOwnNameFits) {
    if (!filters_5_against_3().told.now.counted())
        GTEST_SKIP() << "there is no compiler here, and nothing to show";
    const Snapshot& snapshot = filters_5_against_3();
    for (const std::string_view name : {"before", "what we had before the break"}) {
        for (const Extent size : kSizes) {
            for (const TabView& tab : tab_views()) {
                ViewState view = view_of(Theme::light, tab.tab);
                view.preferences.pins = {
                    {"V3", {snapshot.told.baseline->work, {}}, "a.jpg", std::string(name)}};
                view.preferences.baseline = 0;
                const Drawing& drawn = draw(snapshot, view, size);
                walk(drawn, Theme::light, size, fmt::format("{} {} {}", name, phrase(tab.title), size.width));
                const std::string_view shown = name.size() < 14 ? name : "what we had b…";
                const bool named = std::any_of(
                    drawn.texts.begin(), drawn.texts.end(),
                    [&](const DrawnText& text) { return text.text == say("bar.baseline", shown); });
                EXPECT_TRUE(named) << phrase(tab.title);
            }
            ViewState slide = view_of(Theme::light, Tab::story);
            slide.slide.on = true;
            slide.preferences.pins = {{"V3", {snapshot.told.baseline->work, {}}, "a.jpg", std::string(name)}};
            slide.preferences.baseline = 0;
            walk(draw(snapshot, slide, size), Theme::light, size,
                 fmt::format("{} slide {}", name, size.width));
        }
    }
}

TEST_F(Views, AFrozenSlideSaysSo) {
    Snapshot snapshot;
    for (const Extent size : kSizes) {
        ViewState view = view_of(Theme::light, Tab::story);
        view.slide.on = view.slide.frozen = true;
        const Drawing& drawn = draw(snapshot, view, size, draw_frozen);
        ASSERT_EQ(drawn.texts.size(), 1u);
        EXPECT_NE(drawn.texts[0].text.find("frozen"), std::string_view::npos);
        EXPECT_FALSE(drawn.texts[0].cut);
        EXPECT_GE(contrast(palette(Theme::light)[std::size_t(drawn.texts[0].ink)],
                           palette(Theme::light)[std::size_t(drawn.texts[0].ground)]),
                  kContrast);
        view.slide.blank = true;
        EXPECT_TRUE(draw(snapshot, view, size, draw_frozen).texts.empty()) << "black";
    }
}

TEST_F(Views, ABlankScreenHasNoPicture) {
    const Work work = first_work(filters::lab());
    for (const Compare how : {Compare::single, Compare::wipe, Compare::beside, Compare::difference}) {
        ViewState view = view_of(Theme::light, Tab::story);
        view.preferences.comparison.how = how;
        const Slots slots = slots_of({1920, 1080});
        EXPECT_GT(picture_parts(slots, view, work).count, 0);
        view.slide.blank = true;
        EXPECT_EQ(picture_parts(slots, view, work).count, 0);
    }
}

TEST_F(Views, EveryVersionOfEveryLabFits) {
    if (!filters_5_against_3().told.now.counted())
        GTEST_SKIP() << "there is no compiler here, and nothing to show";
    for_every_version([&](const Snapshot& snapshot, const std::string& version) {
        for (const Extent size : {Extent{1024, 768}, Extent{1920, 1080}}) {
            ViewState view = view_of(Theme::dark, Tab::story);
            walk(draw(snapshot, view, size), Theme::dark, size, version);
            view.slide.on = true;
            walk(draw(snapshot, view, size), Theme::dark, size, "slide of " + version);
        }
    });
}

// A sweep of every shape, some refused, beside one that has hardly begun.
SweepResult swept(Kind kind, int places, double first_ms) {
    SweepResult result;
    result.gpu = "GeForce GTX 1080 Ti";
    result.kind = kind;
    result.step = swept_step(filters_5_against_3().work);
    for (int y = 1; y <= 1024; y *= 2) {
        for (int x = 1; x * y <= 1024; x *= 2) {
            if (result.done++ >= places) continue;
            SweepCell cell{
                {x, y}, first_ms / std::sqrt(x * y) + 1e-5 * x, 0.001, std::min(100.0, 3.0 * x * y), ""};
            if (x * y == 1024 && x > y) cell = {{x, y}, 0, 0, 0, "too many registers: 66 × 1024 > 65 536"};
            result.put(cell);
        }
    }
    for (int y = 1; y <= 32; ++y) result.put({{32, y}, first_ms / 3 / y, 0.001, 50, ""});
    result.all = result.done + 32;
    return result;
}

TEST_F(Views, SweepsFit) {
    if (!filters_5_against_3().told.now.counted())
        GTEST_SKIP() << "there is no compiler here, and nothing to show";
    const SweepResult slow = swept(Kind::estimated, 66, 37.5);
    const SweepResult quick = swept(Kind::recorded, 66, 0.04);
    SweepResult begun = swept(Kind::measured, 3, 0.9);
    begun.running = true;
    begun.seconds_left = 754;
    SweepResult failed = begun;
    failed.running = false;
    failed.problem = "the GPU has fallen off the bus, and everything that was on it is lost: start again";
    const SweepPage pages[] = {
        {}, {&slow, nullptr}, {&slow, &quick}, {&quick, &slow}, {&begun, &slow}, {&failed, nullptr}};
    for (const Extent size : kSizes) {
        for (const Theme theme : {Theme::light, Theme::dark}) {
            ViewState view = view_of(theme, Tab::occupancy);
            view.occupancy.part = OccupancyPart::sweep;
            const auto before = slots_in(draw(filters_5_against_3(), view, size));
            for (const SweepPage& page : pages) {
                sweep_ = page;
                for (view.page = 0; view.page < (slots_of(size).narrow ? 2 : 1); ++view.page)
                    walk(draw(filters_5_against_3(), view, size), theme, size,
                         fmt::format("sweep {} {}x{}", &page - pages, size.width, size.height));
                view.page = 0;
                EXPECT_EQ(slots_in(draw(filters_5_against_3(), view, size)), before);
            }
            sweep_ = {};
        }
    }
}

TEST_F(Views, NothingMovesBecauseAValueChanged) {
    if (!filters_5_against_3().told.now.counted())
        GTEST_SKIP() << "there is no compiler here, and nothing to show";
    Snapshot waiting = filters_5_against_3();
    waiting.told.now = {};
    waiting.told.now.work = waiting.work;
    waiting.told.versions.clear();
    waiting.told.reasons.reset();
    Snapshot stale = filters_5_against_3();
    stale.told.stale = true;
    Snapshot alone = filters_5_against_3();
    alone.told.baseline.reset();
    alone.told.reasons.reset();
    Snapshot wrong = filters_5_against_3();
    wrong.result.check = {Check::State::different, "3 of 196608 pixels differ from the definition"};
    for (const Extent size : kSizes) {
        for (const TabView& tab : tab_views()) {
            const ViewState view = view_of(Theme::light, tab.tab);
            const auto before = slots_in(draw(filters_5_against_3(), view, size));
            EXPECT_GE(before.size(), 4u) << phrase(tab.title);
            for (const Snapshot* other : {&waiting, &stale, &alone, &wrong})
                EXPECT_EQ(slots_in(draw(*other, view, size)), before) << phrase(tab.title);
        }
    }
}

// Counts stay on the page until those of the new input come, which may be smaller or of another lab.
TEST_F(Views, RequestsAreDrawnOnTheirOwnInputAlone) {
    if (!filters_5_against_3().told.now.counted())
        GTEST_SKIP() << "there is no compiler here, and nothing to show";
    const auto place_says_nothing = [&](const Snapshot& snapshot) {
        const Drawing& drawing = draw(snapshot, view_of(Theme::light, Tab::warp), {1920, 1080});
        const auto place = std::find_if(drawing.slots.begin(), drawing.slots.end(),
                                        [](const Drawing::Slot& slot) { return slot.name == "place"; });
        EXPECT_NE(place, drawing.slots.end());
        if (place == drawing.slots.end()) return false;
        return std::any_of(drawing.texts.begin(), drawing.texts.end(), [&](const DrawnText& text) {
            return text.text == "–" && place->box.contains(text.box.x, text.box.y);
        });
    };
    EXPECT_FALSE(place_says_nothing(filters_5_against_3()));
    Snapshot changed = filters_5_against_3();
    const auto small = std::make_shared<const RgbaImage>(draw_test_picture({5, 3}));
    changed.problem = picture_problem(filters::lab(), small);
    EXPECT_TRUE(place_says_nothing(changed));
    changed.problem = generated_problem(lab_named("transpose"), {64, 64});
    EXPECT_TRUE(place_says_nothing(changed));
    changed.problem = {};
    EXPECT_TRUE(place_says_nothing(changed));
}

// Occupancy is there at once: while other figures still are of the version before, it is called by its own.
TEST_F(Views, OccupancyIsOfTheVersionThatWasAskedFor) {
    if (!filters_5_against_3().told.now.counted())
        GTEST_SKIP() << "there is no compiler here, and nothing to show";
    Snapshot snapshot = filters_5_against_3();
    const double percent = main_step(snapshot).occupancy.now->percent;
    snapshot.told.stale = true;
    snapshot.told.now.work.version = 0;
    for (const Tab tab : {Tab::story, Tab::occupancy}) {
        std::set<std::string> texts;
        for (const DrawnText& text : draw(snapshot, view_of(Theme::light, tab), {1920, 1080}).texts)
            texts.emplace(text.text);
        EXPECT_TRUE(texts.count(fmt::format("V5  {:.0f} %", percent)));
        EXPECT_FALSE(texts.count(fmt::format("V0  {:.0f} %", percent)));
    }
}

TEST_F(Views, TheHeadlineSaysWhatTheFiguresAre) {
    if (!filters_5_against_3().told.now.counted())
        GTEST_SKIP() << "there is no compiler here, and nothing to show";
    const Snapshot& snapshot = filters_5_against_3();
    const std::optional<TimePair> pair = times_of(snapshot.told.now, *snapshot.told.baseline);
    ASSERT_TRUE(pair);
    EXPECT_EQ(pair->now.kind, Kind::estimated);
    const Drawing& drawing = draw(snapshot, view_of(Theme::light, Tab::story), {1920, 1080});
    std::set<std::string> texts;
    for (const DrawnText& text : drawing.texts) texts.emplace(text.text);
    EXPECT_TRUE(texts.count(fmt::format("{:.2f}× as fast as V3", pair->speedup())));
    EXPECT_TRUE(texts.count("baseline V3"));
    EXPECT_TRUE(texts.count(std::string(phrase("kind.estimated"))));
    // The sum of the steps is the time of the bar.
    double sum = 0;
    for (const StepResult& step : snapshot.told.now.steps) sum += step.estimate->ms;
    EXPECT_DOUBLE_EQ(sum, *snapshot.told.versions.at(5).estimated());
}

// What has just been pinned is compared with nothing: each page has its own figures, and what they are.
TEST_F(Views, TheBaselineIsNotComparedWithItself) {
    if (!filters_5_against_3().told.now.counted())
        GTEST_SKIP() << "there is no compiler here, and nothing to show";
    Snapshot snapshot = filters_5_against_3();
    snapshot.told.baseline = snapshot.told.now;
    const auto texts_of = [&](const ViewState& view) {
        std::string texts;
        for (const DrawnText& text : draw(snapshot, view, {1920, 1080}).texts)
            texts += std::string(text.text) + '\n';
        return texts;
    };
    const std::string story = texts_of(view_of(Theme::light, Tab::story));
    EXPECT_NE(story.find(" is the baseline: "), std::string::npos) << story;
    EXPECT_NE(story.find(short_time(*snapshot.told.now.estimated())), std::string::npos) << story;
    EXPECT_EQ(story.find("as fast as"), std::string::npos) << story;
    const std::string memory = texts_of(view_of(Theme::light, Tab::memory));
    EXPECT_NE(memory.find(" is the baseline: "), std::string::npos) << memory;
    const std::string source = texts_of(view_of(Theme::light, Tab::source));
    EXPECT_NE(source.find("% of warp instructions"), std::string::npos) << source;
    // A slide has the first version beside it.
    ViewState slide = view_of(Theme::light, Tab::story);
    slide.slide.on = true;
    const WorkFigures& first = snapshot.told.versions.at(0);
    ASSERT_TRUE(first.estimated());
    const std::string factor = fmt::format("{:.2f}×", *first.estimated() / *snapshot.told.now.estimated());
    const std::string shown = texts_of(slide);
    EXPECT_NE(shown.find(factor + "\nas fast as V0\n"), std::string::npos) << shown;
}

TEST(Words, TimesBesideEachOtherHaveOneUnit) {
    EXPECT_EQ(short_time(0.857, 12.3), "0.857 ms");
    EXPECT_EQ(short_time(12.3, 12.3), "12.3 ms");
    EXPECT_EQ(short_time(0.857, 0.9), "857 µs");
    EXPECT_EQ(short_time(0.0181, 2.15), "0.0181 ms");
    EXPECT_EQ(short_time(0.00252, 2.15), "2.52 µs") << "no zeros in front that take the place of digits";
}

TEST(Texts, EveryKeyHasItsText) {
    for (const KeyBinding& binding : key_bindings())
        EXPECT_NE(phrase(binding.meaning), binding.meaning) << binding.keys;
    for (const TabView& tab : tab_views()) EXPECT_NE(phrase(tab.title), tab.title);
    EXPECT_EQ(phrase("no such key"), "no such key");
    for (const std::string_view key : phrase_keys()) EXPECT_FALSE(phrase(key).empty()) << key;
}

}  // namespace
}  // namespace ws

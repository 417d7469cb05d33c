// The page of the advice: whatever it says fits, and what it tries is kept.

#include <algorithm>
#include <set>

#include "app/texts/texts.h"
#include "app/views/picture_parts.h"
#include "app/window/keys.h"
#include "app/window/stage.h"
#include "app/window/tries.h"
#include "gpu/analysis/hotspot.h"
#include "tests/walked_views.h"

namespace ws {
namespace {

// A try of the advice's first candidate that came out so.
Try try_of_first(const Snapshot& snapshot, std::optional<double> got) {
    Try tried = try_of(*snapshot.told.advice, snapshot.told.advice->candidates.front());
    tried.got = got;
    return tried;
}

TEST_F(Views, AdviceFitsWhateverItSays) {
    if (!filters_5_against_3().told.now.counted())
        GTEST_SKIP() << "there is no compiler here, and nothing to show";
    const Snapshot& snapshot = filters_5_against_3();
    ASSERT_TRUE(snapshot.told.advice);
    ASSERT_FALSE(snapshot.told.advice->candidates.empty());
    // What else it may say: each category with the longest evidence, nothing to try, nothing known.
    std::vector<Snapshot> others(2 + kCategories, snapshot);
    others[0].told.advice.reset();
    others[1].told.advice->candidates.clear();
    others[1].told.advice->at_floor = true;
    for (std::size_t i = 0; i < kCategories; ++i) {
        Advice& advice = *others[2 + i].told.advice;
        advice.category = Category(i);
        for (std::size_t k = 0; k < kMostEvidence; ++k) {
            if (advice.evidence.size() <= k) advice.evidence.emplace_back();
            advice.evidence[k] = {
                Indicator((3 * i + k) % kIndicators), 0.8, 0.6, "transactions", "100 %", "31.9"};
        }
        Candidate& first = advice.candidates.front();
        first.kind = Candidate::Kind::version;
        first.work = with_version(first.work, version_of(filters::lab(), 10 + int(i) % 8));
        first.estimated = i % 2 == 0;
    }
    Snapshot stale = snapshot;
    stale.told.stale = true;
    others.push_back(stale);
    // Of a lab that is not shown any more.
    others.push_back(snapshot);
    others.back().work = first_work(lab_named("transpose"));
    for (const Theme theme : {Theme::light, Theme::dark}) {
        for (const Extent size : kSizes) {
            ViewState view = view_of(theme, Tab::story);
            view.story.advice = true;
            const auto before = slots_in(draw(snapshot, view, size));
            const std::string where = fmt::format("advice {}x{}", size.width, size.height);
            for (const std::optional<double> got :
                 {std::optional<double>(), std::optional(1.26), std::optional(0.5)}) {
                view.story.tries = {try_of_first(snapshot, got)};
                walk(draw(snapshot, view, size), theme, size, where);
            }
            for (std::size_t i = 0; i + 1 < others.size(); ++i) {
                walk(draw(others[i], view, size), theme, size, fmt::format("{}, {}", where, i));
                EXPECT_EQ(slots_in(draw(others[i], view, size)), before) << where;
            }
        }
    }
}

// Whatever is waited for, in each language.
TEST_F(Views, WaitsInTheAdviceFit) {
    Snapshot snapshot = filters_5_against_3();
    if (!snapshot.told.now.counted()) GTEST_SKIP() << "there is no compiler here, and nothing to show";
    ASSERT_TRUE(snapshot.told.advice);
    Advice& advice = *snapshot.told.advice;
    advice.evidence.resize(1);
    advice.evidence.push_back({Indicator::waits, 1, 145, "", "100 %", "145"});
    ViewState view = view_of(Theme::light, Tab::story);
    view.story.advice = true;
    for (const std::string& language : languages()) {
        speak(language);
        for (std::size_t state = 0; state < kWarpStates; ++state) {
            if (!is_wait(WarpState(state))) continue;
            advice.evidence[1].name = waited_for(WarpState(state));
            const std::string words(
                say("advice.evidence.waits", translated(advice.evidence[1].name), "100 %", "145"));
            for (const Extent size : kSizes) {
                walk(draw(snapshot, view, size), Theme::light, size, words);
                EXPECT_TRUE(std::ranges::any_of(drawing_.texts, [&](const DrawnText& text) {
                    return text.text == words;
                })) << words;
            }
        }
    }
    speak("en");
}

TEST_F(Views, TheAdviceIsTriedAndItsOutcomeKept) {
    const Snapshot& snapshot = filters_5_against_3();
    if (!snapshot.told.now.counted()) GTEST_SKIP() << "there is no compiler here, and nothing to show";
    ViewState view = view_of(Theme::light, Tab::memory);
    const auto press = [&](KeyPress::Key key, char character) {
        Edits edits;
        KeyPress pressed;
        pressed.key = key;
        pressed.character = static_cast<unsigned char>(character);
        handle_key(pressed, snapshot.work, view, edits);
        bool tries = false;
        for (const Edit& edit : edits.all()) {
            if (const auto* asked = std::get_if<ViewEdit>(&edit)) view = edited(view, *asked, {});
            if (const auto* asked = std::get_if<Action>(&edit))
                tries |= std::holds_alternative<TryAdvice>(*asked);
        }
        return tries;
    };
    EXPECT_FALSE(press(KeyPress::Key::enter, 0));
    press(KeyPress::Key::character, 'a');
    EXPECT_TRUE(view.story.advice);
    EXPECT_EQ(view.preferences.tab, Tab::story);
    EXPECT_TRUE(press(KeyPress::Key::enter, 0));
    press(KeyPress::Key::character, 'a');
    EXPECT_FALSE(view.story.advice);
    EXPECT_FALSE(press(KeyPress::Key::enter, 0));
    // The baseline is what was, now what was proposed.
    ASSERT_TRUE(snapshot.told.advice && !snapshot.told.advice->candidates.empty());
    const Candidate& candidate = snapshot.told.advice->candidates.front();
    view = edited(view, KeepTry{try_of(*snapshot.told.advice, candidate)}, {});
    ASSERT_EQ(view.story.tries.size(), 1u);
    EXPECT_EQ(told_try(snapshot, view), &view.story.tries.front()) << "it began here";
    Snapshot then = snapshot;
    then.told.baseline = snapshot.told.now;
    then.told.now.work = candidate.work;
    for (StepResult& step : then.told.now.steps) step.estimate->ms /= 1.25;
    Edits edits;
    note_outcomes(then, view, edits);
    ASSERT_EQ(edits.all().size(), 1u);
    view = edited(view, std::get<ViewEdit>(edits.all().front()), {});
    ASSERT_TRUE(view.story.tries.front().got);
    EXPECT_NEAR(*view.story.tries.front().got, 1.25, 1e-9);
    EXPECT_EQ(view.story.tries.front().kind, Kind::estimated);
    EXPECT_EQ(told_try(then, view), &view.story.tries.front());
    edits.clear();
    note_outcomes(then, view, edits);
    EXPECT_TRUE(edits.empty()) << "noted once";
    // Tried again, the first forecast stands: by now the answer is known.
    Try again = try_of(*snapshot.told.advice, candidate);
    again.expected = 9;
    view = edited(view, KeepTry{again}, {});
    ASSERT_EQ(view.story.tries.size(), 1u);
    EXPECT_NE(view.story.tries.front().expected, 9);
    // Of another input it is another try.
    again.input.content = 1;
    view = edited(view, KeepTry{again}, {});
    EXPECT_EQ(view.story.tries.size(), 2u);
    EXPECT_EQ(told_try(then, view), &view.story.tries.back());
}

// The window says what the command line does.
TEST(Texts, AdviceIsTheSameOnTheCommandLine) {
    for (std::size_t i = 0; i < kCategories; ++i) {
        const std::string key = fmt::format("advice.{}.", name_of(Category(i)));
        EXPECT_EQ(phrase(key + "title"), words_of(Category(i)).title);
        EXPECT_EQ(phrase(key + "problem"), words_of(Category(i)).problem);
        EXPECT_EQ(phrase(key + "strategy"), words_of(Category(i)).strategy);
    }
    for (std::size_t i = 0; i < kIndicators; ++i)
        EXPECT_EQ(phrase(fmt::format("advice.evidence.{}", name_of(Indicator(i)))), words_of(Indicator(i)));
}

}  // namespace
}  // namespace ws

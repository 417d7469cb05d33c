// Every label of a quantity has its tip: the pages are drawn in a language in which each phrase is its own
// key, and each key that is drawn must lie in a place with a tip, or name no quantity.

#include <algorithm>
#include <charconv>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "app/texts/texts.h"
#include "gpu/analysis/comparison.h"
#include "tests/drawn_views.h"
#include "tests/made_clock.h"

namespace ws {
namespace {

class Tips : public Views {
  protected:
    Tips() {
        // By number, which fits where the words do.
        const auto add = [this](std::string_view key) {
            if (keys_.emplace(key, fmt::format("<{}>", names_.size())).second) names_.emplace_back(key);
        };
        for (const std::string_view key : phrase_keys()) add(key);
        for (const Quantity& quantity : quantities()) add(quantity.label);
        use_language([this](std::string_view key) {
            const auto found = keys_.find(key);
            // Tips and sentences stay as they are.
            return found == keys_.end() || key.find("tip") != std::string_view::npos
                       ? std::string_view()
                       : std::string_view(found->second);
        });
    }
    ~Tips() override { use_language({}); }

    // Keys that are drawn outside of all places with a tip.
    std::set<std::string> without_tip(const Drawing& drawing) {
        std::set<std::string> found;
        for (const DrawnText& text : drawing.texts) {
            const float x = text.box.center_x();
            const float y = text.box.center_y();
            const bool told = std::any_of(drawing.tips.begin(), drawing.tips.end(),
                                          [&](const Drawing::Tip& tip) { return tip.box.contains(x, y); });
            const auto in_headline = [&](const Drawing::Slot& slot) {
                return slot.name == "headline" && slot.box.contains(x, y);
            };
            const bool sentence = std::any_of(drawing.slots.begin(), drawing.slots.end(), in_headline);
            const bool code = text.font == Font::code || text.font == Font::code_strong;
            if (told || sentence || code) continue;
            for (std::size_t at = text.text.find('<'); at != std::string_view::npos;
                 at = text.text.find('<', at + 1)) {
                const std::size_t end = std::min(text.text.find('>', at), text.text.size());
                std::size_t number = names_.size();
                std::from_chars(text.text.data() + at + 1, text.text.data() + end, number);
                if (number < names_.size()) found.insert(names_[number]);
            }
        }
        return found;
    }

  private:
    std::map<std::string, std::string, std::less<>> keys_;
    std::vector<std::string> names_;
};

// Beginnings of keys that name no quantity: pages, buttons, titles. A sweep's axes say what they are.
constexpr std::string_view kNoQuantity[] = {
    "tab.",           "compare.",           "occ.over.",          "source.changes", "source.against",
    "source.removed", "difference.numbers", "difference.waiting", "sweep.",         "debug.hint"};

TEST_F(Tips, EveryQuantityThatIsDrawnHasOne) {
    if (!filters_5_against_3().told.now.counted())
        GTEST_SKIP() << "there is no compiler here, and nothing to show";
    std::map<std::string, std::string> missing;
    const auto walk = [&](const ViewState& view, const std::string& where,
                          const Snapshot& snapshot = filters_5_against_3()) {
        for (const std::string& key : without_tip(draw(snapshot, view, {1920, 1080}))) {
            const bool named = std::any_of(std::begin(kNoQuantity), std::end(kNoQuantity),
                                           [&](std::string_view start) { return key.starts_with(start); });
            if (!named) missing.emplace(key, where);
        }
    };
    for (const TabView& tab : tab_views()) walk(view_of(Theme::light, tab.tab), std::string(tab.title));
    ViewState timed = view_of(Theme::light, Tab::source);
    timed.preferences.line_share = LineShare::time;
    walk(timed, "shares of time");
    ViewState view = view_of(Theme::light, Tab::story);
    view.preferences.comparison.how = Compare::difference;
    walk(view, "difference");
    Snapshot clocked = filters_5_against_3();
    for (StepSnapshot& step : clocked.steps)
        step.counts.clock = {made_clock({.blocks = 1}), made_clock({.blocks = 16}), false, {}};
    ViewState latency = view_of(Theme::light, Tab::occupancy);
    latency.occupancy.part = OccupancyPart::latency;
    walk(latency, "latency hiding", clocked);
    for (const auto& [key, where] : missing)
        ADD_FAILURE() << where << ": no tip says what '" << key << "' is";
}

// Two sentences at most, and each ends.
TEST(TipTexts, AreSentences) {
    for (const std::string_view key : phrase_keys()) {
        if (!key.starts_with("tip.") && key.find(".tip") == std::string_view::npos) continue;
        const std::string_view text = phrase(key);
        EXPECT_TRUE(text.ends_with('.')) << key;
    }
    for (const Quantity& quantity : quantities()) {
        const std::string key = "tip." + std::string(quantity.label);
        EXPECT_NE(phrase(key), key) << quantity.label;
    }
}

}  // namespace
}  // namespace ws

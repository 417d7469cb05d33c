// Every label of a quantity has its tip: the pages are drawn in a language in which each phrase is its own
// key, and each key that is drawn must lie in a place with a tip, or name no quantity.

#include <algorithm>
#include <map>
#include <set>

#include "app/texts/texts.h"
#include "gpu/analysis/comparison.h"
#include "tests/drawn_views.h"

namespace ws {
namespace {

class Tips : public Views {
  protected:
    Tips() {
        for (const std::string_view key : phrase_keys()) keys_.emplace(key, "<" + std::string(key) + ">");
        for (const Quantity& quantity : quantities())
            keys_.emplace(quantity.label, "<" + std::string(quantity.label) + ">");
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
    static std::set<std::string> without_tip(const Drawing& drawing) {
        std::set<std::string> found;
        for (const DrawnText& text : drawing.texts) {
            const float x = text.box.center_x();
            const float y = text.box.center_y();
            const bool told = std::any_of(drawing.tips.begin(), drawing.tips.end(),
                                          [&](const Drawing::Tip& tip) { return tip.box.contains(x, y); });
            if (told) continue;
            for (std::size_t at = text.text.find('<'); at != std::string_view::npos;
                 at = text.text.find('<', at + 1)) {
                const std::size_t end = std::min(text.text.find('>', at), text.text.size());
                found.emplace(text.text.substr(at + 1, end - at - 1));
            }
        }
        return found;
    }

  private:
    std::map<std::string, std::string, std::less<>> keys_;
};

// Beginnings of keys that name no quantity: sentences and headlines, which say themselves what they mean,
// buttons, and the names of pages.
constexpr std::string_view kNoQuantity[] = {"tab."};

TEST_F(Tips, EveryQuantityThatIsDrawnHasOne) {
    if (!filters_5_against_3().now.counted())
        GTEST_SKIP() << "there is no compiler here, and nothing to show";
    std::map<std::string, std::string> missing;
    const auto walk = [&](const ViewState& view, const std::string& where) {
        for (const std::string& key : without_tip(draw(filters_5_against_3(), view, {1920, 1080}))) {
            const bool named = std::any_of(std::begin(kNoQuantity), std::end(kNoQuantity),
                                           [&](std::string_view start) { return key.starts_with(start); });
            if (!named) missing.emplace(key, where);
        }
    };
    for (const TabView& tab : tab_views()) walk(view_of(Theme::light, tab.tab), std::string(tab.title));
    ViewState view = view_of(Theme::light, Tab::story);
    view.preferences.compare = Compare::difference;
    walk(view, "difference");
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

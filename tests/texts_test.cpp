// Every word of the window comes from one table a language: the views are drawn in a language in which every
// known text is marked, and what is not marked is a word that no language can change.

#include <algorithm>
#include <filesystem>
#include <map>
#include <regex>
#include <set>

#include "app/texts/texts.h"
#include "gpu/core/message.h"
#include "tests/drawn_views.h"
#include "tests/each_source.h"
#include "tests/source_texts.h"

namespace ws {
namespace {

constexpr std::string_view kOpen = "«";
constexpr std::string_view kClose = "»";

// Every text of the English file and of the program's other parts, between marks.
const std::map<std::string, std::string, std::less<>>& marked() {
    static const auto kMarked = [] {
        std::map<std::string, std::string, std::less<>> made;
        const auto add = [&](std::string_view key, std::string_view text) {
            // Values stand outside: they have marks of their own.
            static const std::regex kPlace("\\{[^}]*\\}");
            const std::string apart = std::regex_replace(std::string(text), kPlace,
                                                         std::string(kClose) + "$&" + std::string(kOpen));
            made.emplace(key, std::string(kOpen) + apart + std::string(kClose));
        };
        for (const std::string_view key : phrase_keys()) add(key, phrase(key));
        for (const std::string& text : source_texts()) add(text, text);
        return made;
    }();
    return kMarked;
}

class Marked : public Views {
  protected:
    Marked() {
        (void)marked();
        use_language([](std::string_view key) {
            const auto found = marked().find(key);
            return found == marked().end() ? std::string_view() : std::string_view(found->second);
        });
    }
    ~Marked() override { use_language({}); }
};

// Names and units are the same in every language.
bool is_name(const std::string& word, const Snapshot& snapshot) {
    static const std::set<std::string> kUnits{"GB",  "MB",  "kB",  "ms",  "MHz",
                                              "GHz", "GiB", "MiB", "KiB", "bit"};
    if (kUnits.count(word)) return true;
    std::string names = snapshot.input_name + " " + snapshot.target.gpu.name + " " + snapshot.target.gpu.chip;
    for (const std::string& name : snapshot.target.names) names += " " + name;
    for (const GpuFigures& one : snapshot.told.gpus) names += " " + one.gpu.name + " " + one.gpu.chip;
    for (const StepSnapshot& step : snapshot.steps) names += " " + step.source.name + ".cu";
    return names.find(word) != std::string::npos;
}

// What of a frame is outside of all marks, word by word.
std::set<std::string> unmarked(const Drawing& drawing, const Snapshot& snapshot) {
    std::set<std::string> found;
    static const std::regex kWord("[A-Za-z]{2,}");
    static const std::regex kAddress("0x[0-9A-F]+");
    int depth = 0;
    for (const DrawnText& text : drawing.texts) {
        if (text.font == Font::code || text.font == Font::code_strong) continue;  // the kernel itself
        std::string outside;
        for (std::size_t i = 0; i < text.text.size();) {
            const std::string_view rest = text.text.substr(i);
            const int step = rest.starts_with(kOpen) ? 1 : rest.starts_with(kClose) ? -1 : 0;
            depth += step;
            if (step == 0 && depth == 0) outside += rest.front();
            i += step == 0 ? 1 : kOpen.size();
        }
        if (text.cut) depth = 0;  // its closing mark is cut off
        outside = std::regex_replace(outside, kAddress, "");
        for (std::sregex_iterator word(outside.begin(), outside.end(), kWord), end; word != end; ++word) {
            if (!is_name(word->str(), snapshot)) found.insert(word->str() + " in '" + outside + "'");
        }
    }
    return found;
}

void expect_marked(const Drawing& drawing, const Snapshot& snapshot, const std::string& where) {
    for (const std::string& word : unmarked(drawing, snapshot)) ADD_FAILURE() << where << ": " << word;
}

TEST_F(Marked, EveryWordOfEveryPageHasATranslation) {
    if (!filters_5_against_3().told.now.counted())
        GTEST_SKIP() << "there is no compiler here, and nothing to show";
    const Snapshot transposed =
        snapshot_of(lab_named("transpose"), lab_named("transpose").versions.back().number, 1);
    Snapshot alone = filters_5_against_3();
    alone.told.baseline.reset();
    alone.told.reasons.reset();
    Snapshot wrong = filters_5_against_3();
    wrong.result.check = {
        Check::State::different,
        message("{} of {} {} differ from the definition; the first at column {}, row {}: {} instead "
                "of {}",
                3, 9, "pixels", 1, 1, 7, 8)};
    Snapshot waiting = filters_5_against_3();
    waiting.told.now = {};
    waiting.told.now.work = waiting.work;
    for (const Snapshot* snapshot :
         {&filters_5_against_3(), static_cast<const Snapshot*>(&transposed),
          static_cast<const Snapshot*>(&alone), static_cast<const Snapshot*>(&wrong),
          static_cast<const Snapshot*>(&waiting)}) {
        for (const TabView& tab : tab_views())
            expect_marked(draw(*snapshot, view_of(Theme::light, tab.tab), {1920, 1080}), *snapshot,
                          std::string(tab.title));
        ViewState view = view_of(Theme::light, Tab::story);
        view.slide.on = true;
        expect_marked(draw(*snapshot, view, {1920, 1080}), *snapshot, "slide");
        view.slide.on = false;
        view.preferences.comparison.how = Compare::difference;
        expect_marked(draw(*snapshot, view, {1920, 1080}), *snapshot, "difference");
    }
}

TEST_F(Marked, EveryVersionsTitleAndWhatChangedHasATranslation) {
    for_every_version([&](const Snapshot& snapshot, const std::string& version) {
        ViewState view = view_of(Theme::light, Tab::story);
        expect_marked(draw(snapshot, view, {1920, 1080}), snapshot, version);
        view.slide.on = true;
        expect_marked(draw(snapshot, view, {1920, 1080}), snapshot, "slide of " + version);
    });
}

// The walk itself must find what is written past the table.
TEST_F(Marked, AWordPastTheTableIsFound) {
    Drawing drawing;
    const std::string word = "«speedup» of the «kernel» in ms";
    DrawnText text;
    text.text = word;
    drawing.texts.push_back(text);
    EXPECT_EQ(unmarked(drawing, {}),
              (std::set<std::string>{"of in ' of the  in ms'", "the in ' of the  in ms'",
                                     "in in ' of the  in ms'"}));
}

// A key that has a text is never drawn itself.
TEST_F(Views, NoKeyStandsOnAPage) {
    const std::vector<std::string_view> keys = phrase_keys();
    engine().prepare(first_work(filters::lab()));
    for (const TabView& tab : tab_views()) {
        for (const DrawnText& text :
             draw(engine().snapshot(), view_of(Theme::light, tab.tab), {1920, 1080}).texts)
            EXPECT_FALSE(std::binary_search(keys.begin(), keys.end(), text.text)) << text.text;
    }
}

TEST(Texts, AMessageIsSaidInTheLanguage) {
    begin_frame_texts();
    const Message some = message("{} of {} {} are lost", 3, 12, "pixels");
    EXPECT_EQ(english(some), "3 of 12 pixels are lost");
    EXPECT_EQ(said(some), "3 of 12 pixels are lost");
    EXPECT_EQ(english(Message("a {brace} stays {}")), "a {brace} stays {}") << "a whole text has no places";
    EXPECT_EQ(english(message("{1} before {0}, {9}{", "a", "b")), "b before a, {");
    use_language([](std::string_view key) -> std::string_view {
        if (key == "{} of {} {} are lost") return "Von {1} {2} fehlen {0}";
        return key == "pixels" ? "Pixeln" : "";
    });
    EXPECT_EQ(said(some), "Von 12 Pixeln fehlen 3");
    EXPECT_EQ(said(message("not in the file")), "not in the file");
    EXPECT_EQ(translated("pixels"), "Pixeln");
    use_language({});
    EXPECT_EQ(translated("pixels"), "pixels");
}

// What the test above takes for translatable is what the program says: a pattern is a literal where it is
// made.
TEST(Texts, PatternsAreFoundInTheSources) {
    const std::set<std::string> all = source_texts();
    EXPECT_TRUE(all.count("a block of {} threads instead of {}: {} blocks, {} %"));
    EXPECT_TRUE(all.count("FMA pipe") && all.count("load {}") && all.count("race on shared memory"));
    EXPECT_TRUE(all.count(std::string(labs().front()->versions.back().why)));
    EXPECT_FALSE(all.count("a text that nobody says"));
}

// A number that is handed to a text without a place for it is lost.
TEST(Texts, WhatIsGivenValuesHasPlacesForThem) {
    static const std::regex kCall(R"re(\bsay\(\s*"([^"]+)"\s*([,)]))re");
    static const std::regex kPlace(R"re(\{[0-9]*\})re");
    int calls = 0;
    for_each_source("app", [&](const std::filesystem::path& path, const std::string& text) {
        for (std::sregex_iterator call(text.begin(), text.end(), kCall), end; call != end; ++call) {
            const std::string key = (*call)[1];
            const bool has_place = std::regex_search(std::string(phrase(key)), kPlace);
            EXPECT_EQ((*call)[2] == ",", has_place) << path.filename() << ": " << key;
            ++calls;
        }
    });
    EXPECT_GT(calls, 300);
}

}  // namespace
}  // namespace ws

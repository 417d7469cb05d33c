// Every language has every text of the window, with the same values in it, and every view fits in it.

#include <cstdlib>
#include <regex>
#include <set>

#include "app/texts/error_line.h"
#include "app/texts/texts.h"
#include "gpu/core/error.h"
#include "gpu/picture/picture_file.h"
#include "tests/error_texts.h"
#include "tests/source_texts.h"
#include "tests/walked_views.h"

namespace ws {
namespace {

// Where values go in a text, by number: a text says each of them, in any order.
std::multiset<std::string> places_in(std::string_view text) {
    static const std::regex kPlace("\\{(\\d*)(:[^}]*)?\\}");
    std::multiset<std::string> found;
    int next = 0;
    const std::string whole(text);
    for (std::sregex_iterator place(whole.begin(), whole.end(), kPlace), end; place != end; ++place) {
        const std::string number = (*place)[1].length() > 0 ? (*place)[1].str() : std::to_string(next++);
        found.insert(number + (*place)[2].str());
    }
    return found;
}

// With a decimal point in every language.
std::multiset<std::string> decimals_in(std::string_view text) {
    static const std::regex kDecimal("\\d+\\.\\d+");
    const std::string whole(text);
    std::multiset<std::string> found;
    for (std::sregex_iterator decimal(whole.begin(), whole.end(), kDecimal), end; decimal != end; ++decimal)
        found.insert(decimal->str());
    return found;
}

class InLanguage : public Views {
  protected:
    ~InLanguage() override { use_language({}); }
};

TEST_F(InLanguage, EveryTextIsThereWithItsValues) {
    ASSERT_GE(languages().size(), 2u);
    for (const std::string& language : languages()) {
        if (language == "en") continue;
        const auto expect = [&](std::string_view key, std::string_view english, std::string_view own) {
            EXPECT_FALSE(own.empty()) << language << " lacks '" << key << "'";
            EXPECT_EQ(places_in(own), places_in(english)) << language << ", '" << key << "': '" << own << "'";
            EXPECT_EQ(decimals_in(own), decimals_in(english))
                << language << ", '" << key << "': '" << own << "'";
        };
        speak(language);
        for (const std::string_view key : phrase_keys()) {
            const std::string own(phrase(key));
            use_language({});
            const std::string english(phrase(key));
            speak(language);
            EXPECT_TRUE(has_text(language, key)) << language << " lacks '" << key << "'";
            expect(key, english, own);
        }
        for (const std::string& text : source_texts()) {
            EXPECT_TRUE(has_text(language, text)) << language << " lacks '" << text << "'";
            expect(text, text, translated(text));
        }
    }
}

TEST_F(InLanguage, EveryErrorIsThereWithItsValues) {
    const std::set<std::string> errors = error_patterns();
    ASSERT_GT(errors.size(), 100u);
    EXPECT_TRUE(errors.contains("the picture is too large ({} x {})"))
        << "sums, formats and literals are read";
    for (const std::string& language : languages()) {
        if (language == "en") continue;
        speak(language);
        for (const std::string& pattern : errors) {
            EXPECT_TRUE(has_text(language, pattern)) << language << " lacks '" << pattern << "'";
            EXPECT_EQ(places_in(translated(pattern)), places_in(pattern)) << language << ", " << pattern;
        }
    }
}

struct SaidError {
    const char* english;
    const char* german;
};

TEST_F(InLanguage, AnErrorIsTakenApart) {
    constexpr SaidError kErrors[]{
        {"the file is empty", "die Datei ist leer"},
        {"the file is empty, /tmp/a: b, c.png: choose a JPEG, PNG, BMP, TGA, PSD, GIF or PNM file",
         "die Datei ist leer, /tmp/a: b, c.png: eine Datei im Format JPEG, PNG, BMP, TGA, PSD, GIF oder PNM "
         "wählen"},
        {"cannot read the file (Permission denied), /x: check the path and its rights",
         "die Datei lässt sich nicht lesen (Permission denied), /x: Pfad und Rechte prüfen"},
        {"the picture is damaged (its header is wrong), a.webp: copy the file again",
         "das Bild ist beschädigt (sein Kopf ist falsch), a.webp: die Datei neu kopieren"},
        {"the cuda device is not available, CUDA finds no GPU: use --device auto or --device cpu",
         "das Gerät cuda ist nicht verfügbar, CUDA findet keine GPU: --device auto oder --device cpu "
         "verwenden"},
        {"the pictures were not saved: cannot write the file (No space left on device), /a/b.png: make room "
         "or "
         "choose a folder that you may write to",
         "die Bilder wurden nicht gesichert: die Datei lässt sich nicht schreiben (No space left on device), "
         "/a/b.png: Platz schaffen oder einen Ordner wählen, in den Sie schreiben dürfen"},
        {"32 x 64 = 2048 threads are too many for a block: a block of this GPU has at most 1024",
         "32 x 64 = 2048 Threads sind zu viele für einen Block: ein Block dieser GPU hat höchstens 1024"},
        {"is a folder, not a file, edge: name a file",
         "ist ein Ordner, keine Datei, edge: eine Datei nennen"},
        {"words of nobody, nowhere: to do", "words of nobody, nowhere: to do"},
        {"", ""}};
    begin_frame_texts();
    speak("de");
    for (const SaidError& error : kErrors) EXPECT_EQ(said_line(error.english), error.german);
    try {
        (void)read_picture(WARPSCOPE_SOURCE_DIR);
        FAIL();
    } catch (const Error& error) {
        EXPECT_TRUE(said_line(error.what()).starts_with("ist ein Ordner, keine Datei, "))
            << said_line(error.what());
    }
    speak("en");
    for (const SaidError& error : kErrors) EXPECT_EQ(said_line(error.english), error.english);
}

TEST_F(InLanguage, NoViewIsCutOffOrOverlaps) {
    if (!filters_5_against_3().told.now.counted())
        GTEST_SKIP() << "there is no compiler here, and nothing to show";
    const Lab& transpose = lab_named("transpose");
    const Snapshot transposed =
        snapshot_of(transpose, transpose.versions.back().number, transpose.versions[1].number);
    for (const std::string& language : languages()) {
        if (language == "en") continue;  // which views_test walks
        speak(language);
        for (const Snapshot* snapshot : {&filters_5_against_3(), &transposed}) {
            for (const Extent size : kSizes) {
                const auto expect_fits = [&](ViewState view, std::string_view what) {
                    for (view.page = 0; view.page < (slots_of(size).narrow ? 4 : 1); ++view.page)
                        walk(draw(*snapshot, view, size), view.preferences.theme, size,
                             fmt::format("{} {} {} {}x{} page {}", language, snapshot->work.lab->id, what,
                                         size.width, size.height, view.page));
                };
                for (const TabView& tab : tab_views()) expect_fits(view_of(Theme::dark, tab.tab), tab.title);
                ViewState view = view_of(Theme::light, Tab::story);
                view.preferences.comparison.how = Compare::difference;
                expect_fits(view, "difference");
                view.preferences.comparison.how = Compare::wipe;
                view.story.advice = true;
                expect_fits(view, "advice");
                view.story.advice = false;
                view.slide.on = true;
                expect_fits(view, "slide");
            }
        }
    }
}

TEST_F(InLanguage, EveryVersionFitsOnItsPageAndItsSlide) {
    for (const std::string& language : languages()) {
        if (language == "en") continue;
        speak(language);
        for_every_version([&](const Snapshot& snapshot, const std::string& name) {
            for (const Extent size : {Extent{1024, 768}, Extent{1280, 720}, Extent{1920, 1080}}) {
                ViewState view = view_of(Theme::light, Tab::story);
                for (const bool slide : {false, true}) {
                    view.slide.on = slide;
                    walk(draw(snapshot, view, size), Theme::light, size,
                         fmt::format("{} {} {}", language, name, size.width));
                }
            }
        });
    }
}

TEST(Languages, AreChosenByNameOrLocale) {
    const auto by_locale = [](const char* all, const char* messages, const char* lang) {
        ::setenv("LC_ALL", all, 1);
        ::setenv("LC_MESSAGES", messages, 1);
        ::setenv("LANG", lang, 1);
        return std::string(language_named(""));
    };
    EXPECT_EQ(by_locale("", "", ""), "en");
    EXPECT_EQ(by_locale("", "", "de_AT.UTF-8"), "de");
    EXPECT_EQ(by_locale("", "de", "fr_FR"), "de");
    EXPECT_EQ(by_locale("C.UTF-8", "de_DE", "de_DE"), "en");
    EXPECT_EQ(by_locale("xx_YY@z", "", ""), "en") << "no file for it";
    EXPECT_EQ(language_named("de"), "de");
    EXPECT_EQ(language_named("no such"), "en");
    speak("de");
    EXPECT_NE(phrase("key.theme"), "key.theme");
    const std::string german(phrase("key.theme"));
    speak("en");
    EXPECT_NE(phrase("key.theme"), german);
}

}  // namespace
}  // namespace ws

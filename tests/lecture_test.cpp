// Lectures: what their files say, every mistake with its line, and the player that walks through them.

#include <gtest/gtest.h>

#include <unistd.h>
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <random>
#include <set>

#include "app/lecture/lecture_text.h"
#include "app/lecture/player.h"
#include "app/state/work_edit.h"
#include "gpu/core/error.h"
#include "gpu/core/files.h"
#include "gpu/labs/labs.h"

namespace ws {
namespace {

Lecture read(const std::string& text, const std::filesystem::path& folder = {}) {
    return read_lecture(text, "a.lecture", folder, initial_work());
}

// What reading it says; empty: nothing is wrong.
std::string problem_of(const std::string& text, const std::filesystem::path& folder = {}) {
    try {
        (void)read(text, folder);
    } catch (const Error& error) {
        return error.what();
    }
    return {};
}

const std::string kHead = "title: A\nlanguage: en\n";
const std::string kStep = "step: One\nsentence: It is so.\n";

TEST(Lecture, SaysWhatItsFileSays) {
    const Lecture lecture = read(
        "# a comment\ntitle: Blocks\nlanguage: en\n\nstep: First\n  and more\nsentence: A sentence\n  on two "
        "lines.\nnote: Ask: why?\nversion: 4\nblock: 32x8\nknob: MIN_BLOCKS=4\nagainst: 3\ntab: source\n"
        "warp: 3,4,5\naccess: 2\nline: 48\nzoom: 900x600+5+7\n"
        "page: 2\nbeside: ptx\nshare: time\n"
        "step: Second\nsentence: As before.\nadvice: on\nover: MIN_BLOCKS\n"
        "step: Third\nsentence: Another version.\nversion: 5\npredict: time\ncapture: tiles.png\n"
        "step: Other\nsentence: Another lab.\nlab: transpose\nversion: 6\nsize: 512x256\ngpu: GTX "
        "280\nend\n");
    EXPECT_EQ(lecture.title, "Blocks");
    EXPECT_EQ(lecture.language, "en");
    ASSERT_EQ(lecture.steps.size(), 4u);
    const LectureStep& first = lecture.steps[0];
    EXPECT_EQ(first.line, 5);
    EXPECT_EQ(first.title, "First and more");
    EXPECT_EQ(first.sentence, "A sentence on two lines.");
    EXPECT_EQ(first.note, "Ask: why?");
    EXPECT_EQ(first.work.version, 4);
    EXPECT_EQ(first.work.block(main_step(*first.work.lab, version_of(*first.work.lab, 4))), (Block{32, 8}));
    EXPECT_EQ(first.work.knobs.at("MIN_BLOCKS"), 4);
    EXPECT_EQ(first.look.against, 3);
    EXPECT_EQ(first.look.tab, "source");
    EXPECT_EQ(first.look.line, 48);
    EXPECT_EQ(first.look.access, 2);
    ASSERT_TRUE(first.look.zoom);
    EXPECT_EQ(first.look.zoom->columns, 900);
    EXPECT_EQ(first.look.zoom->y, 7);
    EXPECT_EQ(first.look.warp, (WarpPlace{3, 4, 5}));
    // What a step does not say stays...
    const LectureStep& second = lecture.steps[1];
    EXPECT_EQ(second.work, first.work);
    EXPECT_EQ(second.look.against, 3);
    EXPECT_EQ(second.look.tab, "source");
    EXPECT_EQ(second.look.advice, true);
    EXPECT_EQ(first.look.source.beside, "ptx");
    EXPECT_EQ(second.look.source.share, "time") << "until another is named";
    EXPECT_EQ(first.look.over, "off");
    EXPECT_EQ(second.look.over, "MIN_BLOCKS");
    EXPECT_EQ(second.look.warp, first.look.warp);
    EXPECT_TRUE(second.note.empty());
    EXPECT_EQ(second.look.zoom->columns, 900);
    EXPECT_FALSE(second.look.line) << "a line is the step's";
    EXPECT_FALSE(second.look.access);
    EXPECT_EQ(first.look.page, 2);
    EXPECT_FALSE(second.look.page) << "so is a page";
    // ...but a version brings its own blocks, knobs and baseline.
    const LectureStep& third = lecture.steps[2];
    EXPECT_EQ(third.work.version, 5);
    EXPECT_FALSE(third.look.against);
    EXPECT_EQ(third.work, with_version(initial_work(), version_of(*initial_work().lab, 5)));
    EXPECT_EQ(third.look.over, "MIN_BLOCKS") << "other versions have it";
    EXPECT_EQ(third.asks, askable_named("time"));
    EXPECT_EQ(third.capture, "tiles.png");
    const LectureStep& other = lecture.steps[3];
    EXPECT_EQ(other.work.lab->id, "transpose");
    EXPECT_EQ(other.work.size, (Extent{512, 256}));
    EXPECT_EQ(other.work.target_gpu, "GTX 280");
    EXPECT_EQ(other.look.over, "off") << "a knob is its lab's";
    EXPECT_EQ(other.asks, nullptr);
    EXPECT_TRUE(other.capture.empty());
}

TEST(Lecture, ShowsExperiments) {
    const Lecture lecture =
        read(kHead +
             "step: A\nsentence: B\nlab: transpose\nversion: 6\ntab: source\nagainst: 3\nadvice: on\n"
             "step: A\nsentence: B\nset: version=6\nset: lab=matmul\nlab: roofline\npage: 2\ngpu: GTX 280\n"
             "step: A\nsentence: B\nset: version=1\n" +
             kStep +
             "step: A\nsentence: B\nlab: metrics\nsize: 1M\n"
             "step: A\nsentence: B\nlab: roofline\n"
             "step: A\nsentence: B\nlab: transpose\nend\n");
    const std::vector<LectureStep>& steps = lecture.steps;
    ASSERT_EQ(steps.size(), 7u);
    const Experiment* roofline = experiment_named("roofline");
    const auto value = [](const LectureStep& step, std::string_view name) {
        const auto place = std::size_t(control_named(*step.experiment, name));
        return text_of(step.experiment->controls[place], step.controls[place]);
    };
    EXPECT_EQ(steps[0].experiment, nullptr);
    EXPECT_TRUE(steps[0].controls.empty());
    ASSERT_EQ(steps[1].experiment, roofline);
    EXPECT_EQ(value(steps[1], "lab"), "matmul");
    EXPECT_EQ(value(steps[1], "version"), "6");
    EXPECT_EQ(steps[1].look.page, 2);
    EXPECT_EQ(steps[1].work.target_gpu, "GTX 280");
    EXPECT_EQ(steps[1].look.advice, false) << "behind an experiment nothing is computed";
    EXPECT_FALSE(steps[1].look.against);
    // A step goes on from the values before...
    ASSERT_EQ(steps[2].experiment, roofline);
    EXPECT_EQ(value(steps[2], "lab"), "matmul");
    EXPECT_EQ(value(steps[2], "version"), "1");
    EXPECT_FALSE(steps[2].look.page);
    EXPECT_EQ(steps[3].experiment, roofline);
    EXPECT_EQ(steps[3].controls, steps[2].controls);
    // ...another experiment begins anew, and the lab is as it was.
    ASSERT_EQ(steps[4].experiment, experiment_named("metrics"));
    EXPECT_EQ(value(steps[4], "size"), "1 MiB");
    EXPECT_EQ(steps[5].controls, first_values(*roofline));
    EXPECT_EQ(steps[6].experiment, nullptr);
    EXPECT_EQ(steps[6].work.version, 6);
    EXPECT_EQ(steps[6].look.tab, "source");
}

TEST(Lecture, GoesOverSizesAndKnobs) {
    const auto over = [](const std::string& lines) {
        return read(kHead + kStep + "lab: global-memory\nversion: 2\n" + lines + "end\n").steps[0].look.over;
    };
    EXPECT_EQ(over("sizes: on\n"), "size");
    EXPECT_EQ(over("sizes: off\n"), "off");
    EXPECT_EQ(over("over: size\n"), "size");
    EXPECT_EQ(over("over: OFFSET\n"), "OFFSET");
    EXPECT_EQ(over("over: STRIDE\n"), "STRIDE") << "of another version";
    EXPECT_EQ(over("over: off\n"), "off");
    const std::string knob = problem_of(kHead + kStep + "lab: global-memory\nover: NONSENSE\nend\n");
    EXPECT_NE(knob.find(":6: 'NONSENSE' is no axis of global-memory"), std::string::npos) << knob;
    EXPECT_NE(knob.find("choose one of CACHED, FIELDS, OFFSET"), std::string::npos) << knob;
    const std::string sizes = problem_of(kHead + kStep + "sizes: on\nend\n");
    EXPECT_NE(sizes.find("'size' is no axis of filters"), std::string::npos) << sizes;
}

TEST(Lecture, KeepsTheDeviceOfTheStart) {
    Work start = initial_work();
    start.device = DeviceKind::simt;
    start.target_gpu = "GTX 280";
    const Lecture lecture = read_lecture(kHead + kStep + "lab: transpose\nend\n", "a", {}, start);
    EXPECT_EQ(lecture.steps[0].work.device, DeviceKind::simt);
    EXPECT_EQ(lecture.steps[0].work.target_gpu, "GTX 280");
}

struct Mistake {
    std::string text;
    int line;
    std::string says;
};

TEST(Lecture, NamesTheLineOfEveryMistake) {
    const std::string whole = kHead + kStep;  // four lines
    const std::vector<Mistake> mistakes{
        {"", 1, "without 'end'"},
        {"end\n", 1, "without steps"},
        {kHead + "end\n", 3, "without steps"},
        {whole, 4, "without 'end'"},
        {whole + "versi", 5, "has no key"},
        {whole + "version: 1", 5, "without 'end'"},
        {whole + "end\nversion: 1\n", 6, "after 'end'"},
        {"language: en\n" + kStep + "end\n", 2, "no title"},
        {"title: A\n" + kStep + "end\n", 2, "no language"},
        {kHead + "version: 1\n" + kStep + "end\n", 3, "before the first step"},
        {kHead + "step: One\nversion: 1\nend\n", 3, "no sentence"},
        {"  title: A\n", 1, "goes on"},
        {kHead + "step:\n", 3, "no value"},
        {kHead + ": x\n", 3, "no key"},
        {whole + "title: A\nend\n", 5, "has no 'title'"},
        {whole + "colour: red\nend\n", 5, "has no 'colour'"},
        {whole + "json: on\nend\n", 5, "has no 'json'"},
        {whole + "restore: a.json\nend\n", 5, "has no 'restore'"},
        {whole + "tab: warp\n\ntab: story\nend\n", 7, "twice"},
        {whole + "version: 99\nend\n", 5, "99"},
        {whole + "tab: warp\nversion: five\nend\n", 6, "'five' is not a version"},
        {whole + "version: -1\nend\n", 5, ""},
        {whole + "version: 1\nlab: sorting\nend\n", 6, "sorting"},
        {whole + "tab: warps\nend\n", 5, "warps"},
        {whole + "slide: perhaps\nend\n", 5, "perhaps"},
        {whole + "against: 99\nend\n", 5, "99"},
        {whole + "block: 32x\nend\n", 5, "32x"},
        {whole + "version: 14\n\nblock: 7x3\nend\n", 7, "7 x 3"},
        {whole + "knob: MIN_BLOCKS=99\nversion: 4\nend\n", 5, "out of range"},
        {whole + "version: 4\nknob: MIN_BLOCKS\nend\n", 6, "not a knob"},
        {whole + "version: 4\nknob: MIN_BLOCKS=4\nknob: NOBODY=1\nend\n", 7, "NOBODY"},
        {whole + "gpu: Voodoo 2\nend\n", 5, "Voodoo 2"},
        {whole + "device: abacus\nend\n", 5, "abacus"},
        {whole + "size: 64x64\nend\n", 5, "size"},
        {whole + "lab: transpose\nversion: 3\nsize: 0x4\nend\n", 7, "0x4"},
        {whole + "show: smell\nend\n", 5, "smell"},
        {whole + "image: missing.png\nend\n", 5, "missing.png"},
        {whole + "lab: transpose\nimage: scene\nend\n", 6, "takes no picture"},
        {whole + "predict: luck\nend\n", 5, "luck"},
        {whole + "zoom: near\nend\n", 5, "'near' is no part"},
        {whole + "zoom: 90x60+1\nend\n", 5, "no part"},
        {whole + "zoom: 90x0+1+2\nend\n", 5, ""},
        {whole + "tab: warp\nline: 0\nend\n", 6, ""},
        {whole + "line: x\nend\n", 5, ""},
        {whole + "access: 2\nend\n", 5, "one of a line"},
        {whole + "predict: speedup\nend\n", 5, "no version before"},
        {whole + "show: original\npredict: time\nend\n", 6, "nothing runs"},
        {whole + "capture: ../a.png\nend\n", 5, "../a.png"},
        {whole + "capture: a.jpg\nend\n", 5, "a.jpg"},
        {whole + "capture: a.png\n" + kStep + "capture: a.png\nend\n", 8, "another step"},
        {whole + "lab: rooflines\nend\n", 5, "there is no lab 'rooflines': choose from filters"},
        {whole + "lab: roofline\nset: version=99\nend\n", 6, "99"},
        {whole + "lab: roofline\nset: lab=sorting\nend\n", 6, "sorting"},
        {whole + "set: speed=1\nlab: roofline\nend\n", 5, "no control speed: it has lab, version"},
        {whole + "lab: roofline\nset: version\nend\n", 6, "NAME=VALUE"},
        {whole + "lab: amdahl\nsize: 64M\nend\n", 6, "no control size"},
        {whole + "lab: transfers\nsize: 64x64\nend\n", 6, "64x64"},
        {whole + "set: version=1\nend\n", 5, "a control of an experiment"},
        {whole + "lab: amdahl\n" + kStep + "lab: filters\nset: parallel=5\nend\n", 9, "a control"},
        {whole + "lab: amdahl\nversion: 99\nend\n", 6, "'version' means nothing while"},
        {whole + "lab: amdahl\n" + kStep + "note: x\ntab: warp\nend\n", 9, "'tab' means nothing while"},
        {whole + "predict: time\nlab: amdahl\nend\n", 5, "nothing of the experiment 'amdahl'"},
        {whole + "note: \xC3\nend\n", 5, "no text"},
        {whole + std::string("note: a\0b\nend\n", 14), 5, "no text"},
        {kHead + "step: " + std::string(kMostTitle + 1, 'x') + "\nend\n", 3, "too long"},
        {kHead + "step: A\nsentence: " + std::string(kMostSentence + 1, 'x') + "\nend\n", 4, "too long"}};
    for (const Mistake& mistake : mistakes) {
        const std::string found = problem_of(mistake.text);
        EXPECT_TRUE(found.starts_with(at_line("a.lecture", mistake.line)))
            << "'" << found << "' instead of line " << mistake.line << " of\n"
            << mistake.text;
        EXPECT_NE(found.find(mistake.says), std::string::npos) << found << "\n" << mistake.text;
    }
    EXPECT_EQ(problem_of(whole + "end\n"), "");
    EXPECT_EQ(problem_of(whole + "end"), "");
    EXPECT_EQ(problem_of("\xEF\xBB\xBF" + kHead + "step: " + std::string(kMostTitle, 'x') +
                         "\r\nsentence: \xC3\xA4\r\nend\r\n"),
              "");
}

TEST(Lecture, ReadsItsPicturesBesideItsFile) {
    const std::filesystem::path folder =
        std::filesystem::temp_directory_path() / ("lecture_test_" + std::to_string(::getpid()));
    std::filesystem::create_directory(folder);
    write_file(folder / "good.pgm", "P5\n2 2\n255\n\1\2\3\4");
    write_file(folder / "cut.pgm", "P5\n2000 2\n255\n\1\2");
    const std::string whole = kHead + kStep;
    const Lecture lecture = read(whole + "image: good.pgm\nend\n", folder);
    EXPECT_EQ(lecture.steps[0].picture, (folder / "good.pgm").string());
    EXPECT_EQ(read(whole + "image: test\nend\n", folder).steps[0].picture, "test");
    EXPECT_TRUE(problem_of(whole + "note: x\nimage: cut.pgm\nend\n", folder).starts_with("a.lecture:6: "));
    std::filesystem::remove_all(folder);
}

TEST(Lecture, TheWrongNameNamesThoseThereAre) {
    try {
        (void)load_lecture("no-such", "en", initial_work());
        FAIL();
    } catch (const Error& error) {
        EXPECT_NE(std::string(error.what()).find("coalescing"), std::string::npos) << error.what();
    }
    EXPECT_EQ(load_lecture("coalescing", "xx", initial_work()).language, "en");
}

// Changed at random it is read or refused, and nothing else happens.
TEST(Lecture, SurvivesAnyChangeOfItsBytes) {
    const std::string good =
        kHead + kStep + "version: 4\nblock: 32x8\nknob: MIN_BLOCKS=4\npredict: time\nend\n";
    std::mt19937 random(1);
    const auto below = [&](std::size_t limit) { return std::size_t(random() % limit); };
    int refused = 0;
    constexpr int kRounds = 400;
    for (int round = 0; round < kRounds; ++round) {
        std::string text = good;
        for (std::size_t i = below(4) + 1; i > 0; --i) {
            const std::size_t at = below(text.size());
            if (round % 3 == 0)
                text.erase(at, below(6) + 1);
            else if (round % 3 == 1)
                text[at] = char(below(256));
            else
                text.insert(at, good.substr(below(good.size()), 12));
            if (text.empty()) text = "x";
        }
        const std::string problem = problem_of(text);
        if (problem.empty()) continue;
        ++refused;
        EXPECT_TRUE(problem.starts_with("a.lecture:")) << problem;
    }
    EXPECT_GT(refused, kRounds / 4);
}

// ---- those that the program brings

TEST(Lecture, EveryBuiltInOneIsGood) {
    const std::vector<std::string_view> names = builtin_lectures();
    ASSERT_FALSE(names.empty());
    std::set<std::string> english;
    for (const std::string_view file : names) {
        const std::string name(file.substr(0, file.size() - std::string_view(".lecture").size()));
        const Lecture lecture = load_lecture(name, "en", initial_work());
        EXPECT_TRUE(name.ends_with("." + lecture.language)) << name;
        EXPECT_GT(lecture.steps.size(), 1u) << name;
        for (const LectureStep& step : lecture.steps)
            EXPECT_FALSE(step.note.empty()) << name << ":" << step.line;
    }
    for (const std::string_view file : names) {
        if (file.ends_with(".en.lecture")) {
            const std::string german = std::string(file.substr(0, file.find('.'))) + ".de.lecture";
            EXPECT_NE(std::find(names.begin(), names.end(), german), names.end()) << german;
            continue;
        }
        const std::string base(file.substr(0, file.find('.')));
        const Lecture own = load_lecture(std::string(file.substr(0, file.rfind('.'))), "en", initial_work());
        const Lecture other = load_lecture(base, "en", initial_work());
        ASSERT_EQ(own.steps.size(), other.steps.size()) << file;
        for (std::size_t i = 0; i < own.steps.size(); ++i) {
            EXPECT_EQ(own.steps[i].work, other.steps[i].work) << file << " step " << i;
            EXPECT_EQ(own.steps[i].experiment, other.steps[i].experiment) << file << " step " << i;
            EXPECT_EQ(own.steps[i].controls, other.steps[i].controls) << file << " step " << i;
            EXPECT_EQ(own.steps[i].asks, other.steps[i].asks) << file << " step " << i;
            EXPECT_EQ(own.steps[i].look.tab, other.steps[i].look.tab) << file << " step " << i;
            EXPECT_EQ(own.steps[i].look.against, other.steps[i].look.against) << file << " step " << i;
            EXPECT_EQ(own.steps[i].look.line, other.steps[i].look.line) << file << " step " << i;
            EXPECT_EQ(own.steps[i].look.access, other.steps[i].look.access) << file << " step " << i;
            EXPECT_EQ(own.steps[i].look.page, other.steps[i].look.page) << file << " step " << i;
            EXPECT_EQ(own.steps[i].look.over, other.steps[i].look.over) << file << " step " << i;
            EXPECT_EQ(own.steps[i].look.zoom, other.steps[i].look.zoom) << file << " step " << i;
            EXPECT_EQ(own.steps[i].capture, other.steps[i].capture) << file << " step " << i;
        }
    }
}

TEST(Lecture, ThereIsOneForEveryLab) {
    for (const std::string& language : std::vector<std::string>{"en", "de"}) {
        std::set<std::string_view> shown;
        for (const std::string_view file : builtin_lectures()) {
            if (!file.ends_with("." + language + ".lecture")) continue;
            const std::string name(file.substr(0, file.rfind('.')));
            for (const LectureStep& step : load_lecture(name, language, initial_work()).steps)
                shown.insert(step.experiment ? step.experiment->id : step.work.lab->id);
        }
        for (const Lab* lab : labs()) EXPECT_TRUE(shown.contains(lab->id)) << language << ' ' << lab->id;
        for (const Experiment* experiment : experiments())
            EXPECT_TRUE(shown.contains(experiment->id)) << language << ' ' << experiment->id;
    }
}

// ---- the player

Playing three_steps() {
    return first_step(
        std::make_shared<const Lecture>(read(kHead + kStep + kStep + "predict: time\n" + kStep + "end\n")));
}

TEST(Player, StaysWithinTheLecture) {
    Playing playing = three_steps();
    EXPECT_EQ(playing.count(), 3);
    EXPECT_EQ(turned(playing, -1).at, 0);
    playing = turned(playing, 1);
    EXPECT_EQ(playing.at, 1);
    playing = turned(turned(playing, 1), 1);
    EXPECT_EQ(playing.at, 2);
    EXPECT_EQ(turned(playing, 1).at, 2);
    EXPECT_EQ(turned(playing, -1).at, 1);
}

TEST(Player, TellsNothingBeforeAGuessOrASkip) {
    Playing playing = turned(three_steps(), 1);
    EXPECT_TRUE(playing.asking());
    EXPECT_FALSE(turned(playing, -1).asking()) << "the first step asks nothing";
    EXPECT_TRUE(turned(turned(playing, -1), 1).asking());
    const Playing skipped = turned(playing, 1);
    EXPECT_EQ(skipped.at, 1);
    EXPECT_FALSE(skipped.asking());
    EXPECT_FALSE(skipped.answer().guess);
    EXPECT_EQ(turned(skipped, 1).at, 2);
    // What was told once stays told.
    EXPECT_FALSE(turned(turned(skipped, 1), -1).asking());
}

TEST(Player, TakesAGuess) {
    const Playing asked = turned(three_steps(), 1);
    EXPECT_TRUE(fixed(asked).asking()) << "nothing was typed";
    Playing playing = asked;
    for (const char letter : std::string("1x2,.5")) playing = typed(std::move(playing), letter);
    EXPECT_EQ(playing.typed, "12.5");
    EXPECT_EQ(typed_value(playing), 12.5);
    EXPECT_EQ(erased(playing).typed, "12.");
    EXPECT_EQ(typed_value(erased(playing)), 12);
    for (const Playing& told : {fixed(playing), turned(playing, 1)}) {
        EXPECT_EQ(told.at, 1);
        EXPECT_FALSE(told.asking());
        EXPECT_EQ(told.answer().guess, 12.5);
        EXPECT_TRUE(told.typed.empty());
        EXPECT_TRUE(typed(told, '1').typed.empty()) << "no second guess";
    }
    EXPECT_EQ(pointed(asked, 1234.4).typed, "1234");
    EXPECT_EQ(pointed(asked, 3.14159).typed, "3.14");
    EXPECT_TRUE(pointed(asked, -1).typed.empty());
    EXPECT_TRUE(turned(playing, -1).typed.empty());
    EXPECT_EQ(typed(three_steps(), '1').typed, "") << "the first step asks nothing";
    EXPECT_EQ(typed_value(typed(asked, '.')), std::nullopt);
}

TEST(Askables, HaveNamesAxesAndTruths) {
    std::set<std::string_view> names;
    for (const Askable& quantity : askables()) {
        EXPECT_TRUE(names.insert(quantity.name).second);
        EXPECT_EQ(askable_named(quantity.name), &quantity);
        EXPECT_LT(quantity.low, quantity.high);
        EXPECT_TRUE(!quantity.logarithmic || quantity.low > 0);
        for (const double share : {0.25, 0.5, 0.75}) {  // that stand below the axis
            const double value = value_on_axis(quantity, share);
            EXPECT_TRUE(quantity.logarithmic || value == std::floor(value)) << quantity.name << ' ' << value;
        }
        EXPECT_NE(quantity.truth, nullptr);
    }
    EXPECT_EQ(askable_named(""), nullptr);
}

}  // namespace
}  // namespace ws

#include "app/lecture/lecture.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <span>

#include "app/cli/options.h"
#include "app/lecture/lecture_text.h"
#include "gpu/core/embedded_file.h"
#include "gpu/core/error.h"
#include "gpu/core/files.h"
#include "gpu/labs/labs.h"
#include "gpu/picture/builtin_pictures.h"
#include "gpu/picture/picture_file.h"

namespace ws {
namespace embedded_lectures {
std::span<const EmbeddedFile> files();
}
namespace {

// The options that a step may set: those of the command line, under their names.
constexpr std::string_view kState[]{
    "lab",  "set",   "version", "show", "size",    "block",  "block-gray", "block-edge", "knob",  "device",
    "gpu",  "image", "against", "tab",  "compare", "theme",  "slide",      "advice",     "sweep", "latency",
    "warp", "over",  "sizes",   "zoom", "line",    "access", "page",       "beside",     "share"};
constexpr std::string_view kWords[]{"sentence", "note", "predict", "capture"};
// Those that mean something while an experiment is shown.
constexpr std::string_view kOfExperiment[]{"lab", "set", "size", "device", "gpu", "theme", "page"};

bool is_state(const LectureLine& line) {
    return std::find(std::begin(kState), std::end(kState), line.key) != std::end(kState);
}

// What a step shows in the place of a lab, once these lines have changed it.
const Experiment* experiment_of(const std::vector<LectureLine>& lines, const Experiment* before) {
    for (const LectureLine& line : lines) {
        if (line.key == "lab") return experiment_named(line.value);
    }
    return before;
}

// A line that would do nothing is a mistake.
void check_place(const LectureLine& line, const Experiment* experiment) {
    const bool known =
        std::find(std::begin(kOfExperiment), std::end(kOfExperiment), line.key) != std::end(kOfExperiment);
    if (experiment && !known)
        throw Error(
            fmt::format("'{}' means nothing while the experiment '{}' is shown", line.key, experiment->id),
            "",
            fmt::format("name a lab before it with 'lab: ID', or choose one of {}",
                        fmt::join(kOfExperiment, ", ")));
    if (!experiment && line.key == "set")
        throw Error("'set' is a control of an experiment", "", "name one with 'lab: ID'");
}

std::string word_of(const LectureLine& line) {
    return line.key == "version" ? line.value : fmt::format("--{}={}", line.key, line.value);
}

std::size_t letters_of(std::string_view text) {
    return std::size_t(std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

// From the lines of one file to steps, each on top of the one before.
class Maker {
  public:
    Maker(const LectureText& text, const std::filesystem::path& folder, const Work& start)
        : text_(text), folder_(folder) {
        before_.work = start;
        before_.look.tab = "story";
        before_.look.compare = "wipe";
        before_.look.over = "off";
        before_.look.source = {"counts", "instructions"};
        before_.look.advice = before_.look.sweep = before_.look.latency = false;
    }

    [[nodiscard]] Lecture make() {
        Lecture lecture;
        for (const LectureLine& line : text_.head) {
            if (line.key == "title")
                lecture.title = limited(line, kMostTitle);
            else if (line.key == "language")
                lecture.language = line.value;
            else
                fail(line, fmt::format("'{}' is not known before the first step", line.key),
                     "a lecture begins with title and language");
        }
        const int first = text_.steps.front().step.number;
        if (lecture.title.empty())
            fail({first, "", ""}, "the lecture has no title", "begin with 'title: ...'");
        if (lecture.language.empty())
            fail({first, "", ""}, "the lecture has no language", "begin with 'language: en'");
        for (const LectureStepText& step : text_.steps) lecture.steps.push_back(make(step));
        return lecture;
    }

  private:
    [[noreturn]] void fail(const LectureLine& line, const std::string& what,
                           const std::string& remedy) const {
        throw Error(at_line(text_.file, line.number) + what, "", remedy);
    }

    [[nodiscard]] std::string limited(const LectureLine& line, std::size_t most) const {
        if (letters_of(line.value) > most)
            fail(line, fmt::format("'{}' is too long for its place", line.key),
                 fmt::format("{} letters instead of {}", most, letters_of(line.value)));
        return line.value;
    }

    [[nodiscard]] LectureStep make(const LectureStepText& text) {
        LectureStep step = before_;
        step.line = text.step.number;
        step.title = limited(text.step, kMostTitle);
        step.sentence.clear();
        step.note.clear();
        step.capture.clear();
        step.asks = nullptr;
        step.look.line.reset();
        step.look.access.reset();
        step.look.page.reset();
        take_state(text, step);
        for (const LectureLine& line : text.lines) {
            if (!is_state(line)) take_word(line, step);
        }
        if (step.sentence.empty()) fail(text.step, "the step has no sentence", "write 'sentence: ...'");
        before_ = step;
        return step;
    }

    void take_word(const LectureLine& line, LectureStep& step) {
        if (line.key == "sentence") {
            step.sentence = limited(line, kMostSentence);
        } else if (line.key == "note") {
            step.note = limited(line, kMostNote);
        } else if (line.key == "predict") {
            step.asks = asked(line, step);
        } else if (line.key == "capture") {
            step.capture = captured(line);
        } else {
            fail(line, fmt::format("a step has no '{}'", line.key),
                 fmt::format("choose one of {}, {}", fmt::join(kWords, ", "), fmt::join(kState, ", ")));
        }
    }

    [[nodiscard]] const Askable* asked(const LectureLine& line, const LectureStep& step) const {
        const Askable* quantity = askable_named(line.value);
        if (!quantity) {
            std::string names;
            for (const Askable& one : askables())
                names += (names.empty() ? "" : ", ") + std::string(one.name);
            fail(line, fmt::format("'{}' cannot be predicted", line.value), "choose one of " + names);
        }
        if (step.experiment)
            fail(line, fmt::format("nothing of the experiment '{}' can be predicted", step.experiment->id),
                 "ask in its sentence or note");
        const Work& work = step.work;
        if (quantity->compares && !step.look.against && !version_before(*work.lab, work.version))
            fail(line, fmt::format("V{} has no version before to compare with", work.version),
                 "name a baseline with 'against: VERSION'");
        if (!runs_anything(work))
            fail(line, "nothing runs for what is shown, so nothing can be predicted",
                 "choose another 'show'");
        return quantity;
    }

    [[nodiscard]] std::string captured(const LectureLine& line) {
        const std::string& name = line.value;
        if (!name.ends_with(".png") || name.find_first_of("/\\") != std::string::npos || name.front() == '.')
            fail(line, fmt::format("'{}' is not the name of a picture", name), "write a name like tiles.png");
        if (!captures_.insert(name).second)
            fail(line, fmt::format("'{}' is the picture of another step", name), "choose another name");
        return name;
    }

    // The command line's own translation: of all lines together, as a block may stand before its version.
    // What it refuses is put down to the first line without which the rest would stand.
    void take_state(const LectureStepText& text, LectureStep& step) const {
        std::vector<LectureLine> lines;
        for (const LectureLine& line : text.lines) {
            if (is_state(line)) lines.push_back(line);
        }
        if (lines.empty()) return;
        // What others depend on goes first.
        std::stable_sort(lines.begin(), lines.end(), [](const LectureLine& a, const LectureLine& b) {
            const auto rank = [](const LectureLine& line) {
                return line.key == "lab" ? 0 : line.key == "version" ? 1 : line.key == "access" ? 3 : 2;
            };
            return rank(a) < rank(b);
        });
        for (std::size_t count = 1; count <= lines.size(); ++count) {
            const std::vector<LectureLine> some(lines.begin(), lines.begin() + std::ptrdiff_t(count));
            LectureStep changed = step;
            try {
                change(some, changed);
            } catch (const Error& error) {
                throw Error(at_line(text_.file, some.back().number) + error.what());
            }
            if (count == lines.size()) step = std::move(changed);
        }
    }

    void change(const std::vector<LectureLine>& lines, LectureStep& step) const {
        std::vector<std::string> words;
        words.reserve(lines.size());
        const Experiment* experiment = experiment_of(lines, step.experiment);
        for (const LectureLine& line : lines) {
            check_place(line, experiment);
            words.push_back(word_of(line));
        }
        const Options options = parse_step_options({*step.work.lab, step.experiment, step.controls}, words);
        const bool another_lab = options.lab != step.work.lab;
        const bool other = options.version || another_lab;
        step.work = apply(options, step.work);
        step.experiment = options.experiment;
        step.controls = options.controls;
        LookOptions& look = step.look;
        if (step.experiment) {  // behind which nothing runs or is compared
            look.against.reset();
            look.over = "off";
            look.advice = look.sweep = false;
        }
        const LookOptions& asked = options.look;
        if (other) look.against.reset();
        if (another_lab && (look.over != "size" || step.work.lab->sizes.swept.empty())) look.over = "off";
        if (!asked.theme.empty()) look.theme = asked.theme;
        if (!asked.tab.empty()) look.tab = asked.tab;
        if (!asked.compare.empty()) look.compare = asked.compare;
        if (asked.against) look.against = asked.against;
        if (asked.warp) look.warp = asked.warp;
        if (asked.slide) look.slide = asked.slide;
        if (asked.advice) look.advice = asked.advice;
        if (!asked.over.empty()) look.over = asked.over;
        if (asked.sweep) look.sweep = asked.sweep;
        if (asked.latency) look.latency = asked.latency;
        // Each takes the other's place.
        if (asked.sweep.value_or(false)) look.latency = false;
        if (asked.latency.value_or(false)) look.sweep = false;
        if (asked.zoom) look.zoom = asked.zoom;
        if (!asked.source.beside.empty()) look.source.beside = asked.source.beside;
        if (!asked.source.share.empty()) look.source.share = asked.source.share;
        look.line = asked.line;
        look.access = asked.access;
        look.page = asked.page;
        if (!options.image.empty()) step.picture = path_of(options.image);
        if (lines.back().key == "image") check_picture(options.image, *step.work.lab);
    }

    [[nodiscard]] std::string path_of(const std::string& image) const {
        return find_builtin_picture(image) ? image : (folder_ / image).string();
    }
    // Read once here, so that the lecture does not find it broken. Throws Error.
    void check_picture(const std::string& image, const Lab& lab) const {
        if (!lab.takes_picture()) throw Error(fmt::format("'{}' takes no picture", lab.id));
        if (!find_builtin_picture(image)) (void)read_picture(path_of(image));
    }

    const LectureText& text_;
    const std::filesystem::path& folder_;
    LectureStep before_;
    std::set<std::string> captures_;
};

std::string_view stem(std::string_view file) {
    return file.substr(0, file.find('.'));
}

const EmbeddedFile* find_builtin(const std::string& name, std::string_view language) {
    const std::array<std::string, 3> wanted{fmt::format("{}.lecture", name),
                                            fmt::format("{}.{}.lecture", name, language),
                                            fmt::format("{}.en.lecture", name)};
    for (const std::string& file : wanted) {
        for (const EmbeddedFile& one : embedded_lectures::files()) {
            if (one.name == file) return &one;
        }
    }
    return nullptr;
}

}  // namespace

Lecture read_lecture(std::string_view text, const std::string& file, const std::filesystem::path& folder,
                     const Work& start) {
    const LectureText lines = read_lecture_text(text, file);
    return Maker(lines, folder, start).make();
}

Lecture load_lecture(const std::string& file_or_name, std::string_view language, const Work& start) {
    constexpr std::size_t kMostBytes = 1 << 20;
    const std::filesystem::path path(file_or_name);
    std::error_code status;
    if (std::filesystem::is_regular_file(path, status))
        return read_lecture(read_file(path, kMostBytes), path.string(), path.parent_path(), start);
    if (const EmbeddedFile* found = find_builtin(file_or_name, language))
        return read_lecture(found->text, std::string(found->name), {}, start);
    std::set<std::string_view> names;
    for (const EmbeddedFile& one : embedded_lectures::files()) names.insert(stem(one.name));
    throw Error("there is no such lecture", file_or_name,
                fmt::format("name a file of steps, or one of {}", fmt::join(names, ", ")));
}

std::vector<std::string_view> builtin_lectures() {
    std::vector<std::string_view> names;
    for (const EmbeddedFile& one : embedded_lectures::files()) names.push_back(one.name);
    return names;
}

}  // namespace ws

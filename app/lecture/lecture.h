#pragma once
// A lecture: steps that lead a class through labs, versions and pages. Read whole and checked whole, before
// it begins; what its file may say is in docs/lectures.md.

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "app/cli/look_options.h"
#include "app/lecture/askable.h"
#include "gpu/core/experiment.h"
#include "gpu/core/work.h"

namespace ws {

// What fits its place in every window, in letters.
inline constexpr std::size_t kMostTitle = 34;
inline constexpr std::size_t kMostSentence = 150;
inline constexpr std::size_t kMostNote = 600;

struct LectureStep {
    int line = 0;  // of the file, where it begins
    std::string title, sentence;
    std::string note;  // for the lecturer
    Work work;         // what the class sees
    // In its place, with the values of its controls; null: none.
    const Experiment* experiment = nullptr;
    ControlValues controls;
    LookOptions look;               // and how; what no step has said so far is empty
    std::string picture;            // its path or built-in name; empty: the one of the start
    const Askable* asks = nullptr;  // what the class is to predict; null: nothing
    std::string capture;            // the name of its picture; empty: its number
};

struct Lecture {
    std::string title;
    std::string language;  // "en"
    std::vector<LectureStep> steps;
};

// Of the file, on top of `start`, whose device and GPU hold until a step names others. `folder`: where
// pictures lie. Throws Error with the file and line: a key, version, picture, number that there is none of.
[[nodiscard]] Lecture read_lecture(std::string_view text, const std::string& file,
                                   const std::filesystem::path& folder, const Work& start);

// A file, or a built-in lecture by its name ("coalescing", "coalescing.de"): of those in several languages
// the one in `language`, else in English. Throws Error.
[[nodiscard]] Lecture load_lecture(const std::string& file_or_name, std::string_view language,
                                   const Work& start);

// The files of the built-in ones: "coalescing.en.lecture".
[[nodiscard]] std::vector<std::string_view> builtin_lectures();

}  // namespace ws

#pragma once
// A lab that is no kernel on one GPU, but what the host does with GPUs: copies, queues, several of them. A
// function from controls and a session to plots, tables and timelines. gpu/labs has the experiments; nothing
// else knows what they try.

#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "gpu/core/device_session.h"
#include "gpu/core/outcome.h"
#include "gpu/core/version_figures.h"

namespace ws {

// One of several: its value is the place in the list.
struct ChoiceControl {
    struct Option {
        std::string_view name;   // "up": on the command line and in JSON
        std::string_view title;  // "to the GPU"
    };
    std::vector<Option> options;
};
// A whole number. Over a wide range a slider and a sweep go by powers of two.
struct NumberControl {
    std::int64_t low = 0, high = 0;
    bool by_powers = false;
};
// A number of bytes, written as 65536, 64K or 1G. A slider and a sweep go by powers of two.
struct BytesControl {
    std::int64_t low = 1, high = 1;
};
// Off (0) or on (1).
struct FlagControl {};

struct Control {
    std::string_view name;   // "size": on the command line and in JSON
    std::string_view title;  // "bytes of a copy"
    std::variant<ChoiceControl, NumberControl, BytesControl, FlagControl> takes;
    std::int64_t first = 0;  // the value to begin with
    bool axis = false;       // can be swept over
};
using ControlValues = std::vector<std::int64_t>;  // by the experiment's list

// A figure that somebody else published.
struct QuotedFigure {
    std::string_view what;  // "PCIe 3.0 x16"
    double value = 0;
    std::string_view unit;
    std::string_view source;
};

// What an experiment is run with.
struct Task {
    DeviceSession& session;
    ControlValues values;
    int axis = -1;           // the control to sweep over; -1: none
    std::stop_token stop{};  // then it ends soon, with what is there
    std::function<void(int done, int total)> progress = [](int, int) {};
    VersionFigures* versions = nullptr;  // null where nobody asks for them
};

struct Experiment {
    std::string_view id;
    std::string_view title;
    std::string_view question;  // that it answers
    std::vector<Control> controls;
    std::vector<std::string_view> kernels;  // its files
    std::vector<QuotedFigure> figures;
    int least_gpus = 1;  // that it takes; where there are fewer it is modelled
    // Throws Error where nothing at all can be found out; what only a part needs is named in its place.
    Outcome (*run)(const Task& task) = nullptr;
};

[[nodiscard]] ControlValues first_values(const Experiment& experiment);
// -1 if there is none of the name.
[[nodiscard]] int control_named(const Experiment& experiment, std::string_view name);
// The least and the highest value that it takes.
[[nodiscard]] std::int64_t low_of(const Control& control);
[[nodiscard]] std::int64_t high_of(const Control& control);
// Whether a slider and a sweep go by powers of two.
[[nodiscard]] bool goes_by_powers(const Control& control);
// The nearest value that it takes.
[[nodiscard]] std::int64_t fitted(const Control& control, std::int64_t value);
// The values of a sweep, ascending: all of a choice, powers of two where it goes by them, else at most 16.
[[nodiscard]] std::vector<std::int64_t> places_of(const Control& control);
// The next of them above a value (by 1) or below it (-1); the value itself where there is none.
[[nodiscard]] std::int64_t stepped(const Control& control, std::int64_t value, int by);
// As a person writes it: an option's name, a number, bytes, on or off. Throws UsageError with what there is.
[[nodiscard]] std::int64_t value_of(const Control& control, const std::string& text);
[[nodiscard]] std::string text_of(const Control& control, std::int64_t value);

// "64 KiB", "1 GiB", "1000 bytes".
[[nodiscard]] std::string bytes_text(std::int64_t bytes);
// "1000", "64K", "64KiB", "1GB" (1024 each). Nothing for what is no number of bytes.
[[nodiscard]] std::optional<std::int64_t> parse_bytes(std::string_view text);

}  // namespace ws

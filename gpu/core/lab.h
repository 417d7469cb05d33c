#pragma once
// A lab as data: the versions of a kernel, or of a few that follow each other, what they read and write, what
// can be shown of it, and how the result is defined. gpu/labs has the labs; nothing else knows what they
// compute.

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "gpu/core/block.h"
#include "gpu/core/image.h"
#include "gpu/core/kernel.h"
#include "gpu/core/l1_split.h"

namespace ws {

class ThreadPool;

// No kernel of a lab has more.
inline constexpr std::size_t kMostArguments = 64;
// No lab has more steps.
inline constexpr std::size_t kMostSteps = 24;
template <typename T>
using PerStep = std::array<T, kMostSteps>;

// `gray` is any byte.
enum class Element : std::uint8_t { rgba, gray, float32, int32, uint32, int64, float64 };
[[nodiscard]] constexpr int bytes_of(Element element) {
    if (element == Element::int64 || element == Element::float64) return 8;
    return element == Element::gray ? 1 : 4;
}
// The number that lies there; of `rgba` its bytes as one.
[[nodiscard]] double value_of(Element element, const std::uint8_t* at);

// What a buffer holds before the first step: a picture that a person chose, the numbers 0, 1, 2, ... from row
// to row, what the lab makes for it, bytes that come with the problem, or what a step writes.
enum class Content : std::uint8_t { picture, ramp, made, given, computed };

struct Buffer {
    std::string_view name;
    Element element = Element::gray;
    Content content = Content::computed;
    bool turned = false;       // has as many rows as the work has columns, and the other way round
    std::size_t elements = 0;  // of a buffer of its own size; 0: as many as the work has...
    std::size_t each = 1;      // ...or one for so many of them
    bool square = false;       // has as many columns as the work has rows, and its rows
    int square_of = 1;         // or one for each square of so many rows and columns
    double tolerance = 0;      // an element may be so far from its definition; 0: it is defined to the bit
    // Of floats that approximate a function of each float of the first buffer: by how many units in the last
    // place one may be off; infinite where nobody says. Null: `tolerance` says it for all.
    double (*allowed_ulps)(float argument, float defined) = nullptr;
};

// How a texture is read. Coordinates are normalised: 0 to 1 is the whole of it, as wrap and mirror need it.
struct Sampling {
    enum class Address : std::uint8_t { clamp, wrap, border, mirror };  // what lies outside
    Address address = Address::clamp;
    // The input knob whose value is the address mode, where there is one.
    std::string_view address_knob{};
    // Between four texels; bytes then come as floats, 0 to 1. Else the texel that a coordinate falls into.
    bool linear = false;
    friend bool operator==(const Sampling&, const Sampling&) = default;
};

// One argument of a kernel: a buffer that it reads, writes, or reads and writes (both), by its place in the
// lab's list, a texture object over a buffer with content, the work's size, or a value.
struct Argument {
    enum class Kind : std::uint8_t { input, output, both, texture, width, height, value };
    Kind kind = Kind::width;
    int buffer = -1;
    std::uint64_t bits = 0;  // of a value...
    int bytes = 0;           // ...of this size: 1, 4 or 8
    int part = 1;            // of a buffer: one of so many elements is needed
    Sampling sampling{};     // of a texture
    [[nodiscard]] bool writes() const { return kind == Kind::output || kind == Kind::both; }
    [[nodiscard]] bool only_reads() const { return kind == Kind::input || kind == Kind::texture; }
    friend bool operator==(const Argument&, const Argument&) = default;
};

// A place in the lab's computation for which versions have kernels.
struct Step {
    std::string_view name;   // "blur": on the command line, in JSON, in the window
    std::string_view entry;  // the function in the kernel's file
    double operations = 0;   // for each element, where operations per clock are what the lab is about
    bool uneven = false;     // its blocks have so different work that some do not stand for all: no estimate
};

// A step with its arguments, in the kernel's order.
struct Pass {
    int step = 0;
    std::vector<Argument> arguments;
};

// What can be shown, and the passes that compute it. A version takes the first way whose steps it has all; no
// way means that the buffer is there already.
struct View {
    std::string_view name;   // "edge": on the command line, in JSON
    std::string_view title;  // "edges after blur"
    int shows = 0;           // a buffer, where nothing has to run; else what the last pass writes
    bool first = false;      // shown at the start
    bool lines = false;      // thin bright lines, which a mean of pixels would fade
    std::vector<std::vector<Pass>> ways;
    // Of a view that is another one without one of its steps: "edge" without "blur". Else both are empty.
    std::string_view base{};
    std::string_view omits{};
    char key = 0;  // that shows it
    // Where this view is shown, other views for keys: the blur's own key takes the blur away again.
    std::vector<std::pair<char, std::string_view>> moves{};
};

enum class BankWidth { standard, eight_bytes };  // eight_bytes exists on compute capability 3.x alone

// Of a launch whose grid does not follow from the work's size.
struct OwnShape {
    Extent grid;  // in blocks
    int grid_depth = 1;
    int block_depth = 1;
    std::uint64_t dynamic_shared_bytes = 0;
    friend bool operator==(const OwnShape&, const OwnShape&) = default;
};

// What a version has for a step.
struct StepKernel {
    std::string_view kernel;  // the name of its file; empty: there is none
    Block block;
    CachePreference cache = CachePreference::none;
    BankWidth banks = BankWidth::standard;
    std::optional<OwnShape> shape{};
};

struct Version {
    int number = 0;
    std::string_view title;         // "block 32 x 2"
    std::string_view changed;       // what is different from the previous version
    std::string_view why;           // why that should be faster
    std::vector<StepKernel> steps;  // as many as the lab has steps
    KnobValues knobs;               // values other than the kernels' defaults
};

// What a published figure is about. Those of `counted` are exact: what is counted here has to be the same.
enum class PublishedQuantity : std::uint8_t {
    bandwidth,             // GB/s
    time,                  // ms
    load_bytes,            // counted: transferred by a load request
    load_efficiency,       // counted: per cent of what loads transfer is requested
    load_wavefronts,       // counted: of a load request to shared memory
    worst_bank_conflict,   // counted: n of the worst n-way conflict
    constant_addresses,    // counted: different ones of a request to constant memory
    operations_per_clock,  // and multiprocessor
    largest_ulps,          // an error of a function
    largest_error,         // the same, absolute, in units of 2^-22
};
[[nodiscard]] std::string_view name_of(PublishedQuantity quantity);
[[nodiscard]] std::string_view unit_of(PublishedQuantity quantity);
[[nodiscard]] bool is_counted(PublishedQuantity quantity);

// A figure that somebody else published, to stand beside ours.
struct PublishedFigure {
    int version = 0;
    std::string_view gpu;
    std::string_view source;
    Extent size;
    PublishedQuantity quantity = PublishedQuantity::time;
    double value = 0;
    KnobValues knobs{};  // other than the version's own values
};

struct Problem;

// The lab on the CPU, with SIMD and threads. `step` computes a step's output from its input, which is null
// where the step reads nothing; `whole` what a buffer holds by definition. `out` has room for the buffer.
// A lab has no `step` where every result is of one step, and that needs more than its input's bytes: the
// whole is its step.
struct NativeLab {
    void (*step)(ThreadPool& pool, int step, Extent size, const std::uint8_t* in, std::uint8_t* out);
    void (*whole)(ThreadPool& pool, const Problem& problem, int buffer, std::uint8_t* out);
    // Floating-point operations that the definition asks for, a multiply-add being two; null where their rate
    // is no figure of the lab.
    double (*float_operations)(Extent size) = nullptr;
};

// Sizes of what is generated; of a picture, it decides.
struct LabSizes {
    std::vector<Extent> swept;  // ascending
    Extent first;               // at the start
};

// Inputs whose content is `made`.
struct MadeInput {
    // That decide what it holds, with their values unless others are chosen; kernels declare them too, for
    // their sliders. Of a lab that takes a picture: that decide what is made of it.
    KnobValues knobs{};
    // `out` has room for the first buffer.
    void (*make)(Extent size, const KnobValues& knobs, std::uint8_t* out) = nullptr;
    // Of a lab with further ones: `out` has room for this buffer.
    void (*make_further)(int buffer, Extent size, const KnobValues& knobs, std::uint8_t* out) = nullptr;
};

// Of a lab whose kernels read, for an element, what may lie anywhere.
inline constexpr int kReadsAnywhere = std::numeric_limits<int>::max();

struct Lab {
    std::string_view id;
    std::string_view title;
    std::string_view question;    // that it answers
    std::vector<Buffer> buffers;  // the first is the input
    std::vector<Step> steps;
    std::vector<int> by_weight;  // steps: the one that a version is about comes first
    std::vector<View> views;
    std::vector<Version> versions;
    std::vector<Block> presets;  // block sizes worth a button
    LabSizes sizes;              // empty where the picture decides
    bool bandwidth = false;      // bytes over time is the figure that it is about
    int reach = 0;               // elements that a kernel reads beyond those that its block writes
    std::vector<PublishedFigure> figures;
    NativeLab native{};
    MadeInput made_input{};

    // Operations per clock and multiprocessor are the figure that it is about.
    [[nodiscard]] bool counts_operations() const { return !steps.empty() && steps.front().operations > 0; }
    [[nodiscard]] bool takes_picture() const {
        return !buffers.empty() && buffers.front().content == Content::picture;
    }
};

// What a lab's kernels work on: the content of its first buffer, and of those whose content is given or made.
struct Problem {
    const Lab* lab = nullptr;
    Extent size;
    std::shared_ptr<const PixelBytes> input;                 // of the first buffer, where it has content
    std::vector<std::shared_ptr<const PixelBytes>> given{};  // by the lab's list; empty: of no buffer
    std::uint64_t content = 0;                               // stands for what the input holds
    KnobValues knobs{};                                      // the lab's input knobs, with their values
    // Null where a step has to write it first.
    [[nodiscard]] const PixelBytes* content_of(int buffer) const {
        if (buffer == 0) return input.get();
        return std::size_t(buffer) < given.size() ? given[std::size_t(buffer)].get() : nullptr;
    }
    [[nodiscard]] explicit operator bool() const { return input != nullptr; }
};
// Of a lab that takes a picture; of the knobs those count that decide what is made of it.
[[nodiscard]] Problem picture_problem(const Lab& lab, const Picture& picture, const KnobValues& knobs = {});
// Of another lab; of the knobs those count that decide on the input. Throws Error where memory is short.
[[nodiscard]] Problem generated_problem(const Lab& lab, Extent size, const KnobValues& knobs = {});
// What was published of the quantity for a version on a GPU, whatever the size; null if there is nothing.
[[nodiscard]] const PublishedFigure* published(const Lab& lab, int version, std::string_view gpu,
                                               PublishedQuantity quantity);
// The lab's input knobs with the values that these give them.
[[nodiscard]] KnobValues input_knobs(const Lab& lab, const KnobValues& knobs);

[[nodiscard]] Extent extent_of(const Buffer& buffer, Extent size);
// Whether an element is what it is defined as: to the bit, or as near as the buffer's tolerance allows, of a
// function of `argument`, which lies in the first buffer; null: to the bit.
[[nodiscard]] bool is_as_defined(const Buffer& buffer, const std::uint8_t* made, const std::uint8_t* defined,
                                 const std::uint8_t* argument = nullptr);
[[nodiscard]] std::size_t bytes_of(const Buffer& buffer, Extent size);
// Of a texel of the buffer as a texture. Throws Error where textures have no such elements.
[[nodiscard]] int texture_channels(const Buffer& buffer);

// Its results approximate functions, and how far they are from them is a figure of it.
[[nodiscard]] bool approximates(const Lab& lab);

// The view that is shown at the start.
[[nodiscard]] int first_view(const Lab& lab);
// The way of this version to the view; null if a step is missing, empty if nothing has to run.
[[nodiscard]] const std::vector<Pass>* way_of(const View& view, const Version& version);
// The buffer that the view shows of this version.
[[nodiscard]] int shown_buffer(const View& view, const Version& version);
// Whether a view can be had by this step alone as well as by others.
[[nodiscard]] bool is_shortcut(const Lab& lab, int step);
// The buffer that is read, as a texture or not; that is written, or read and written. -1 if there is none.
[[nodiscard]] int input_of(const std::vector<Argument>& arguments);
[[nodiscard]] int output_of(const std::vector<Argument>& arguments);
// The bytes that it must read and write at least.
[[nodiscard]] double least_bytes(const Lab& lab, const std::vector<Argument>& arguments, Extent size);

// Throws UsageError with the range that exists.
[[nodiscard]] const Version& version_of(const Lab& lab, int number);
// The version before in the table; null for the first.
[[nodiscard]] const Version* version_before(const Lab& lab, int number);
// -1 if there is none of the name.
[[nodiscard]] int step_named(const Lab& lab, std::string_view name);
[[nodiscard]] int view_named(const Lab& lab, std::string_view name);
// The view of the same buffer with or without an omitted step; `view` itself where there is none.
[[nodiscard]] int view_with(const Lab& lab, int view, bool everything);
// The step that stands for a version: the heaviest that it has.
[[nodiscard]] int main_step(const Lab& lab, const Version& version);

}  // namespace ws

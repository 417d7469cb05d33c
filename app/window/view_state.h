#pragma once
// What is looked at, and the edits of it. Changing it computes nothing.

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "app/canvas/palette.h"
#include "app/lecture/player.h"
#include "gpu/core/experiment.h"
#include "gpu/core/figures.h"
#include "gpu/core/image.h"
#include "gpu/core/sweep_result.h"
#include "gpu/core/warp_place.h"
#include "gpu/debug/panel.h"
#include "render/viewer.h"

namespace ws {

inline constexpr float kLeastFontScale = 0.6f;
inline constexpr float kMostFontScale = 1.6f;
inline constexpr int kMostAmplification = 64;
inline constexpr std::size_t kMostPins = 8;
inline constexpr std::size_t kMostRecent = 8;
inline constexpr std::size_t kMostCommand = 200;  // bytes that a command of the debugger has

enum class Tab : std::uint8_t { story, source, warp, occupancy, memory, gpu, debugger };
inline constexpr int kTabs = 7;
// How A (the original, or the baseline's result) and B (what is shown now) lie.
enum class Compare : std::uint8_t { single, wipe, beside, difference };

// What the top bar opens below itself, and the choice of A.
enum class List : std::uint8_t { none, versions, gpus, block, baselines, sizes, a };
struct OpenedList {
    List list = List::none;
    int row = -1;       // where the keys are; -1: at what is chosen
    int turn = 0;       // of the row's slider, asked for in this frame
    bool take = false;  // the row, asked for in this frame
};

// Over what the places of wrong elements in a block's tile are drawn.
enum class PlaceAxis : std::uint8_t { column, row, both };

// What a person wants A to be: as ever (the original; in a difference what is defined), a view of the lab as
// it is defined, or what the baseline's kernels or those of a version make of the same input.
struct ChosenA {
    enum class Kind : std::uint8_t { usual, view, baseline, version };
    Kind kind = Kind::usual;
    std::string view;  // its name
    int version = 0;
    friend bool operator==(const ChosenA&, const ChosenA&) = default;
};

// The longest name that a person gives, in bytes.
inline constexpr std::size_t kMostPinName = 48;

// A baseline that a person keeps, with the name of its input.
struct Pin {
    std::string name;
    PinnedWork pinned;
    std::string input;
    std::string given{};  // the name that a person gave it; empty: none
    friend bool operator==(const Pin&, const Pin&) = default;
};

// How A and B are compared.
struct PictureComparison {
    Compare how = Compare::wipe;
    ChosenA a;
    float wipe = 0.58f;     // where A ends, of the picture's width
    int amplification = 1;  // of a difference, 1 to kMostAmplification
    PlaceAxis places = PlaceAxis::column;
    friend bool operator==(const PictureComparison&, const PictureComparison&) = default;
};

// What lines of the source have a share in: warp instructions, or the time of the warps where a clock ran.
enum class LineShare : std::uint8_t { instructions, time };
inline constexpr int kLineShares = 2;
[[nodiscard]] constexpr LineShare other_share(LineShare share) {
    return share == LineShare::time ? LineShare::instructions : LineShare::time;
}

// The part that the next start finds again.
struct Preferences {
    // Whose occupancy, counts and source are shown where several run; empty: the heaviest.
    std::string step;
    float font_scale = 1;  // kLeastFontScale to kMostFontScale
    Theme theme = Theme::light;
    std::string language;  // of the window's texts: "de"; empty: the locale's
    Tab tab = Tab::story;
    PictureComparison comparison;
    bool ink = true;            // edges on a slide are dark on white
    bool removed_lines = true;  // of the baseline's source, beside those that replaced them
    bool changes_only = true;   // lines of the source that did not change are folded
    LineShare line_share = LineShare::instructions;
    std::vector<Pin> pins;            // the latest first
    int baseline = -1;                // of the pins; -1: the version before
    std::vector<std::string> recent;  // paths of pictures that were open, the latest first
    Camera camera;
    // Whose addresses are drawn, as it was asked for: a smaller grid takes the nearest. None: the warp that
    // counting has kept.
    std::optional<WarpPlace> warp;
    friend bool operator==(const Preferences&, const Preferences&) = default;
    [[nodiscard]] const Pin* pin() const {
        return baseline >= 0 && baseline < int(pins.size()) ? &pins[std::size_t(baseline)] : nullptr;
    }
};

// What a card of the page of a warp shows while it is held: the elements in its middle.
struct HeldPlace {
    bool is_now = true;  // else the baseline's
    Element2d low, high;
    friend bool operator==(const HeldPlace&, const HeldPlace&) = default;
};

// What stands at the right of the code: a warp and the counts of the chosen line, its PTX, or the kernel's
// machine code at it.
enum class SidePanel : std::uint8_t { counts, ptx, machine };
inline constexpr int kSidePanels = 3;

// Where the source is looked at.
struct SourcePlace {
    int line = 0;                 // whose accesses are drawn; 0: the one with the most traffic
    int access = 0;               // of the line's: a line that is unrolled has several
    std::optional<float> scroll;  // rows above the first that is shown; none: where the kernel changes
    bool reveal = false;          // the chosen line is to be in view: a key has led to it
    std::vector<int> open;        // lines whose folds are open
    SidePanel beside = SidePanel::counts;
    float beside_scroll = 0;  // rows from where the chosen line's begin
};

// A change that the advisor proposed and a person tried: what was expected, and what came of it.
struct Try {
    Work from, to;
    InputKey input;
    double expected = 1;     // times as fast
    bool estimated = false;  // its counts were known before
    std::optional<double> got;
    Kind kind = Kind::estimated;  // of what came of it
};
inline constexpr std::size_t kMostTries = 32;

// In the place of the lab's pages.
struct ShownExperiment {
    const Experiment* shown = nullptr;  // null: none
    int control = 0;                    // of it, that the keys change
};

// What the page of occupancy shows: the block of now, every block shape, or the warps of one scheduler.
enum class OccupancyPart : std::uint8_t { now, sweep, latency };

// The warps of one scheduler, clock by clock, with few blocks resident and with many.
struct LatencyPage {
    int few = 1;            // resident blocks...
    int many = 0;           // ...0: as many as fit
    bool baseline = false;  // above, instead of few: the baseline's kernel
    // What is seen of the clocks; without any: as many as fit well, from where
    // every place has a warp.
    double from = 0, clocks = 0;
    std::optional<double> at;  // where the line stands; none: nowhere
    bool playing = false;      // it runs
};

struct OccupancyPage {
    OccupancyPart part = OccupancyPart::now;
    int axis = 0;  // of the curve: threads, registers, shared memory
    LatencyPage latency;
};

// What a person has turned to on the page of the debugger, when a command had asked for another so often:
// an expression in all lanes, by its number; what the card beside the warps shows.
struct WatchChoice {
    int number = 0;
    int asks = -1;
};
struct PanelChoice {
    debug::Panel panel = debug::Panel::variables;
    int asks = -1;
};

// The page of the debugger; what it debugs goes on elsewhere.
struct DebuggerLook {
    bool file = true;             // a person's own, where the command line has named one
    std::optional<float> scroll;  // rows above the first that is shown; none: the focus's line is in view
    std::string typed;            // the command that is being typed
    bool typing = false;          // the keys are to go there
    WatchChoice watch;
    PanelChoice panel;
    float values_scroll = 0;  // rows of the panel's list above the first that is drawn
};

struct Slide {
    bool on = false;
    bool blank = false;   // black: the class looks at the lecturer
    bool frozen = false;  // it stays as it is, whatever goes on behind it
};

struct StoryPage {
    bool curves = false;            // in the place of the story: all versions over an axis
    std::optional<SweepOver> over;  // the axis that was chosen; none: the first that there is
    bool advice = false;            // in the place of the bars
    std::vector<Try> tries;         // the latest first
};

struct ViewState {
    Preferences preferences;
    ShownExperiment experiment;
    SourcePlace source;
    std::optional<HeldPlace> held_place;
    OccupancyPage occupancy;
    DebuggerLook debugger;
    bool only_a = false;  // A alone, as long as Space is held
    bool key_sheet = false;
    bool asks_to_quit = false;
    OpenedList list;
    Slide slide;
    StoryPage story;
    int page = 0;                    // of the slot that a narrow window has for several
    std::optional<Playing> playing;  // the lecture that is held
    bool notes = false;              // and the lecturer's view of it, in a window of its own
    // The path of the picture that is open, or being opened; empty: the built-in one.
    std::string picture;
};

// The warps of one scheduler are looked at.
[[nodiscard]] bool shows_latency(const ViewState& view);
// And a line runs through their clocks.
[[nodiscard]] bool plays_clock(const ViewState& view);

struct ShowExperiment {
    const Experiment* experiment = nullptr;  // null: the lab
};
// Which of its controls the keys change.
struct ChooseControl {
    int control = 0;
};
// Opens it; again: closes it.
struct OpenList {
    List list = List::none;
};
struct CloseList {
    List list = List::none;  // if it is this one
};
// Where the keys are in the open list, and what they do there.
struct MoveInList {
    int row = -1;
    int turn = 0;
    bool take = false;
};
struct InspectStep {
    std::string step;  // its name
};
struct InspectLine {
    int line = 0;
    int access = 0;  // of the line
};
// A line that a key leads to: it comes into view, and the fold that it is in opens.
struct RevealLine {
    int line = 0;
};
struct OpenFold {
    int line = 0;
};
struct ScrollSource {
    float rows = 0;
};
struct ScrollBeside {
    float rows = 0;
};
struct ShowBeside {
    SidePanel what = SidePanel::counts;
};
struct ShowRemovedLines {
    bool on = true;
};
struct ShowChangesOnly {
    bool on = true;
};
struct ChooseLineShare {
    LineShare of = LineShare::instructions;
};
// Another kernel is looked at: no line of it is chosen, and it stands as it does at first.
struct LeaveSource {};
struct InspectAccess {
    int access = 0;
};
struct ChooseWarp {
    std::optional<WarpPlace> at;
};
struct HoldPlace {
    std::optional<HeldPlace> place;
};
// Over what occupancy is drawn.
struct ChooseAxis {
    int axis = 0;  // as OccupancyCurve's are listed
};
struct ShowOccupancy {
    OccupancyPart part = OccupancyPart::now;
};
// Blocks that are resident beside each other; many = 0: as many as fit.
struct ChooseResident {
    int few = 1, many = 0;
};
// What stands above: few blocks, or the baseline's kernel.
struct ClockBaseline {
    bool on = true;
};
struct LookAtClocks {
    double from = 0, clocks = 0;
};
struct MoveClock {
    std::optional<double> at;
};
struct PlayClock {
    bool on = true;
};
// The debugger works on the file of the command line, or on the version's kernel.
struct DebugFile {
    bool on = true;
};
struct ScrollDebugger {
    std::optional<float> rows;  // none: to the focus's line
};
struct TypeCommand {
    std::string text;
};
// The keys go to the command that is typed.
struct EnterCommand {
    bool on = true;
};
struct ChooseWatched {
    WatchChoice choice;
};
struct ChooseDebugPanel {
    PanelChoice choice;
};
struct ScrollValues {
    float rows = 0;
};
struct ScaleText {
    float scale = 1;
};
struct ChooseTheme {
    Theme theme = Theme::light;
};
struct ChooseLanguage {
    std::string language;  // empty: the locale's; one that there is no file for: English
};
struct ChooseTab {
    Tab tab = Tab::story;
};
struct ChooseCompare {
    Compare compare = Compare::single;
};
struct ChooseA {
    ChosenA a;
};
struct MoveWipe {
    float at = 0.5f;
};
struct Amplify {
    int factor = 1;
};
struct ChoosePlaces {
    PlaceAxis axis = PlaceAxis::column;
};
// Keeps it, first of all, and makes it the baseline. One that is kept already is not kept twice.
struct KeepPin {
    Pin pin;
};
struct ChooseBaseline {
    int pin = -1;  // -1: the version before
};
// A picture that was opened.
struct KeepRecent {
    std::string path;
};
struct DropPin {
    int pin = 0;
};
// An empty name takes it back.
struct NamePin {
    int pin = 0;
    std::string name;
};
struct ShowOnlyA {
    bool on = true;
};
struct ShowSlide {
    bool on = true;
};
struct BlankSlide {
    bool on = true;
};
struct FreezeSlide {
    bool on = true;
};
struct UseInk {
    bool on = true;
};
struct TurnPage {
    int page = 0;
};
// In the story; of its pages the first.
struct ShowAdvice {
    bool on = true;
};
// In the place of the story.
struct ShowCurves {
    bool on = true;
};
// Over what they go.
struct ChooseOver {
    std::optional<SweepOver> over;  // none: the first that there is
};
struct KeepTry {
    Try tried;
};
struct NoteOutcome {
    std::size_t of = 0;  // the tries
    double got = 1;
    Kind kind = Kind::estimated;
};
struct MoveCamera {
    Camera camera;  // {}: the whole picture
};
// One picture pixel on one screen pixel.
struct OneToOne {};
struct ShowKeySheet {
    bool on = true;
};

// Of a step of a lecture that asks: a letter of the guess, the last one away, a place of the axis (0 to 1),
// along it, and: this is the guess.
struct TypeGuess {
    char letter = '0';
};
struct EraseGuess {};
struct PointGuess {
    double place = 0;
};
struct NudgeGuess {
    double by = 0;
};
struct FixGuess {};
struct ShowNotes {
    bool on = true;
};

using ViewEdit =
    std::variant<DebugFile, ScrollDebugger, ScrollValues, TypeCommand, EnterCommand, ChooseWatched,
                 ChooseDebugPanel, ShowNotes, TypeGuess, EraseGuess, PointGuess, NudgeGuess, FixGuess,
                 ShowExperiment, ChooseControl, ShowAdvice, ShowCurves, ChooseOver, KeepTry, NoteOutcome,
                 OpenList, CloseList, MoveInList, RevealLine, OpenFold, ScrollSource, ScrollBeside,
                 ShowBeside, ShowRemovedLines, ShowChangesOnly, ChooseLineShare, LeaveSource, InspectStep,
                 ShowOccupancy, ChooseResident, ClockBaseline, LookAtClocks, MoveClock, PlayClock,
                 InspectLine, InspectAccess, ChooseWarp, HoldPlace, ChooseAxis, ScaleText, ChooseTheme,
                 ChooseLanguage, ChooseTab, ChooseCompare, ChooseA, MoveWipe, Amplify, ChoosePlaces, KeepPin,
                 ChooseBaseline, DropPin, NamePin, KeepRecent, ShowOnlyA, ShowSlide, BlankSlide, FreezeSlide,
                 UseInk, TurnPage, MoveCamera, OneToOne, ShowKeySheet>;

// `view` after the edit, its values within their ranges; `picture` is the size of the one that is shown.
[[nodiscard]] ViewState edited(ViewState view, const ViewEdit& edit, Extent picture);

}  // namespace ws

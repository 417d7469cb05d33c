#include "app/window/keys.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "app/texts/texts.h"
#include "app/views/side_a.h"
#include "app/window/key_press.h"
#include "app/window/lecture_keys.h"
#include "app/window/page_keys.h"

namespace ws {
namespace {

using Key = KeyPress::Key;

// In the open list, before what the keys mean elsewhere.
bool move_in_list(const KeyPress& key, const Work&, const ViewState& view, Edits& edits) {
    const OpenedList& list = view.list;
    if (list.list == List::none || key.control) return false;
    constexpr int kPage = 8;
    constexpr int kLast = 1000000;  // the list itself knows how many rows it has
    const auto to = [&](int row) { edits.add(MoveInList{std::max(0, row)}); };
    switch (key.key) {
        case Key::up:
            to(list.row - 1);
            return true;
        case Key::down:
            to(list.row + 1);
            return true;
        case Key::page_up:
            to(list.row - kPage);
            return true;
        case Key::page_down:
            to(list.row + kPage);
            return true;
        case Key::home:
            to(0);
            return true;
        case Key::end:
            to(kLast);
            return true;
        case Key::left:
            edits.add(MoveInList{list.row, -1});
            return true;
        case Key::right:
            edits.add(MoveInList{list.row, 1});
            return true;
        case Key::enter:
            edits.add(MoveInList{list.row, 0, true});
            return true;
        default:
            return false;
    }
}

bool open_list(const KeyPress& key, const Work& work, const ViewState& view, Edits& edits) {
    struct Opens {
        char letter;
        List list;
    };
    constexpr std::array kOpens{Opens{'l', List::versions}, Opens{'g', List::gpus}, Opens{'b', List::block},
                                Opens{'p', List::baselines}};
    const bool size = is(key, 'o') && !work.lab->takes_picture();
    if (size) edits.add(OpenList{List::sizes});
    if (size || view.slide.on || key.key != Key::character || !key.control) return size;
    if (key.character == 'a' && view.preferences.tab == Tab::story) {
        edits.add(OpenList{List::a});
        return true;
    }
    for (const Opens& one : kOpens) {
        if (key.character != static_cast<unsigned char>(one.letter)) continue;
        edits.add(OpenList{one.list});
        return true;
    }
    return false;
}

bool step_block(const KeyPress& key, const Work&, const ViewState&, Edits& edits) {
    if (!key.control) return false;
    const bool along_x = key.key == Key::left || key.key == Key::right;
    if (!along_x && key.key != Key::up && key.key != Key::down) return false;
    edits.add(StepBlock{along_x, key.key == Key::right || key.key == Key::up ? 1 : -1});
    return true;
}

bool move_picture(const KeyPress& key, const Work&, const ViewState& view, Edits& edits) {
    constexpr float kPan = 0.1f;
    constexpr float kZoom = 1.25f;
    if (key.shift && !key.control) {
        const float x = key.key == Key::left ? -kPan : key.key == Key::right ? kPan : 0;
        const float y = key.key == Key::up ? -kPan : key.key == Key::down ? kPan : 0;
        if (x != 0 || y != 0) edits.add(PanPicture{x, y});
        if (x != 0 || y != 0) return true;
    }
    if (!is(key, '+') && !is(key, '_')) return false;
    if (view.preferences.tab == Tab::story || view.slide.on)
        edits.add(ZoomPicture{is(key, '+') ? kZoom : 1 / kZoom});
    return true;
}

bool turn_page(const KeyPress& key, const Work&, const ViewState& view, Edits& edits) {
    if (!key.control || (key.key != Key::page_up && key.key != Key::page_down)) return false;
    constexpr int kPages = 4;  // no slot has more; views take them modulo their own
    edits.add(TurnPage{(view.page + (key.key == Key::page_down ? 1 : kPages - 1)) % kPages});
    return true;
}

bool choose_version(const KeyPress& key, const Work& work, const ViewState&, Edits& edits) {
    if (key.key != Key::character || key.control || key.character > 127 || key.character == 0) return false;
    constexpr std::string_view kDigits = "0123456789-=";
    const std::size_t number = kDigits.find(static_cast<char>(key.character));
    if (number == std::string_view::npos) return false;
    for (const Version& version : work.lab->versions) {
        if (version.number == int(number)) edits.add(ChooseVersion{version.number});
    }
    return true;
}

bool step_version(const KeyPress& key, const Work& work, const ViewState&, Edits& edits) {
    const std::vector<Version>& rows = work.lab->versions;
    if (key.key == Key::home) edits.add(ChooseVersion{rows.front().number});
    if (key.key == Key::end) edits.add(ChooseVersion{rows.back().number});
    if (key.key == Key::home || key.key == Key::end) return true;
    const bool back = key.key == Key::left || key.key == Key::up || key.key == Key::page_up;
    if (!back && key.key != Key::right && key.key != Key::down && key.key != Key::page_down) return false;
    const auto now = std::find_if(rows.begin(), rows.end(),
                                  [&](const Version& row) { return row.number == work.version; });
    if (back && now != rows.begin()) edits.add(ChooseVersion{std::prev(now)->number});
    if (!back && std::next(now) != rows.end()) edits.add(ChooseVersion{std::next(now)->number});
    return true;
}

bool choose_tab(const KeyPress& key, const Work&, const ViewState& view, Edits& edits) {
    const int now = int(view.preferences.tab);
    if (key.key == Key::tab) {
        edits.add(ChooseTab{Tab((now + (key.shift ? kTabs - 1 : 1)) % kTabs)});
        return true;
    }
    if (key.key != Key::character || !key.control || key.character < '1' || key.character >= '1' + kTabs)
        return false;
    edits.add(ChooseTab{Tab(key.character - '1')});
    return true;
}

// Each view has its key, and may send keys to other views.
bool choose_view(const KeyPress& key, const Work& work, const ViewState&, Edits& edits) {
    const Lab& lab = *work.lab;
    for (const auto& [character, name] : lab.views[std::size_t(work.view)].moves) {
        if (!is(key, character)) continue;
        edits.add(ChooseView{view_named(lab, name)});
        return true;
    }
    for (std::size_t i = 0; i < lab.views.size(); ++i) {
        if (lab.views[i].key == 0 || !is(key, lab.views[i].key)) continue;
        edits.add(ChooseView{int(i)});
        return true;
    }
    return false;
}

bool save(const KeyPress& key, const Work&, const ViewState&, Edits& edits) {
    return always(is(key, 's') || key.key == Key::f12, SavePictures{}, edits) ||
           always(is(key, 'S'), SavePictures{true}, edits);
}
bool open(const KeyPress& key, const Work&, const ViewState&, Edits& edits) {
    return always(is(key, 'o'), ShowOpenDialog{}, edits);
}
bool frame_picture(const KeyPress& key, const Work&, const ViewState& view, Edits& edits) {
    const bool filled = view.preferences.camera.framing == Framing::fill;
    return always(is(key, 'f'), MoveCamera{{filled ? Framing::whole : Framing::fill}}, edits) ||
           always(is(key, 'z'), OneToOne{}, edits);
}
bool hold_a(const KeyPress& key, const Work&, const ViewState& view, Edits& edits) {
    if (is(key, ' ') && key.repeated) return true;
    return always(is(key, ' '), ShowOnlyA{!view.only_a}, edits);
}
bool choose_a(const KeyPress& key, const Work& work, const ViewState& view, Edits& edits) {
    return is(key, 'A') && always(true, ChooseA{next_a(view.preferences.comparison.a, *work.lab)}, edits);
}
bool wipe(const KeyPress& key, const Work&, const ViewState& view, Edits& edits) {
    const Compare now = view.preferences.comparison.how;
    const Compare next = now == Compare::wipe     ? Compare::beside
                         : now == Compare::beside ? Compare::single
                                                  : Compare::wipe;
    return always(is(key, 'w'), ChooseCompare{next}, edits);
}
bool difference(const KeyPress& key, const Work&, const ViewState& view, Edits& edits) {
    const bool on = view.preferences.comparison.how == Compare::difference;
    return always(is(key, 'd'), ChooseCompare{on ? Compare::wipe : Compare::difference}, edits);
}
bool pin(const KeyPress& key, const Work&, const ViewState&, Edits& edits) {
    return always(is(key, 'p'), PinNow{}, edits);
}
bool theme(const KeyPress& key, const Work&, const ViewState& view, Edits& edits) {
    const Theme other = view.preferences.theme == Theme::light ? Theme::dark : Theme::light;
    return always(is(key, 't'), ChooseTheme{other}, edits);
}
bool slide_or_full_screen(const KeyPress& key, const Work&, const ViewState& view, Edits& edits) {
    return always(key.key == Key::f5, ShowSlide{!view.slide.on}, edits) ||
           always(key.key == Key::f11, ToggleFullScreen{}, edits);
}
bool language(const KeyPress& key, const Work&, const ViewState& view, Edits& edits) {
    if (!is(key, 'L')) return false;
    const std::vector<std::string>& all = languages();
    const auto now = std::find(all.begin(), all.end(), language_named(view.preferences.language));
    edits.add(ChooseLanguage{std::next(now) == all.end() ? all.front() : *std::next(now)});
    return true;
}
bool step_gpu(const KeyPress& key, const Work&, const ViewState&, Edits& edits) {
    return always(is(key, 'u'), StepGpu{1}, edits) || always(is(key, 'U'), StepGpu{-1}, edits);
}
bool step_focus(const KeyPress& key, const Work&, const ViewState&, Edits& edits) {
    return always(is(key, 'k'), StepFocus{1}, edits) || always(is(key, 'K'), StepFocus{-1}, edits);
}
bool key_sheet(const KeyPress& key, const Work&, const ViewState& view, Edits& edits) {
    return always(is(key, '?') || key.key == Key::f1, ShowKeySheet{!view.key_sheet}, edits);
}
bool quit(const KeyPress& key, const Work&, const ViewState&, Edits& edits) {
    const bool at_once = key.key == Key::character && key.control && key.character == 'q';
    return always(at_once, Quit{}, edits) || always(is(key, 'q'), AskToQuit{}, edits);
}
bool escape(const KeyPress& key, const Work&, const ViewState&, Edits& edits) {
    return always(key.key == Key::escape, StepBack{}, edits);
}

bool font_size(const KeyPress& key, const Work&, const ViewState& view, Edits& edits) {
    constexpr float kStep = 0.1f;
    const float scale = view.preferences.font_scale;
    return always(key.key == Key::plus, ScaleText{scale + kStep}, edits) ||
           always(key.key == Key::minus, ScaleText{scale - kStep}, edits) ||
           always(key.key == Key::zero, ScaleText{}, edits);
}

// What turns a page takes the sheet of keys away first: a lecturer's remote has no other key for it.
bool leave_key_sheet(const KeyPress& key, const ViewState& view, Edits& edits) {
    constexpr std::array kTurning{Key::up,        Key::down, Key::left, Key::right, Key::page_up,
                                  Key::page_down, Key::home, Key::end,  Key::enter};
    const bool turns = std::find(kTurning.begin(), kTurning.end(), key.key) != kTurning.end();
    return always(view.key_sheet && turns, ShowKeySheet{false}, edits);
}

constexpr std::array kBindings{
    KeyBinding{"Arrows, Enter", "key.in_list", move_in_list},
    KeyBinding{"Ctrl L, Ctrl G, Ctrl B, Ctrl P, Ctrl A", "key.lists", open_list},
    KeyBinding{"Arrows, Page Up, Page Down, Enter", "key.experiment", in_experiment},
    KeyBinding{"Ctrl Left, Right, Up, Down", "key.block", step_block},
    KeyBinding{"Ctrl Page Up, Page Down", "key.pages", turn_page},
    KeyBinding{"Page Up, Page Down, digits, Enter, Backspace, ., P", "key.lecture", in_lecture},
    KeyBinding{"Up, Down, Shift arrows, Shift Home, Shift End, Backspace", "key.warp", move_to_warp},
    KeyBinding{"P, ., ,, <, >, [ ], +, _, Shift arrows, Backspace", "key.clocks", over_clocks},
    KeyBinding{"+, _, Shift arrows", "key.picture", move_picture},
    KeyBinding{"b, ., i", "key.on_slide", on_slide},
    KeyBinding{"Up, Down, n, N, h, E, x, c, T, l, Enter", "key.source", move_in_source},
    KeyBinding{"r, c, s, n, i, C, S, N, I, P, b, f, [ ], { }, < >, w, m, M, F, Enter", "key.debugger",
               in_debugger},
    KeyBinding{"a, Enter", "key.advise", advise},
    KeyBinding{"v, x, X, R", "key.curves", over_axis},
    KeyBinding{"0 to 9, - and =", "key.versions", choose_version},
    KeyBinding{"Left, Right (Page Up, Page Down), Home, End", "key.step", step_version},
    KeyBinding{"b, e, g, r", "key.views", choose_view},
    KeyBinding{"k, K", "key.focus", step_focus},
    KeyBinding{"u, U", "key.gpu", step_gpu},
    KeyBinding{"x", "key.axis", next_axis},
    KeyBinding{"Tab, Shift Tab, Ctrl 1 to 7", "key.tabs", choose_tab},
    KeyBinding{"p", "key.pin", pin},
    KeyBinding{"Space", "key.hold", hold_a},
    KeyBinding{"A", "key.a", choose_a},
    KeyBinding{"w", "key.wipe", wipe},
    KeyBinding{"d", "key.difference", difference},
    KeyBinding{"<, >", "key.more", more_or_less},
    KeyBinding{"x, y", "key.places", over_places},
    KeyBinding{"n, N", "key.wrong", next_wrong_place},
    KeyBinding{"s or F12, S", "key.save", save},
    KeyBinding{"o", "key.open", open},
    KeyBinding{"f, z", "key.fit", frame_picture},
    KeyBinding{"R", "key.sweep", sweep},
    KeyBinding{"H", "key.latency", hide_latency},
    KeyBinding{"t", "key.theme", theme},
    KeyBinding{"L", "key.language", language},
    KeyBinding{"[ ], { }", "key.line", step_access},
    KeyBinding{"F5, F11", "key.slide", slide_or_full_screen},
    KeyBinding{"Ctrl + and Ctrl -, Ctrl 0", "key.text", font_size},
    KeyBinding{"? or F1", "key.keys", key_sheet},
    KeyBinding{"Esc", "key.escape", escape},
    KeyBinding{"q, Ctrl q", "key.quit", quit},
};

}  // namespace

std::span<const KeyBinding> key_bindings() {
    return kBindings;
}

void handle_key(const KeyPress& key, const Work& work, const ViewState& view, Edits& edits) {
    if (leave_key_sheet(key, view, edits)) return;
    for (const KeyBinding& binding : kBindings) {
        if (binding.handle(key, work, view, edits)) return;
    }
}

}  // namespace ws

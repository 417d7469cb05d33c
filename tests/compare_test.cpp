// A and B without a window: what A is, how pictures are subtracted, where marks lie, keys and edits of all of
// it.

#include <gtest/gtest.h>
#include <imgui.h>

#include <algorithm>
#include <set>

#include "app/canvas/style.h"
#include "app/texts/texts.h"
#include "app/views/parts.h"
#include "app/views/picture_parts.h"
#include "app/views/side_a.h"
#include "app/views/words.h"
#include "app/views/wrong_marks.h"
#include "app/window/buffer_picture.h"
#include "app/window/keys.h"
#include "app/window/stage.h"
#include "gpu/engine/difference.h"
#include "gpu/labs/filters/filters.h"
#include "gpu/labs/labs.h"
#include "gpu/labs/transpose/transpose.h"

namespace ws {
namespace {

ViewState with_a(ChosenA a, Compare compare = Compare::wipe) {
    ViewState view;
    view.preferences.comparison.a = std::move(a);
    view.preferences.comparison.how = compare;
    return view;
}

Work filters_work(int view, int version = 5) {
    Work work = with_version(first_work(filters::lab()), version_of(filters::lab(), version));
    work.view = view;
    return work;
}

constexpr auto kUsual = ChosenA::Kind::usual;
constexpr auto kView = ChosenA::Kind::view;
constexpr auto kBaseline = ChosenA::Kind::baseline;
constexpr auto kVersion = ChosenA::Kind::version;

// A few numbers that a picture is made of cannot be compared with it: its definition can.
TEST(SideA, IsTheDefinitionWhereTheInputIsNoPicture) {
    const Lab& lab = lab_named("dynamic-parallelism");
    Work work = with_version(first_work(lab), version_of(lab, 3));
    work.view = view_named(lab, "result");
    EXPECT_EQ(side_a(with_a({}), work), (SideA{SideA::Kind::defined, work.view, {}}));
    work.view = view_named(lab, "source");
    EXPECT_EQ(side_a(with_a({}), work).kind, SideA::Kind::input) << "nothing runs";
}

TEST(SideA, IsWhatWasChosenWhereTheWorkHasIt) {
    const Work edges = filters_work(filters::view::edge);
    using Kind = SideA::Kind;
    EXPECT_EQ(side_a(with_a({}), edges).kind, Kind::input);
    EXPECT_EQ(side_a(with_a({}, Compare::difference), edges),
              (SideA{Kind::defined, filters::view::edge, {}}));
    EXPECT_EQ(side_a(with_a({kView, "blur", 0}), edges), (SideA{Kind::defined, filters::view::blur, {}}));
    EXPECT_EQ(side_a(with_a({kView, "original", 0}), edges).kind, Kind::input);
    EXPECT_EQ(side_a(with_a({kView, "original", 0}, Compare::difference), edges).kind, Kind::defined)
        << "a result is not subtracted from colours";
    EXPECT_EQ(side_a(with_a({kView, "of another lab", 0}), edges).kind, Kind::input);
    EXPECT_EQ(side_a(with_a({kVersion, "", 3}), edges),
              (SideA{Kind::result, filters::view::edge, {ResultOf::Kind::version, 3}}));
    EXPECT_EQ(side_a(with_a({kVersion, "", 99}), edges).kind, Kind::input);
    EXPECT_EQ(side_a(with_a({kBaseline, "", 0}), edges).of.kind, ResultOf::Kind::baseline);
    EXPECT_EQ(side_a(with_a({kBaseline, "", 0}), filters_work(filters::view::edge, 0)).kind, Kind::input)
        << "V0 has none before it";
    // Where nothing runs, other kernels make what the lab begins with.
    EXPECT_EQ(side_a(with_a({kVersion, "", 3}), filters_work(filters::view::original)).view,
              first_view(filters::lab()));
    EXPECT_TRUE(is_definition(side_a(with_a({kView, "edge", 0}), edges), edges));
    EXPECT_FALSE(is_definition(side_a(with_a({kView, "gray", 0}), edges), edges));
    EXPECT_FALSE(is_definition(side_a(with_a({kVersion, "", 5}), edges), edges));
}

TEST(SideA, AKeyGoesThroughTheChoicesAndBack) {
    for (const Lab* lab : labs()) {
        std::set<std::string> views;
        ChosenA a;
        int steps = 0;
        bool baseline = false;
        do {
            a = next_a(a, *lab);
            baseline |= a.kind == kBaseline;
            if (a.kind == kView) views.insert(a.view);
        } while (a.kind != kUsual && ++steps < 50);
        EXPECT_EQ(a.kind, kUsual);
        EXPECT_TRUE(baseline);
        const auto computed = std::count_if(lab->views.begin(), lab->views.end(),
                                            [](const View& view) { return !view.ways.empty(); });
        EXPECT_EQ(int(views.size()), int(computed)) << lab->id;
    }
    EXPECT_EQ(next_a({kVersion, "", 3}, filters::lab()).kind, kUsual);
    EXPECT_EQ(next_a({kView, "of another lab", 0}, filters::lab()).kind, kUsual);
}

TEST(SideA, AloneItIsTheBaselineOnceOneIsPinned) {
    const Work work = filters_work(filters::view::edge);
    ViewState view = with_a({});
    view.only_a = true;
    EXPECT_EQ(side_a(view, work).kind, SideA::Kind::input) << "the version before is no choice of a person";
    EXPECT_FALSE(shows_baseline(view, work));
    view = edited(view, KeepPin{{"V3", {with_version(work, version_of(*work.lab, 3)), {}}, "small"}}, {});
    EXPECT_EQ(side_a(view, work), (SideA{SideA::Kind::result, work.view, {ResultOf::Kind::baseline, 0}}));
    EXPECT_TRUE(shows_baseline(view, work));
    view.preferences.comparison.a = {kView, "gray", 0};
    EXPECT_EQ(side_a(view, work).kind, SideA::Kind::defined) << "A was chosen";
    view.preferences.comparison.a = {};
    view.only_a = false;
    EXPECT_EQ(side_a(view, work).kind, SideA::Kind::input) << "beside the result it stays the original";
    view.only_a = true;
    EXPECT_EQ(side_a(view, first_work(lab_named("transpose"))).kind, SideA::Kind::input)
        << "the pin is of another lab";
}

TEST(PictureParts, TheOriginalStandsBesideAnythingButItself) {
    const Slots slots = slots_of({1280, 720});
    const Work original = filters_work(filters::view::original);
    EXPECT_EQ(picture_parts(slots, with_a({}), original).count, 1);
    EXPECT_EQ(picture_parts(slots, with_a({kView, "original", 0}), original).count, 1);
    EXPECT_EQ(picture_parts(slots, with_a({kView, "gray", 0}), original).count, 2);
    EXPECT_EQ(picture_parts(slots, with_a({kVersion, "", 3}, Compare::beside), original).count, 2);
    const PictureParts no_difference =
        picture_parts(slots, with_a({kView, "gray", 0}, Compare::difference), original);
    EXPECT_EQ(no_difference.count, 1);
    EXPECT_EQ(no_difference.parts[0].side, Side::b);
    ViewState only_a = with_a({kVersion, "", 3});
    only_a.only_a = true;
    EXPECT_EQ(picture_parts(slots, only_a, filters_work(filters::view::edge)).parts[0].side, Side::a);
}

TEST(Apart, GrayValuesAndFloats) {
    const Buffer gray{"gray"};
    const BufferPicture a = buffer_picture(gray, {3, 1}, {10, 20, 30});
    EXPECT_TRUE(a.is_picture);
    EXPECT_EQ(apart_picture(a, {10, 22, 0}, 4).bytes, (std::vector<std::uint8_t>{0, 8, 120}));
    EXPECT_EQ(apart_picture(a, {10, 22, 0}, 64).bytes, (std::vector<std::uint8_t>{0, 128, 255}));
    EXPECT_EQ(apart_picture(a, {1, 2}, 1).bytes, (std::vector<std::uint8_t>{0, 0, 0})) << "another size";
    // A turned matrix of 2 x 3 with values 0 to 5.
    const Buffer turned{"turned", Element::float32, Content::computed, true};
    const float values[6] = {0, 1, 2, 3, 4, 5};
    HostBytes bytes(sizeof values);
    std::copy_n(reinterpret_cast<const std::uint8_t*>(values), sizeof values, bytes.begin());
    const BufferPicture matrix = buffer_picture(turned, {2, 3}, bytes);
    EXPECT_EQ(matrix.gray.size, (Extent{3, 2}));
    EXPECT_FALSE(matrix.is_picture);
    ASSERT_TRUE(matrix.bytes());
    EXPECT_EQ(*matrix.bytes(), bytes);
    EXPECT_EQ(apart_picture(matrix, bytes, 64).bytes, std::vector<std::uint8_t>(6, 0));
    HostBytes wrong = bytes;
    const float changed[3] = {1, 1.0001f, 1e30f};
    for (int i = 0; i < 3; ++i)
        std::copy_n(reinterpret_cast<const std::uint8_t*>(&changed[i]), 4, wrong.begin() + 4 * i);
    const GrayImage apart = apart_picture(matrix, wrong, 1);
    EXPECT_EQ(int(apart.bytes[0]), 51) << "a fifth of the range";
    EXPECT_EQ(int(apart.bytes[1]), 1) << "hardly, but seen";
    EXPECT_EQ(int(apart.bytes[2]), 255);
}

template <typename Wanted, typename Kind>
const Wanted* asked(const Edits& edits) {
    const Kind* kind = edits.empty() ? nullptr : std::get_if<Kind>(&edits.all().front());
    return kind ? std::get_if<Wanted>(kind) : nullptr;
}

Edits press(char character, const ViewState& view, const Work& work) {
    Edits edits;
    handle_key({KeyPress::Key::character, static_cast<unsigned char>(character)}, work, view, edits);
    return edits;
}

TEST(Keys, OfADifferenceAndOfSlides) {
    const Work edges = filters_work(filters::view::edge);
    ViewState view = with_a({}, Compare::difference);
    const auto axis = [&](char key) { return asked<ChoosePlaces, ViewEdit>(press(key, view, edges))->axis; };
    EXPECT_EQ(axis('x'), PlaceAxis::both) << "what is chosen already: both";
    EXPECT_EQ(axis('y'), PlaceAxis::row);
    view = edited(view, ChoosePlaces{PlaceAxis::row}, {});
    EXPECT_EQ(axis('y'), PlaceAxis::both);
    EXPECT_EQ(axis('x'), PlaceAxis::column);
    view.preferences.comparison.amplification = 8;
    EXPECT_EQ((asked<Amplify, ViewEdit>(press('>', view, edges))->factor), 16);
    EXPECT_EQ((asked<Amplify, ViewEdit>(press('<', view, edges))->factor), 4);
    EXPECT_EQ((asked<JumpToWrong, Action>(press('n', view, edges))->by), 1);
    EXPECT_EQ((asked<JumpToWrong, Action>(press('N', view, edges))->by), -1);
    view.preferences.comparison.how = Compare::wipe;
    EXPECT_TRUE(press('x', view, edges).empty()) << "there is no plot";
    EXPECT_FALSE(press('n', view, edges).empty());
    EXPECT_TRUE((asked<SavePictures, Action>(press('S', view, edges))->detail));
    EXPECT_FALSE((asked<SavePictures, Action>(press('s', view, edges))->detail));
    EXPECT_EQ((asked<ChooseA, ViewEdit>(press('A', view, edges))->a.kind), kView);
    EXPECT_TRUE(press('.', view, edges).empty()) << "no slide";
    view.slide.on = true;
    ASSERT_TRUE((asked<FreezeSlide, ViewEdit>(press('.', view, edges))));
    EXPECT_TRUE((asked<BlankSlide, ViewEdit>(press('b', view, edges))));
    view = edited(view, FreezeSlide{true}, {});
    EXPECT_TRUE(view.slide.frozen);
    EXPECT_FALSE((asked<FreezeSlide, ViewEdit>(press('.', view, edges))->on));
    EXPECT_FALSE(edited(view, ShowSlide{false}, {}).slide.frozen) << "the window goes on";
    EXPECT_FALSE(edited(ViewState{}, FreezeSlide{true}, {}).slide.frozen);
}

TEST(Names, OfBaselinesAreCutAtWholeCharacters) {
    ViewState view;
    const Pin pin{"V3", {filters_work(filters::view::edge, 3), {1, {2, 2}}}, "a.jpg"};
    view = edited(view, KeepPin{pin}, {});
    view = edited(view, NamePin{0, "before the\tbreak\n"}, {});
    EXPECT_EQ(view.preferences.pins[0].given, "before thebreak") << "no control characters";
    view = edited(view, KeepPin{pin}, {});
    EXPECT_EQ(view.preferences.pins[0].given, "before thebreak") << "pinned again it keeps its name";
    std::string umlauts;
    for (int i = 0; i < 40; ++i) umlauts += "ä";
    view = edited(view, NamePin{0, "x" + umlauts}, {});
    const std::string& given = view.preferences.pins[0].given;
    EXPECT_EQ(given.size(), kMostPinName - 1) << "half a character is none";
    EXPECT_EQ(short_name(given, 4), "xää…");
    EXPECT_EQ(short_name("four", 4), "four");
    EXPECT_EQ(short_name("", 4), "");
    view = edited(view, NamePin{0, ""}, {});
    EXPECT_EQ(view.preferences.pins[0].given, "");
    EXPECT_EQ(edited(view, NamePin{7, "x"}, {}).preferences, view.preferences);
    EXPECT_EQ(edited(view, NamePin{-1, "x"}, {}).preferences, view.preferences);
}

TEST(WrongPixels, AreJumpedToWhereTheyCanBeRead) {
    HostBytes bytes(std::size_t(1280) * 640, 10);
    const HostBytes defined = bytes;
    bytes[640 * 0 + 3] = 0;
    bytes[std::size_t(1280) * 600 + 700] = 0;
    const Difference d = difference_of({"gray"}, {1280, 640}, bytes, defined, {32, 8});
    const std::optional<MoveCamera> first = to_next_wrong(d, {}, 1);
    ASSERT_TRUE(first);
    EXPECT_EQ(first->camera, (Camera{Framing::free, 24, 3.5f, 0.5f}));
    const std::optional<MoveCamera> second = to_next_wrong(d, first->camera, 1);
    EXPECT_EQ(second->camera, (Camera{Framing::free, 24, 700.5f, 600.5f}));
    EXPECT_EQ(to_next_wrong(d, second->camera, 1)->camera, first->camera);
    EXPECT_EQ(to_next_wrong(d, second->camera, -1)->camera, first->camera);
    EXPECT_EQ(to_next_wrong(d, {Framing::free, 40, 3.5f, 0.5f}, 1)->camera.zoom, 40) << "never smaller";
    EXPECT_FALSE(to_next_wrong({}, {}, 1));
}

// What marks draw, without a window.
class Marks : public ::testing::Test {
  protected:
    Marks() {
        ImGui::CreateContext();
        ImGui::GetIO().IniFilename = nullptr;
        ImGui::GetIO().DeltaTime = 1.0f / 60;
        ImGui::GetIO().DisplaySize = {1280, 720};
        load_fonts(slots_.unit);
        unsigned char* pixels = nullptr;
        int width = 0;
        int height = 0;
        ImGui::GetIO().Fonts->GetTexDataAsAlpha8(&pixels, &width, &height);
        snapshot_.work = filters_work(filters::view::gray);
        snapshot_.shown_size = {320, 200};
        result_.assign(snapshot_.shown_size.pixels(), 10);
        defined_ = result_;
    }
    ~Marks() override { ImGui::DestroyContext(); }
    void compare() {
        snapshot_.result.difference.reset();
        if (result_ != defined_)
            snapshot_.result.difference =
                difference_of({"gray"}, snapshot_.shown_size, result_, defined_, {32, 4});
    }
    // The vertices that marks added over a part; the texts are in drawing_.
    int drawn(const ViewState& view, Side side = Side::b) {
        ImGui::NewFrame();
        begin_frame_texts();
        drawing_.clear();
        int added = 0;
        {
            const StageWindow window;
            ImDrawList& list = *ImGui::GetWindowDrawList();
            Canvas canvas(list, view.preferences.theme, slots_.unit, drawing_);
            const Stage stage{canvas, slots_, snapshot_, view, edits_};
            const int before = list.VtxBuffer.Size;
            const Area area{0, 0, 640, 400};
            draw_wrong_marks(stage, {side, area, area}, result_, defined_);
            added = list.VtxBuffer.Size - before;
            draw_wrong_label(stage, 640, 300);
        }
        ImGui::Render();
        return added;
    }

    Slots slots_ = slots_of({1280, 720});
    Snapshot snapshot_;
    HostBytes result_, defined_;
    Drawing drawing_;
    Edits edits_;
};

TEST_F(Marks, AreWhereSomethingIsWrongAndSayHowMuch) {
    EXPECT_EQ(drawn({}), 0);
    EXPECT_TRUE(drawing_.texts.empty());
    result_[320 * 100 + 160] = 0;
    compare();
    const int one = drawn({});
    EXPECT_GT(one, 0) << "a single pixel is marked while the whole picture is shown";
    ASSERT_EQ(drawing_.texts.size(), 1u);
    EXPECT_EQ(drawing_.texts[0].text, phrase("picture.wrong.one"));
    EXPECT_EQ(drawn({}, Side::a), 0) << "A is not what was computed";
    result_[320 * 10 + 10] = 0;
    compare();
    EXPECT_EQ(drawn({}), 2 * one) << "two clusters";
    EXPECT_EQ(drawing_.texts[0].text, fmt::format(fmt::runtime(phrase("picture.wrong")), 2));
    // Zoomed in each pixel has its mark, and what lies outside has none.
    ViewState zoomed;
    zoomed.preferences.camera = {Framing::free, 24, 160.5f, 100.5f};
    EXPECT_GT(drawn(zoomed), one);
    zoomed.preferences.camera.center_x = 250.5f;
    EXPECT_EQ(drawn(zoomed), 0);
}

TEST_F(Marks, StaleBytesOfAnotherSizeAreNotRead) {
    result_[320 * 100 + 160] = 0;
    compare();
    ViewState zoomed;
    zoomed.preferences.camera = {Framing::free, 24, 160.5f, 100.5f};
    const int fits = drawn(zoomed);
    result_.resize(17);
    EXPECT_GT(fits, drawn(zoomed)) << "the cluster alone";
    result_.clear();
    defined_.clear();
    EXPECT_GT(drawn(zoomed), 0);
    snapshot_.shown_size = {};
    (void)drawn(zoomed);
}

}  // namespace
}  // namespace ws

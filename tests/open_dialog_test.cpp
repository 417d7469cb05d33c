// The open dialog by keyboard alone: folders, names, thumbnails, pictures that are broken or gone.

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <thread>

#include "app/window/folder_rows.h"
#include "app/window/open_dialog.h"
#include "app/window/thumbnails.h"
#include "gpu/core/files.h"
#include "gpu/picture/picture_file.h"
#include "tests/drawn_views.h"

namespace ws {
namespace {

namespace fs = std::filesystem;
using Key = KeyPress::Key;

class Opening : public Views {
  protected:
    Opening() : folder_(fs::temp_directory_path() / ("warpscope_open_" + std::to_string(::getpid()))) {
        fs::remove_all(folder_);
        fs::create_directories(folder_ / "sub");
        write_png(folder_ / "alps.png", draw_test_picture({300, 100}));
        write_png(folder_ / "boat.png", draw_test_picture({20, 10}));
        write_png(folder_ / "sub" / "coast.png", draw_test_picture({8, 8}));
        write_file(folder_ / "damaged.jpg", "no picture at all");
        write_file(folder_ / ".hidden.png", "x");
        write_file(folder_ / "text.txt", "x");
        load_fonts(1);
        unsigned char* pixels = nullptr;
        int width = 0;
        int height = 0;
        ImGui::GetIO().Fonts->GetTexDataAsAlpha8(&pixels, &width, &height);
    }
    ~Opening() override { fs::remove_all(folder_); }

    void press(Key key) { dialog_.press({key}, edits_); }
    // The path that was asked for; empty: none.
    std::string opened() {
        std::string path;
        for (const Edit& edit : edits_.all()) {
            const auto* action = std::get_if<Action>(&edit);
            const auto* asked = action ? std::get_if<OpenPicture>(action) : nullptr;
            if (asked) path = asked->path;
        }
        edits_.clear();
        return path;
    }
    const Drawing& frame() {
        ImGui::GetIO().DisplaySize = {1280, 720};
        ImGui::NewFrame();
        begin_frame_texts();
        drawing_.clear();
        dialog_.draw(Theme::light, 1, drawing_, {}, edits_);
        ImGui::Render();
        return drawing_;
    }
    bool draws(std::string_view words) {
        const Drawing& drawing = frame();
        return std::any_of(drawing.texts.begin(), drawing.texts.end(), [&](const DrawnText& text) {
            return text.text.find(words) != std::string_view::npos;
        });
    }

    fs::path folder_;
    OpenDialog dialog_;
};

TEST_F(Opening, KeysReachEveryRow) {
    const std::vector<std::string> recent{(folder_ / "gone.png").string(), (folder_ / "boat.png").string()};
    dialog_.show(folder_, recent);
    ASSERT_TRUE(dialog_.visible());
    std::vector<std::string> names;
    for (std::string last; dialog_.chosen() && dialog_.chosen()->name != last; press(Key::down)) {
        last = dialog_.chosen()->name;
        if (!names.empty() && names.back() == last) break;
        names.push_back(last);
        if (names.size() > 20) break;
    }
    EXPECT_EQ(names, (std::vector<std::string>{"boat.png", "scene", "test", "..", "sub/", "alps.png",
                                               "boat.png", "damaged.jpg"}))
        << "what is gone is dropped, what is hidden or no picture is left out";
    press(Key::home);
    EXPECT_EQ(dialog_.chosen()->name, "boat.png");
    press(Key::end);
    EXPECT_EQ(dialog_.chosen()->name, "damaged.jpg");
    press(Key::up);
    press(Key::up);
    press(Key::enter);
    EXPECT_EQ(opened(), (folder_ / "alps.png").string());
    EXPECT_FALSE(dialog_.visible());
}

TEST_F(Opening, FoldersAreEnteredAndLeft) {
    dialog_.show(folder_, {});
    dialog_.type("sub");
    ASSERT_TRUE(dialog_.chosen());
    press(Key::enter);
    EXPECT_EQ(dialog_.folder(), folder_ / "sub");
    dialog_.type("COA");
    ASSERT_TRUE(dialog_.chosen()) << "a part of the name, in any case";
    EXPECT_EQ(dialog_.chosen()->name, "coast.png");
    dialog_.type("");
    press(Key::left);
    EXPECT_EQ(dialog_.folder(), folder_);
    while (dialog_.chosen()->kind != FolderRow::Kind::folder) press(Key::down);
    press(Key::right);
    EXPECT_EQ(dialog_.folder(), folder_ / "sub");
    dialog_.type("nothing has this name");
    EXPECT_FALSE(dialog_.chosen());
    press(Key::enter);
    press(Key::down);
    EXPECT_EQ(opened(), "");
    EXPECT_TRUE(dialog_.visible());
}

TEST_F(Opening, PathsAreTypedAsAShellHasThem) {
    const char* home = std::getenv("HOME");
    const std::string kept = home ? home : "";
    ::setenv("HOME", folder_.c_str(), 1);
    dialog_.show(folder_ / "sub", {});
    dialog_.type("~");
    press(Key::enter);
    EXPECT_EQ(dialog_.folder(), folder_);
    dialog_.type("~/sub/");
    press(Key::enter);
    EXPECT_EQ(dialog_.folder(), folder_ / "sub");
    dialog_.type("../alps.png");
    press(Key::enter);
    EXPECT_EQ(opened(), (folder_ / "alps.png").string()) << "from the folder that is listed";
    EXPECT_EQ(to_home((folder_ / "sub").string()), "~/sub");
    EXPECT_EQ(to_home(folder_.string() + "x"), folder_.string() + "x") << "another folder";
    EXPECT_EQ(from_home("~other/a"), "~other/a") << "another person's";
    ::setenv("HOME", kept.c_str(), 1);
}

// However many characters come between two frames, also before the field takes any.
TEST_F(Opening, NoCharacterIsLostBetweenFrames) {
    const std::string path = (folder_ / "alps.png").string();
    for (const std::size_t together : {std::size_t(1), std::size_t(2), std::size_t(7), path.size()}) {
        for (const int frames_before : {0, 1, 2, 3}) {
            dialog_.show(folder_, {});
            ImGui::GetIO().AddInputCharacter('o');  // of the key that opened it
            for (int i = 0; i < frames_before; ++i) frame();
            for (std::size_t i = 0; i < path.size(); ++i) {
                const auto character = static_cast<unsigned char>(path[i]);
                dialog_.press({Key::character, character}, edits_);
                ImGui::GetIO().AddInputCharacter(character);
                if ((i + 1) % together == 0) frame();
            }
            press(Key::enter);
            frame();
            EXPECT_EQ(opened(), path) << together << " at a time, after " << frames_before << " frames";
            EXPECT_FALSE(dialog_.visible());
            dialog_.hide();
        }
    }
}

// Keys behind characters act on what those have left of the rows.
TEST_F(Opening, KeysWaitForTheCharactersBefore) {
    dialog_.show(folder_, {});
    frame();
    for (const char letter : std::string_view("a")) dialog_.press({Key::character, unsigned(letter)}, edits_);
    press(Key::left);
    frame();
    EXPECT_EQ(dialog_.folder(), folder_) << "with text Left moves its cursor";
    dialog_.show(folder_, {});
    for (const char letter : std::string_view(".png"))
        dialog_.press({Key::character, unsigned(letter)}, edits_);
    press(Key::down);
    press(Key::enter);
    frame();
    EXPECT_EQ(opened(), (folder_ / "boat.png").string()) << "the second of those that match";
}

TEST_F(Opening, AFolderThatCannotBeReadLeavesTheRows) {
    dialog_.show(folder_, {});
    fs::remove_all(folder_ / "sub");
    while (dialog_.chosen()->kind != FolderRow::Kind::folder) press(Key::down);
    press(Key::enter);
    EXPECT_EQ(dialog_.folder(), folder_);
    EXPECT_NE(dialog_.problem().find("cannot be read"), std::string::npos);
    EXPECT_TRUE(dialog_.chosen());
    EXPECT_TRUE(draws("cannot be read"));
}

TEST_F(Opening, ThumbnailsComeOneAfterTheOtherAndBrokenPicturesSayWhy) {
    dialog_.show(folder_, {});
    dialog_.type("a");  // alps.png, boat.png, damaged.jpg
    frame();
    EXPECT_TRUE(dialog_.busy());
    const auto start = std::chrono::steady_clock::now();
    const auto waits = [&] { return std::chrono::steady_clock::now() - start < std::chrono::seconds(60); };
    while ((!draws("300 × 100") || !draws("20 × 10") || dialog_.busy()) && waits())
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    EXPECT_TRUE(draws("300 × 100"));
    EXPECT_TRUE(draws("20 × 10"));
    const Drawing& drawing = frame();
    EXPECT_TRUE(std::any_of(drawing.texts.begin(), drawing.texts.end(), [](const DrawnText& text) {
        return text.ink == Ink::alarm && text.text.find("damaged.jpg") != std::string_view::npos;
    })) << "the reason, in the alarm's colour";
    for (const DrawnText& text : drawing.texts) {
        if (text.font == Font::axis) continue;  // a reason may be long: its tip has all of it
        EXPECT_FALSE(text.cut) << text.text;
    }
}

TEST_F(Opening, ThumbnailsAreOfTheFileAsItIs) {
    const ThumbnailKey before = thumbnail_key(folder_ / "alps.png");
    EXPECT_GT(before.bytes, 0u);
    const Thumbnail made = make_thumbnail(before);
    EXPECT_EQ(made.problem, "");
    EXPECT_EQ(made.full, (Extent{300, 100}));
    EXPECT_EQ(made.image.size.width, kThumbnail.width);
    EXPECT_LE(made.image.size.height, kThumbnail.height);
    write_png(folder_ / "alps.png", draw_test_picture({301, 100}));
    EXPECT_FALSE(thumbnail_key(folder_ / "alps.png") == before)
        << "another length or time is another picture";
    EXPECT_NE(make_thumbnail(thumbnail_key(folder_ / "gone.png")).problem, "");
    EXPECT_NE(make_thumbnail({(folder_ / "alps.png").string(), 0, kMostThumbnailFile + 1}).problem, "")
        << "a long file is not decoded for a glance at it";
}

TEST_F(Opening, ThumbnailsStayWithinTheirBounds) {
    Thumbnails thumbnails;
    const ThumbnailKey real = thumbnail_key(folder_ / "boat.png");
    for (std::size_t i = 0; i < Thumbnails::kMostKept + 9; ++i) {
        const std::vector<ThumbnailKey> wanted{{real.path, std::int64_t(i), 1}};
        thumbnails.update(wanted);
        while (!thumbnails.find(wanted[0])) thumbnails.update({});
    }
    EXPECT_EQ(thumbnails.kept(), Thumbnails::kMostKept);
    EXPECT_FALSE(thumbnails.find({real.path, 0, 1})) << "the oldest goes first";
}

TEST(Thumbnails, APixelIsTheMeanOfThoseThatItStandsFor) {
    RgbaImage picture(Extent{256, 2});
    for (std::size_t i = 0; i < picture.bytes.size(); ++i)
        picture.bytes.data()[i] = std::uint8_t(i / 4 % 2 == 0 ? 10 : 30);
    const RgbaImage small = reduced(picture, {128, 96});
    ASSERT_EQ(small.size, (Extent{128, 1}));
    for (std::size_t i = 0; i < small.bytes.size(); ++i) EXPECT_EQ(small.bytes.data()[i], 20);
    EXPECT_EQ(reduced(small, {128, 96}).size, small.size) << "what fits stays";
    EXPECT_EQ(reduced(RgbaImage(Extent{1, 5000}), {128, 96}).size, (Extent{1, 96}));
}

}  // namespace
}  // namespace ws

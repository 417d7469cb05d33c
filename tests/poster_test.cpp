// The poster: all of it fits, it says what the snapshot has and nothing else, and comes out as PDF and PNG.

#include "app/views/poster_view.h"

#include "app/texts/texts.h"
#include "app/views/words.h"
#include "tests/walked_views.h"

namespace ws {
namespace {

class Posters : public Views {
  protected:
    ~Posters() override { use_language({}); }

    const Drawing& drawn(const Poster& poster) {
        load_fonts(kPosterUnit);
        unsigned char* pixels = nullptr;
        int width = 0;
        int height = 0;
        ImGui::GetIO().Fonts->GetTexDataAsAlpha8(&pixels, &width, &height);
        ImGui::GetIO().DisplaySize = {float(kPosterSize.width), float(kPosterSize.height)};
        ImGui::NewFrame();
        drawing_.clear();
        {
            const StageWindow window;
            Canvas canvas(*ImGui::GetWindowDrawList(), Theme::light, kPosterUnit, drawing_);
            pictures_ = draw_poster(canvas, poster);
        }
        ImGui::Render();
        return drawing_;
    }
    [[nodiscard]] int count(std::string_view words) const {
        int found = 0;
        for (const DrawnText& text : drawing_.texts) found += text.text == words ? 1 : 0;
        return found;
    }

    std::vector<SheetPicture> pictures_;
};

Poster with_result(const Snapshot& snapshot) {
    Poster poster = poster_of(snapshot);
    GrayImage result(poster.lab->takes_picture() ? Extent{3648, 2736} : Extent{kCorner, kCorner});
    for (std::size_t i = 0; i < result.bytes.size(); ++i) result.bytes[i] = std::uint8_t(i % 251);
    for (const PosterRow& row : poster.rows) poster.results[row.buffer] = result;
    return poster;
}

const Snapshot& transposed() {
    static const Snapshot kSnapshot =
        snapshot_of(lab_named("transpose"), lab_named("transpose").versions.back().number, 1);
    return kSnapshot;
}

TEST_F(Posters, FitInEveryLanguage) {
    if (!filters_5_against_3().told.now.counted())
        GTEST_SKIP() << "there is no compiler here, and nothing to show";
    for (const std::string& language : languages()) {
        speak(language);
        for (const Snapshot* snapshot : {&filters_5_against_3(), &transposed()}) {
            begin_frame_texts();
            const Poster poster = with_result(*snapshot);
            ASSERT_EQ(poster.rows.size(), poster.lab->versions.size());
            const std::string where = fmt::format("{} {}", language, poster.lab->id);
            walk(drawn(poster), Theme::light, kPosterSize, where);
            ASSERT_EQ(pictures_.size(), poster.rows.size()) << where;
            for (const SheetPicture& picture : pictures_) {
                EXPECT_GE(picture.box.h, 60) << where << ": too low to see anything";
                for (const DrawnText& text : drawing_.texts)
                    EXPECT_FALSE(meet(picture.box, text.box)) << where << ": '" << text.text << "'";
            }
        }
    }
}

TEST_F(Posters, SayWhatTheSnapshotHas) {
    const Snapshot& snapshot = filters_5_against_3();
    if (!snapshot.told.now.counted()) GTEST_SKIP() << "there is no compiler here, and nothing to show";
    begin_frame_texts();
    const Poster poster = with_result(snapshot);
    drawn(poster);
    EXPECT_EQ(count("estimated"), int(poster.rows.size())) << "each number says its kind";
    for (const PosterRow& row : poster.rows) {
        const WorkFigures& figures = snapshot.told.versions.at(row.version);
        ASSERT_TRUE(row.time);
        EXPECT_EQ(row.time->ms, *figures.estimated());
        EXPECT_GE(count(short_time(row.time->ms)), 1) << row.version;
        if (row.version == 0) continue;
        const double first = *snapshot.told.versions.at(0).estimated();
        EXPECT_NEAR(row.to_first->speedup(), first / row.time->ms, 1e-9);
        const double before = *snapshot.told.versions.at(row.version - 1).estimated();
        EXPECT_NEAR(row.to_before->speedup(), before / row.time->ms, 1e-9);
        EXPECT_TRUE(row.reasons);
    }
    EXPECT_FALSE(poster.rows.front().to_before || poster.rows.front().to_first ||
                 poster.rows.front().reasons);
}

TEST_F(Posters, MixNoKinds) {
    Snapshot snapshot = filters_5_against_3();
    if (!snapshot.told.now.counted()) GTEST_SKIP() << "there is no compiler here, and nothing to show";
    snapshot.told.versions.at(0).recorded = Statistics{1.0, 0.9, 1.1, 20};
    snapshot.told.versions.at(1).recorded = Statistics{0.5, 0.4, 0.6, 20};
    snapshot.told.versions.at(2).steps.clear();
    snapshot.told.versions.at(2).problem = message("it does not run here");
    begin_frame_texts();
    const Poster poster = with_result(snapshot);
    EXPECT_EQ(poster.rows[1].to_before->speedup(), 2);
    EXPECT_EQ(poster.rows[1].time->kind, Kind::recorded);
    EXPECT_FALSE(poster.rows[2].time || poster.rows[2].to_before) << "nothing is made up";
    EXPECT_FALSE(poster.rows[3].to_before);
    // Recorded against estimated says nothing: both are estimates then.
    EXPECT_EQ(poster.rows[4].to_first->now.kind, Kind::estimated);
    EXPECT_EQ(poster.rows[4].to_first->baseline.kind, Kind::estimated);
    walk(drawn(poster), Theme::light, kPosterSize, "mixed");
    EXPECT_EQ(count("recorded"), 2);
    bool told = false;
    for (const DrawnText& text : drawing_.texts)
        told |= text.text.find("it does not run here") != std::string_view::npos;
    EXPECT_TRUE(told);
}

TEST_F(Posters, ComeOutAsPdfAndPicture) {
    if (!can_print()) GTEST_SKIP() << "built without Cairo";
    Poster poster;
    poster.lab = &filters::lab();
    poster.rows = {{0, 1, TimeFigure{1, Kind::measured, 0}, {}, {}, {}, {}, {}}};
    poster.results[1] = GrayImage({64, 48});
    begin_frame_texts();
    drawn(poster);
    const Sheet sheet{drawing_, pictures_, kPosterSize};
    const std::string pdf = pdf_of(sheet, 1190.55);
    EXPECT_TRUE(pdf.starts_with("%PDF-1."));
    EXPECT_NE(pdf.find("DejaVuSans"), std::string::npos) << "texts are texts, in the embedded fonts";
    EXPECT_NE(pdf.find("MediaBox"), std::string::npos);
    const RgbaImage image = image_of(sheet, 0.5);
    EXPECT_EQ(image.size, (Extent{1200, 849}));
    const auto at = [&](float x, float y) {
        const std::size_t place = 4 * (std::size_t(y / 2) * 1200 + std::size_t(x / 2));
        return Rgba{image.bytes[place], image.bytes[place + 1], image.bytes[place + 2]};
    };
    const Palette& colors = palette(Theme::light);
    EXPECT_EQ(at(20, 20), colors[std::size_t(Ink::panel)]);
    ASSERT_EQ(pictures_.size(), 1u);
    const Box picture = pictures_.front().box;
    EXPECT_EQ(at(picture.center_x(), picture.center_y()), (Rgba{0, 0, 0})) << "the picture is in its place";
    // Letters where the canvas has them, and none beside.
    const DrawnText& title = drawing_.texts.front();
    int inked = 0;
    for (float x = title.box.x; x < title.box.right(); x += 2)
        inked += at(x, title.box.center_y()) == colors[std::size_t(Ink::panel)] ? 0 : 1;
    EXPECT_GT(inked, 20);
    for (float x = title.box.right() + 8; x < title.room.right(); x += 2)
        ASSERT_EQ(at(x, title.box.center_y()), colors[std::size_t(Ink::panel)]);
}

}  // namespace
}  // namespace ws

// One figure wherever it stands: in the window's places and on the command line.

#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "app/views/words.h"
#include "gpu/picture/picture_file.h"
#include "tests/drawn_views.h"

namespace ws {
namespace {

// What the program prints of the same version of the same picture.
nlohmann::json printed(const std::string& command, const std::string& picture) {
    const std::string line =
        fmt::format("{} {} --image {} --gpu \"RTX 3060\" --json", WARPSCOPE_PROGRAM, command, picture);
    FILE* pipe = popen(line.c_str(), "r");
    std::string text;
    char part[4096];
    while (const std::size_t count = std::fread(part, 1, sizeof part, pipe)) text.append(part, count);
    EXPECT_EQ(pclose(pipe), 0) << line;
    return nlohmann::json::parse(text);
}

// One figure, wherever it stands: the headline, the bars, the panels, the pages, and the command line.
TEST_F(Views, FiguresAreTheSameWhereverTheyStand) {
    if (!filters_5_against_3().told.now.counted())
        GTEST_SKIP() << "there is no compiler here, and nothing to show";
    const Snapshot& snapshot = filters_5_against_3();
    const auto picture =
        std::filesystem::temp_directory_path() / fmt::format("views_test.{}.png", ::getpid());
    write_png(picture, *engine().picture());
    const nlohmann::json run = printed("run 5 --device simt", picture.string());
    const nlohmann::json simt = printed("simt 5 --blocks sample", picture.string());
    const nlohmann::json occupancy = printed("occupancy 5", picture.string());
    std::filesystem::remove(picture);

    const StepResult& blur = *step_of(snapshot.told.now, filters::step::blur);
    for (const StepResult& step : snapshot.told.now.steps) {
        const std::string name(snapshot.work.lab->steps[std::size_t(step.key.launch.step)].name);
        EXPECT_NEAR(run["estimated_ms"][name].get<double>(), step.estimate->ms, 1e-3 * step.estimate->ms)
            << name;
    }
    EXPECT_EQ(simt["global"]["load"]["requests"].get<std::uint64_t>(),
              blur.counters->total.global_load.requests);
    EXPECT_EQ(simt["instructions"].get<std::uint64_t>(), blur.counters->total.instructions);
    EXPECT_NEAR(simt["estimate"]["ms"].get<double>(), blur.estimate->ms, 1e-3 * blur.estimate->ms);
    EXPECT_NEAR(occupancy["percent"].get<double>(), blur.occupancy->percent, 0.01);
    EXPECT_EQ(run["occupancy"]["percent"], occupancy["percent"]);

    const auto drawn = [&](Tab tab) {
        std::set<std::string> texts;
        for (const DrawnText& text : draw(snapshot, view_of(Theme::light, tab), {1920, 1080}).texts)
            texts.emplace(text.text);
        return texts;
    };
    const double now_ms = *snapshot.told.now.estimated();
    const double base_ms = *snapshot.told.baseline->estimated();
    const std::set<std::string> story = drawn(Tab::story);
    EXPECT_TRUE(story.count(fmt::format("{:.2f}× as fast as V3", base_ms / now_ms)));
    EXPECT_TRUE(story.count(fmt::format("{:.0f}", 1000 * now_ms))) << "the bar of V5";
    EXPECT_TRUE(story.count(fmt::format("{:.0f}", 1000 * base_ms))) << "the bar of V3";
    EXPECT_TRUE(story.count(fmt::format("V5  {:.0f} %", blur.occupancy->percent))) << "the occupancy slot";
    const std::set<std::string> page = drawn(Tab::occupancy);
    EXPECT_TRUE(page.count(fmt::format("V5  {:.0f} %", blur.occupancy->percent)));
    const StepResult& before = *step_of(*snapshot.told.baseline, filters::step::blur);
    EXPECT_TRUE(page.count(fmt::format("{:.0f} → {:.0f} % theoretical occupancy", before.occupancy->percent,
                                       blur.occupancy->percent)));
    const std::set<std::string> memory = drawn(Tab::memory);
    const std::string_view requests =
        value_text(Form::count, double(blur.counters->total.global_load.requests));
    EXPECT_TRUE(memory.count(std::string(requests))) << requests << " load requests";
}

}  // namespace
}  // namespace ws

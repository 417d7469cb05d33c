// Every view with the figures of every other lab: all its versions are counted and run through the clock.

#include <utility>

#include "app/texts/texts.h"
#include "tests/walked_views.h"

namespace ws {
namespace {

// One other lab at every size, the rest of them at one.
TEST_F(Views, FiguresOfOtherLabsFitToo) {
    for (const Lab* lab : labs().subspan(1)) {
        const Snapshot snapshot = snapshot_of(*lab, lab->versions.back().number, lab->versions[1].number);
        if (!snapshot.told.now.counted()) GTEST_SKIP() << "there is no compiler here, and nothing to show";
        const bool everywhere = lab == labs()[1];
        for (const Extent size : everywhere ? std::vector(std::begin(kSizes), std::end(kSizes))
                                            : std::vector{Extent{1280, 720}}) {
            for (const TabView& tab : tab_views()) {
                const ViewState view = view_of(Theme::light, tab.tab);
                walk(draw(snapshot, view, size), Theme::light, size,
                     fmt::format("{} {} {}x{}", lab->id, phrase(tab.title), size.width, size.height));
            }
        }
    }
}

}  // namespace
}  // namespace ws

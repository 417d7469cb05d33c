#include "app/window/picture_saver.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/texts/texts.h"
#include "app/views/picture_parts.h"
#include "gpu/engine/engine.h"

namespace ws {
namespace {

// The screen shows what the work asks for, with the times that the caption names.
bool shown_and_timed(const Work& work, const Engine& engine, const PictureScreen& screen) {
    const Snapshot& snapshot = engine.snapshot();
    // What is no picture is shown once it is checked.
    const bool has_result = work.lab->takes_picture() ? screen.has_result(engine)
                                                      : snapshot.result.check.state != Check::State::pending;
    const bool current = snapshot.work == work && has_result && !snapshot.run.stale &&
                         snapshot.result.drawn && snapshot.result.drawn->current && !engine.wants_first_run();
    if (!current) return false;
    if (snapshot.run.progress) return snapshot.run.progress->complete;
    constexpr int kSamples = 10;
    return snapshot.times.total_ms.samples >= kSamples;
}

// A is on the screen, or never will be.
bool a_is_shown(const PictureScreen& screen) {
    const ShownA& a = screen.a().shown();
    return a.there || !a.problem.empty();
}

// What lies around all parts of the picture.
Area around(const PictureParts& parts) {
    Area all = parts.parts[0].area;
    for (int i = 1; i < parts.count; ++i) {
        const Area& one = parts.parts[std::size_t(i)].area;
        const int right = std::max(all.x + all.width, one.x + one.width);
        const int bottom = std::max(all.y + all.height, one.y + one.height);
        all.x = std::min(all.x, one.x);
        all.y = std::min(all.y, one.y);
        all.width = right - all.x;
        all.height = bottom - all.y;
    }
    return all;
}

// "columns 10 to 89, rows 5 to 44, 8 screen pixels for one".
std::string place_line(const PicturePart& part, const Camera& camera, Extent picture) {
    const Area& area = part.area;
    const PicturePoint first = picture_point(camera, area, picture, float(area.x), float(area.y));
    const PicturePoint last =
        picture_point(camera, area, picture, float(area.x + area.width), float(area.y + area.height));
    const auto within = [](float at, int most) {
        return std::clamp(int(std::floor(at)), 0, std::max(0, most));
    };
    return std::string(say(
        "caption.place", within(first.x, picture.width - 1), within(std::ceil(last.x) - 1, picture.width - 1),
        within(first.y, picture.height - 1), within(std::ceil(last.y) - 1, picture.height - 1),
        text("{:.3g}", zoom_of(camera, area, picture))));
}

// The detail, with what its parts are.
void add_detail(CaptureRequest& request, const PictureParts& parts, const ViewState& view,
                const Snapshot& snapshot, const PictureScreen& screen, const Session& session) {
    const Area area = around(parts);
    request.detail = cut_out(session.read(), area.x, area.y, {area.width, area.height});
    request.caption.push_back(place_line(parts.parts[0], view.preferences.camera, snapshot.shown_size));
    const bool has_a = std::any_of(parts.parts.begin(), parts.parts.begin() + parts.count,
                                   [](const PicturePart& part) { return part.side == Side::a; });
    if (has_a) request.caption.push_back(fmt::format("A: {}", screen.a().shown().name));
}

}  // namespace

// Nothing that could be saved will come; says why.
bool PictureSaver::refuses(const Work& work, const Engine& engine, Notices& notices) {
    if (!work.lab->takes_picture() && !detail_) {
        notices.tell(std::string(say("notice.no_pictures", work.lab->id)), true);
        return true;
    }
    const Snapshot& snapshot = engine.snapshot();
    if (runs_anything(work) && (snapshot.run.failure || snapshot.run.stale) && snapshot.compiler.busy == 0) {
        notices.tell(std::string(say("notice.not_shown_yet")), true);
        return true;
    }
    return false;
}

void PictureSaver::update(const SavedState& state, const ViewState& view, const Engine& engine,
                          const PictureScreen& screen, const Session& session, Notices& notices) {
    const Work& work = state.work;
    if (const auto outcome = writer_.poll()) notices.tell(outcome->message, outcome->failed);
    if (!wanted_ || busy()) return;
    if (refuses(work, engine, notices)) {
        wanted_ = false;
        return;
    }
    const PictureParts parts = picture_parts(slots_for(session.size(), view), view, work);
    if (detail_ && parts.count == 0) {
        wanted_ = false;
        notices.tell(std::string(say("notice.no_picture_shown")), true);
        return;
    }
    const bool original = !runs_anything(work);
    if (!a_is_shown(screen) || (!original && !shown_and_timed(work, engine, screen))) return;
    wanted_ = false;
    const Snapshot& snapshot = engine.snapshot();
    CaptureRequest request = describe_capture(snapshot, folder_);
    request.state = state_text(state);
    if (detail_) {
        add_detail(request, parts, view, snapshot, screen, session);
    } else {
        request.original = engine.picture();
        if (!original) request.current = screen.result(engine);
        if (const SharedPicture& a = screen.a().picture(); a && screen.a().shown().there) {
            request.a = a->gray;
            request.a_label = screen.a().shown().name;
        }
        const bool original_left = !request.a;
        const std::string_view left = original_left ? translated("original") : request.a_label;
        const std::string_view right =
            original ? left : translated(work.lab->views[std::size_t(snapshot.result.drawn->view)].title);
        request.sides = say("caption.sides", left, right);
        request.view = session.read();
    }
    writer_.start(std::move(request));
    notices.tell(std::string(say(detail_ ? "notice.saving.detail" : "notice.saving")), false);
}

}  // namespace ws

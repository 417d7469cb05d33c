#include "app/window/picture_saver.h"

#include "app/texts/texts.h"

namespace ws {
namespace {

// The screen shows what the work asks for, with the times that the caption names.
bool shown_and_timed(const Work& work, const Engine& engine, const PictureScreen& screen) {
    const Snapshot& snapshot = engine.snapshot();
    const bool current = snapshot.work == work && screen.has_result(engine) && !snapshot.stale &&
                         snapshot.drawn && snapshot.drawn->current && !engine.wants_first_run();
    if (!current) return false;
    if (snapshot.progress) return snapshot.progress->complete;
    constexpr int kSamples = 10;
    return snapshot.total_ms.samples >= kSamples;
}

}  // namespace

void PictureSaver::update(const SavedState& state, const Engine& engine, const PictureScreen& screen,
                          const Session& session, Notices& notices) {
    const Work& work = state.work;
    if (const auto outcome = writer_.poll()) notices.tell(outcome->message, outcome->failed);
    if (!wanted_ || busy()) return;
    const Snapshot& snapshot = engine.snapshot();
    if (!work.lab->takes_picture()) {
        wanted_ = false;
        notices.tell(std::string(say("notice.no_pictures", work.lab->id)), true);
        return;
    }
    const bool original = !runs_anything(work);
    if (!original && (snapshot.failure || snapshot.stale) && snapshot.compiling == 0) {
        wanted_ = false;
        notices.tell(std::string(say("notice.not_shown_yet")), true);
        return;
    }
    if (!original && !shown_and_timed(work, engine, screen)) return;
    wanted_ = false;
    CaptureRequest request = describe_capture(snapshot, folder_);
    request.original = engine.picture();
    if (!original) request.current = screen.result(engine);
    request.view = session.read();
    request.state = state_text(state);
    writer_.start(std::move(request));
    notices.tell(std::string(say("notice.saving")), false);
}

}  // namespace ws

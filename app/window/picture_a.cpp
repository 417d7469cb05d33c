#include "app/window/picture_a.h"

#include <utility>

#include "app/texts/texts.h"
#include "app/views/parts.h"
#include "app/views/picture_parts.h"
#include "app/views/words.h"
#include "gpu/engine/difference.h"
#include "gpu/engine/engine.h"

namespace ws {
namespace {

std::string_view name_of(const SideA& a, const Snapshot& snapshot, const ViewState& view) {
    const Lab& lab = *snapshot.work.lab;
    if (a.kind == SideA::Kind::input)
        return lab.takes_picture() ? say("picture.original") : translated(lab.views.front().title);
    const std::string_view title = translated(lab.views[std::size_t(a.view)].title);
    if (a.kind == SideA::Kind::defined) return say("picture.defined", title);
    return say("picture.by", title,
               a.of.kind == ResultOf::Kind::baseline ? baseline_name(snapshot, view.preferences)
                                                     : version_name(a.of.version));
}

}  // namespace

void PictureA::update(const Engine& engine, const ViewState& view, ReferencePictures& references) {
    const Snapshot& snapshot = engine.snapshot();
    shown_ = {};
    picture_.reset();
    if (!snapshot.problem || !snapshot.work.lab) return;
    shown_.side = side_a(view, snapshot.work);
    shown_.name = name_of(shown_.side, snapshot, view);
    if (shown_.side.kind == SideA::Kind::input) {
        shown_.there = true;
    } else {
        const Lab& lab = *snapshot.work.lab;
        const View& of = lab.views[std::size_t(shown_.side.view)];
        picture_ =
            references.find(snapshot.problem, shown_buffer(of, version_of(lab, snapshot.work.version)));
        shown_.there = picture_ != nullptr;
        if (shown_.side.kind == SideA::Kind::result) find_result(engine, references);
    }
    if (shows_difference(view, snapshot.work)) find_difference(engine);
}

// What other kernels made, once it is there and turned into a picture.
void PictureA::find_result(const Engine& engine, ReferencePictures& references) {
    const std::optional<OtherResult>& other = engine.snapshot().result.other;
    const Problem& problem = engine.snapshot().problem;
    shown_.there = false;
    if (!other) {
        if (engine.snapshot().compiler.missing) shown_.problem = engine.snapshot().compiler.name;
        return;
    }
    // The definition of what they compute stands until then.
    if (!other->bytes) {
        picture_ = references.find(problem, other->buffer);
        shown_.done = other->done;
        shown_.problem = said(other->problem);
        return;
    }
    const Buffer& buffer = problem.lab->buffers[std::size_t(other->buffer)];
    if (other->bytes->size() != bytes_of(buffer, problem.size)) return;  // of an earlier input
    if (std::optional<Result<BufferPicture>> made = turning_.poll(); made && made->ok())
        turned_ = std::make_shared<const BufferPicture>(std::move(made->value()));
    if (turning_from_ != other->bytes && !turning_.active()) {
        turning_from_ = other->bytes;
        turned_.reset();
        turning_ =
            Job<BufferPicture>([buffer, size = problem.size, bytes = other->bytes](const std::stop_token&) {
                return buffer_picture(buffer, size, HostBytes(*bytes));
            });
    }
    shown_.done = 1;
    if (!turned_ || turning_.active()) {
        picture_ = references.find(problem, other->buffer);
        return;
    }
    picture_ = turned_;
    shown_.there = true;
}

void PictureA::find_difference(const Engine& engine) {
    const Snapshot& snapshot = engine.snapshot();
    Apart& apart = shown_.apart;
    if (is_definition(shown_.side, snapshot.work)) {
        apart.difference = snapshot.result.difference ? &*snapshot.result.difference : nullptr;
        apart.state = snapshot.result.check.state == Check::State::equal     ? Apart::State::equal
                      : apart.difference                                     ? Apart::State::different
                      : snapshot.result.check.state == Check::State::pending ? Apart::State::waiting
                                                                             : Apart::State::never;
        return;
    }
    if (std::optional<Result<Difference>> made = counting_.poll()) {
        difference_.reset();
        if (made->ok()) difference_ = std::move(made->value());
        counted_ = asked_;
    }
    const Plan& plan = engine.plan();
    if (!shown_.problem.empty()) apart.state = Apart::State::never;
    if (!shown_.there || plan.launches.empty() || snapshot.result.check.state == Check::State::pending)
        return;
    const Buffer& buffer = plan.lab->buffers[std::size_t(plan.shows)];
    const HostBytes* a = picture_->bytes();
    const HostBytes& b = engine.checked_result();
    if (!a || a->size() != b.size() || b.size() != bytes_of(buffer, snapshot.problem.size)) {
        apart.state = Apart::State::never;
        return;
    }
    const Counted wanted{picture_, plan.generation};
    if (counted_ == wanted) {
        apart.difference = difference_ && difference_->wrong > 0 ? &*difference_ : nullptr;
        apart.state = apart.difference ? Apart::State::different
                      : difference_    ? Apart::State::equal
                                       : Apart::State::never;
        return;
    }
    if (counting_.active()) return;
    asked_ = wanted;
    counting_ = Job<Difference>([buffer, size = snapshot.problem.size, a = picture_, b,
                                 tile = plan.launches.back().tile](const std::stop_token&) {
        return difference_of(buffer, size, b, *a->bytes(), tile);
    });
}

}  // namespace ws

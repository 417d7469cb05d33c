#include "app/window/steps.h"

#include <algorithm>
#include <cmath>

#include "app/views/block_edit.h"
#include "app/views/curve_axis.h"
#include "app/views/latency_parts.h"
#include "app/views/words.h"

namespace ws {

std::optional<WorkEdit> stepped_block(const StepSnapshot& step, const StepBlock& asked) {
    const int side = asked.along_x ? step.shape.block.x : step.shape.block.y;
    const SideSteps steps = side_steps(step.source, asked.along_x, side);
    if (steps.count == 0) return std::nullopt;
    // A typed side in between stands above its step already.
    const bool between = steps.sides[std::size_t(steps.now)] < side;
    const int next = steps.now + asked.by + (between && asked.by < 0 ? 1 : 0);
    if (next < 0 || next >= steps.count) return std::nullopt;
    const Block block = with_side(step.shape.block, asked.along_x, steps.sides[std::size_t(next)]);
    if (block == step.shape.block || !(fitted(step.source, block) == block)) return std::nullopt;
    return ChooseBlock{step.step, block};
}

std::optional<ViewEdit> stepped_warp(const StepSnapshot& step, const StepWarp& asked) {
    if (!step.counts.result || !step.counts.warp.examples) return std::nullopt;
    const WarpGrid& grid = step.counts.warp.grid;
    WarpPlace at = step.counts.warp.at;
    const auto moved = [](int from, int by, int count) {
        return int(std::clamp<std::int64_t>(std::int64_t(from) + by, 0, std::max(0, count - 1)));
    };
    at.block_x = moved(at.block_x, asked.across, grid.grid.width);
    at.block_y = moved(at.block_y, asked.down, grid.grid.height);
    if (asked.warps != 0) {
        const std::int64_t blocks = std::int64_t(grid.grid.width) * grid.grid.height;
        std::int64_t all = (std::int64_t(at.block_y) * grid.grid.width + at.block_x) * grid.warps() + at.warp;
        all = std::clamp<std::int64_t>(all + asked.warps, 0, blocks * grid.warps() - 1);
        const std::int64_t block = all / grid.warps();
        at = {int(block % grid.grid.width), int(block / grid.grid.width), int(all % grid.warps())};
    }
    return ChooseWarp{at};
}

WorkEdit stepped_gpu(const Snapshot& snapshot, int by) {
    const std::vector<std::string>& names = snapshot.target.names;
    const auto found = std::find(names.begin(), names.end(), snapshot.work.target_gpu);
    const int now = found == names.end() ? 0 : int(found - names.begin()) + 1;
    const int count = int(names.size()) + 1;
    const int next = ((now + by) % count + count) % count;
    return ChooseGpu{next == 0 ? "" : names[std::size_t(next - 1)]};
}

ViewEdit stepped_kernel(const Snapshot& snapshot, const ViewState& view, int by) {
    std::vector<const StepSnapshot*> listed;
    for (const StepSnapshot& step : snapshot.steps) {
        if (is_listed(snapshot, step)) listed.push_back(&step);
    }
    const StepSnapshot& now = chosen_step(snapshot, view.preferences.step);
    const auto found = std::find(listed.begin(), listed.end(), &now);
    if (found == listed.end()) return InspectStep{std::string(now.name)};
    const int count = int(listed.size());
    const int next = ((int(found - listed.begin()) + by) % count + count) % count;
    return InspectStep{std::string(listed[std::size_t(next)]->name)};
}

std::optional<ViewEdit> stepped_axis(const Snapshot& snapshot, const ViewState& view, int by) {
    const int count = axis_count(snapshot);
    const std::optional<SweepOver> chosen = curve_axis(view, snapshot);
    int now = -1;  // another version's
    for (int i = 0; i < count; ++i) {
        if (axis_at(snapshot, i) == chosen) now = i;
    }
    if (count == 0 || (count == 1 && now == 0)) return std::nullopt;
    const int next = now < 0 ? (by > 0 ? 0 : count - 1) : ((now + by) % count + count) % count;
    return ChooseOver{axis_at(snapshot, next)};
}

std::optional<ViewEdit> stepped_resident(const StepSnapshot& step, const ViewState& view,
                                         const StepResident& asked) {
    const int most = most_blocks(step);
    const Resident now = resident_blocks(step, view.occupancy.latency);
    Resident next = now;
    int& moved = asked.few ? next.few : next.many;
    moved = std::clamp(moved + asked.by, 1, std::max(1, most));
    if (most == 0 || (next.few == now.few && next.many == now.many)) return std::nullopt;
    return to_resident(step, next);
}

std::optional<ViewEdit> moved_clocks(const StepSnapshot& step, const ViewState& view,
                                     const MoveClocks& asked) {
    if (!step.counts.clock.many) return std::nullopt;
    const double all = all_clocks(step.counts.clock);
    const LatencyPage& page = view.occupancy.latency;
    const SeenClocks now = seen_clocks(page, step.counts.clock);
    const bool seen = page.at && *page.at >= now.from && *page.at < now.until();
    const double around = seen ? *page.at : now.from + now.clocks / 2;
    const SeenClocks next = panned(zoomed(now, around, asked.zoom, all), asked.pan * now.clocks, all);
    return LookAtClocks{next.from, next.clocks};
}

std::optional<ViewEdit> stepped_clock(const StepSnapshot& step, const ViewState& view, int by) {
    if (!step.counts.clock.many) return std::nullopt;
    const LatencyPage& page = view.occupancy.latency;
    const double now =
        page.at ? std::floor(*page.at) + by : std::floor(seen_clocks(page, step.counts.clock).from);
    // In its middle.
    return MoveClock{std::clamp(now, 0.0, all_clocks(step.counts.clock) - 1) + 0.5};
}

std::optional<ViewEdit> stepped_out(const ViewState& view) {
    if (view.only_a) return ShowOnlyA{false};
    if (shows_curves(view)) return ShowCurves{false};
    if (plays_clock(view)) return PlayClock{false};
    const bool story = view.preferences.tab == Tab::story && !view.slide.on;
    if (story && view.story.advice) return ShowAdvice{false};
    return std::nullopt;
}

std::optional<ViewEdit> zoomed_picture(const PictureParts& parts, const ViewState& view, Extent picture,
                                       float factor) {
    if (parts.count == 0 || picture.pixels() == 0) return std::nullopt;
    const Area area = parts.parts[0].area;
    return MoveCamera{zoomed(view.preferences.camera, area, picture, float(area.x) + float(area.width) / 2,
                             float(area.y) + float(area.height) / 2, factor)};
}

std::optional<ViewEdit> panned_picture(const PictureParts& parts, const ViewState& view, Extent picture,
                                       const PanPicture& asked) {
    if (parts.count == 0 || picture.pixels() == 0) return std::nullopt;
    const Area area = parts.parts[0].area;
    return MoveCamera{panned(view.preferences.camera, area, picture, -asked.x * float(area.width),
                             -asked.y * float(area.height))};
}

}  // namespace ws

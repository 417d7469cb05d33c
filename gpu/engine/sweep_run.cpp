// Running a sweep.

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "gpu/core/background.h"
#include "gpu/core/error.h"
#include "gpu/engine/engine.h"
#include "gpu/engine/run_to_end.h"
#include "gpu/engine/sweep.h"

namespace ws {
namespace {

Picture middle_of(const Picture& picture, Extent size) {
    auto cut = std::make_shared<RgbaImage>(size);
    const int left = (picture->size.width - size.width) / 2;
    const int top = (picture->size.height - size.height) / 2;
    const std::size_t row = 4 * std::size_t(size.width);
    for (int y = 0; y < size.height; ++y)
        std::memcpy(cut->bytes.data() + std::size_t(y) * row,
                    picture->bytes.data() +
                        4 * (std::size_t(top + y) * std::size_t(picture->size.width) + std::size_t(left)),
                    row);
    return cut;
}

// The kernels of all items on threads of their own, into the cache from which the engine's compiler takes
// them. On a machine with many processors it is the compiler that a sweep would wait for.
class CompileAhead {
  public:
    CompileAhead(const Engine& engine, const std::vector<SweepItem>& items, const SweepOptions& options)
        : service_(options.compile_ahead, processors()) {
        if (options.compile_ahead.empty()) return;
        std::vector<CompileRequest> requests;
        for (const SweepItem& item : items) {
            for (PlannedKernel& kernel : engine.plan_of(item.work).kernels) {
                if (!kernel.runs) continue;
                for (CompileRequest* request : {&kernel.run, &kernel.ptx, &kernel.code}) {
                    const bool counts = request == &kernel.ptx && engine.snapshot().device.can.measures_time;
                    if (!request->name.empty() && !counts) requests.push_back(std::move(*request));
                }
            }
        }
        service_.ask(requests);
    }

  private:
    CompileService service_;
};

// The record at this key, place and kind, if it was made earlier.
const Record* find_known(std::span<const Record> known, const Record& wanted) {
    const auto found = std::find_if(known.rbegin(), known.rend(), [&](const Record& record) {
        return record.key == wanted.key && record.place == wanted.place;
    });
    return found == known.rend() ? nullptr : &*found;
}

Record run_item(Engine& engine, const Work& work, int samples, FrameTarget& target, bool whole) {
    try {
        if (engine.snapshot().device.can.shows_progress && !whole) {
            // Counts and estimates come from a sample of blocks: the whole result is not needed.
            engine.wait_for_kernels();
            require_kernels(engine.snapshot());
            engine.wait_for_counts();
        } else {
            run_to_end(engine, work, samples, target);
        }
    } catch (const UsageError&) {
        throw;
    } catch (const Error& error) {
        Record refused = engine.record();
        refused.total_ms = {};
        refused.refused = error.what();
        return refused;
    }
    return engine.record();
}

}  // namespace

void run_sweep(Engine& engine, std::span<const SweepPlan> plans, const KernelLibrary& library,
               const SweepOptions& options) {
    std::vector<SweepItem> items;
    std::vector<std::size_t> plan_of_item;
    for (std::size_t i = 0; i < plans.size(); ++i) {
        for (SweepItem& item : sweep_items(plans[i], library)) items.push_back(std::move(item));
        plan_of_item.resize(items.size(), i);
    }
    HostTarget target;
    std::optional<CompileAhead> ahead;
    Extent cut{-1, -1};
    for (std::size_t i = 0; i < items.size(); ++i) {
        if (options.stopped && options.stopped()) return;
        const SweepItem& item = items[i];
        const SweepPlan& plan = plans[plan_of_item[i]];
        if (plan.picture && !(item.cut == cut)) {
            cut = item.cut;
            const bool whole = cut.pixels() == 0 || cut == plan.picture->size;
            engine.set_picture(whole ? plan.picture : middle_of(plan.picture, cut), plan.picture_name);
        }
        engine.prepare(item.work);
        if (!ahead) ahead.emplace(engine, items, options);
        SweepPoint point{plan_of_item[i], item.at, engine.record(), std::nullopt, false};
        if (const Record* known = find_known(options.known, point.record)) {
            point.record = *known;
            point.known = true;
        } else {
            const bool errors = options.errors && approximates(*item.work.lab);
            point.record = run_item(engine, item.work, options.samples, target, errors);
            if (errors) point.accuracy = engine.snapshot().result.check.accuracy;
            // Of the whole result, which a record of a sample says nothing of.
            if (point.accuracy) point.record.check = english(engine.snapshot().result.check.message);
        }
        if (plan.base.lab->bandwidth && point.record.total_ms.median > 0)
            point.gb_s = least_bytes(engine.snapshot()) / point.record.total_ms.median / 1e6;
        options.took(std::move(point), int(i) + 1, int(items.size()));
    }
}

}  // namespace ws

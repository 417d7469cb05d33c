#pragma once
// What there is to draw of an experiment.

#include <optional>
#include <string>

#include "gpu/core/experiment.h"

namespace ws {

struct ExperimentScene {
    const Experiment* experiment = nullptr;
    ControlValues values;            // as they are set
    ControlValues ran;               // with which it ran last
    std::optional<Outcome> outcome;  // none: nothing is found out yet
    bool stale = false;              // it is one of other values
    bool running = false;
    int done = 0, total = 0;  // of its measurements
    std::string problem;      // why there is no outcome
};

// What a page shows of it, one after the other: its plots, tables and timelines, and at last what others
// published.
enum class ExperimentItem : std::uint8_t { plot, table, timeline, figures };
struct ExperimentPage {
    ExperimentItem item = ExperimentItem::figures;
    std::size_t place = 0;  // in the outcome's list
};
[[nodiscard]] int experiment_pages(const ExperimentScene& scene);
[[nodiscard]] ExperimentPage experiment_page(const ExperimentScene& scene, int page);

}  // namespace ws

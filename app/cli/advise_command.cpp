#include "app/cli/advise_command.h"

#include <fmt/format.h>

#include <chrono>
#include <nlohmann/json.hpp>
#include <thread>

#include "app/cli/commands.h"
#include "app/cli/json_report.h"
#include "gpu/analysis/advisor.h"
#include "gpu/analysis/hotspot.h"
#include "gpu/engine/engine.h"
#include "gpu/engine/run_to_end.h"

namespace ws {
namespace {

using Json = nlohmann::ordered_json;

// All versions are counted: a candidate among them is estimated, not guessed.
void count_all(Engine& engine, const Work& work) {
    const Beside beside{nullptr, true, false};
    engine.prepare(work, beside);
    engine.wait_for_counts();
    while (engine.comparing()) {
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
        engine.prepare(work, beside);
    }
}

void print_advice(const Snapshot& snapshot, const Advice& advice) {
    const Lab& lab = *advice.work.lab;
    const CategoryWords& words = words_of(advice.category);
    fmt::print("V{} {} on {}\n", advice.work.version, version_of(lab, advice.work.version).title,
               snapshot.target.gpu.name);
    fmt::print("heaviest kernel: {}, {:.0f} % of the estimated time\n",
               lab.steps[std::size_t(advice.step)].name, 100 * advice.share);
    fmt::print("{}: {}\n", words.title, words.problem);
    for (const Evidence& evidence : advice.evidence) fmt::print("  {}\n", sentence_of(evidence));
    if (advice.line > 0) fmt::print("line {}: {}\n", advice.line, advice.line_text);
    fmt::print("what helps: {}\n", words.strategy);
    if (advice.candidates.empty())
        fmt::print("{}\n", advice.at_floor
                               ? fmt::format("at the floor: {:.2f} times what device memory needs "
                                             "at least",
                                             advice.floor)
                               : "no change that the model knows gains 3 %");
    for (const Candidate& candidate : advice.candidates)
        fmt::print("try {:<40} {}\n", title_of(candidate),
                   candidate.gain
                       ? fmt::format("{:.2f} times as fast, {}; then limited by: {}", *candidate.gain,
                                     candidate.estimated ? "estimated" : "predicted", candidate.limit)
                       : std::string("not counted"));
}

Json evidence_json(const Evidence& evidence) {
    return {{"indicator", name_of(evidence.of)},
            {"of", evidence.name},
            {"value", evidence.value},
            {"reference", evidence.reference},
            {"text", sentence_of(evidence)}};
}

Json candidate_json(const Candidate& candidate) {
    Json json{{"try", title_of(candidate)}};
    switch (candidate.kind) {
        case Candidate::Kind::block: {
            const Block block = candidate.work.block(candidate.step);
            json["block"] = {{"x", block.x}, {"y", block.y}};
            break;
        }
        case Candidate::Kind::knob:
            json["knob"] = {{"name", candidate.knob}, {"value", candidate.value}};
            break;
        case Candidate::Kind::version:
            json["version"] = candidate.work.version;
            break;
    }
    json["gain"] = candidate.gain ? Json(*candidate.gain) : Json(nullptr);
    json["kind"] = candidate.estimated ? "estimated" : "predicted";
    json["limiter"] = candidate.limit;
    return json;
}

}  // namespace

Json advice_json(const Snapshot& snapshot) {
    const Advice& advice = snapshot.told.advice.value();
    const CategoryWords& words = words_of(advice.category);
    Json json{{"lab", advice.work.lab->id},
              {"version", advice.work.version},
              {"gpu", snapshot.target.gpu.name},
              {"stage", advice.work.lab->steps[std::size_t(advice.step)].name},
              {"share", advice.share},
              {"category", name_of(advice.category)},
              {"title", words.title},
              {"problem", words.problem},
              {"strategy", words.strategy},
              {"line", {{"number", advice.line}, {"text", advice.line_text}}},
              {"floor", advice.floor},
              {"at_floor", advice.at_floor}};
    json["evidence"] = json["candidates"] = Json::array();
    for (const Evidence& evidence : advice.evidence) json["evidence"].push_back(evidence_json(evidence));
    for (const Candidate& candidate : advice.candidates)
        json["candidates"].push_back(candidate_json(candidate));
    return json;
}

void advise_command(const Options& options) {
    const Work work = work_of(options);
    if (!runs_anything(work)) throw UsageError("the view needs no run", "", "choose another one with --show");
    Engine engine(engine_options(options));
    if (work.lab->takes_picture())
        engine.set_picture(load_picture(options.image), picture_label(options.image));
    count_all(engine, work);
    const Snapshot& snapshot = engine.snapshot();
    if (snapshot.compiler.missing)
        throw Error("an advice needs counts, and those a compiler", "", snapshot.compiler.name);
    require_kernels(snapshot);
    if (!snapshot.told.advice)
        throw Error("there are no counts to advise on", fmt::format("V{}", work.version),
                    english(snapshot.told.now.problem));
    if (options.json)
        print_json(advice_json(snapshot));
    else
        print_advice(snapshot, *snapshot.told.advice);
}

}  // namespace ws

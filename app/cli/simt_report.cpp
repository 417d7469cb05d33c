#include "app/cli/simt_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "gpu/analysis/partitions.h"
#include "gpu/core/traffic_unit.h"

namespace ws {
namespace {

using Json = nlohmann::ordered_json;

std::vector<std::uint64_t> transactions_of(const std::vector<PartitionCounts>& partitions) {
    std::vector<std::uint64_t> list;
    list.reserve(partitions.size());
    for (const PartitionCounts& partition : partitions) list.push_back(partition.transactions);
    return list;
}

Json traffic_json(const TrafficCounts& traffic) {
    return {{"requests", traffic.requests},
            {"transactions", traffic.sectors},
            {"transactions_per_request", traffic.sectors_per_request()},
            {"bytes_requested", traffic.bytes_requested},
            {"bytes_moved", traffic.bytes_transferred},
            {"efficiency", traffic.efficiency()},
            {"replays", traffic.replays}};
}

Json shared_json(const SharedCounts& shared) {
    return {{"requests", shared.requests},
            {"wavefronts", shared.wavefronts},
            {"conflict_degree_max", shared.conflict_ways_max},
            {"broadcasts", shared.broadcasts}};
}

Json counts_json(const InstructionCounts& counts) {
    Json json{
        {"instructions", counts.instructions},
        {"thread_instructions", counts.thread_instructions},
        {"predicated_off", counts.predicated_off},
        {"dependent", counts.dependent},
        {"warp_execution_efficiency", counts.warp_execution_efficiency()},
        {"global",
         {{"load", traffic_json(counts.global_load)}, {"store", traffic_json(counts.global_store)}}},
        {"shared",
         {{"load", shared_json(counts.shared_load)},
          {"store", shared_json(counts.shared_store)},
          {"efficiency", counts.shared_efficiency()}}},
        {"local", {{"load", traffic_json(counts.local_load)}, {"store", traffic_json(counts.local_store)}}},
        {"constant", {{"requests", counts.constant_requests}, {"addresses", counts.constant_addresses}}},
        {"atomics", counts.atomics},
        {"device_launches", counts.device_launches},
        {"texture_requests", counts.texture.requests},
        {"texture", traffic_json(counts.texture)},
        {"barriers", counts.barriers},
        {"float_operations", counts.float_operations},
        {"bytes_per_instruction", counts.bytes_per_instruction()},
        {"arithmetic_intensity", counts.arithmetic_intensity()},
        {"branches", {{"total", counts.branches}, {"divergent", counts.divergent_branches}}}};
    for (std::size_t i = 0; i < kPipes; ++i) json["pipes"][name_of(Pipe(i))] = counts.pipes[i];
    return json;
}

Json estimate_json(const Estimate& estimate) {
    Json json{{"ms", estimate.ms},
              {"by", estimate.clocked ? "clock" : "bounds"},
              {"bounds_ms", estimate.bounds_ms},
              {"diagnosis", estimate.diagnosis},
              {"reason", estimate.reason},
              {"compute_percent", estimate.compute_percent},
              {"memory_percent", estimate.memory_percent},
              {"bounds", Json::array()}};
    for (const Bound& bound : estimate.bounds)
        json["bounds"].push_back({{"name", bound.name}, {"ms", bound.ms}});
    return json;
}

void print_traffic(const char* name, const TrafficCounts& traffic, std::string_view unit) {
    if (traffic.requests == 0) return;
    fmt::print(
        "{:<13} {:>12} requests {:>12} {}, {:.2f} per request; {} bytes requested, {} transferred: "
        "{} efficiency {:.1f} %\n",
        name, traffic.requests, traffic.sectors, unit, traffic.sectors_per_request(), traffic.bytes_requested,
        traffic.bytes_transferred, singular(unit), 100 * traffic.efficiency());
}

void print_shared(const char* name, const SharedCounts& shared) {
    if (shared.requests == 0) return;
    fmt::print("{:<13} {:>12} requests {:>12} wavefronts, {:.2f} per request; {}\n", name, shared.requests,
               shared.wavefronts, double(shared.wavefronts) / double(shared.requests),
               shared.conflict_ways_max > 1
                   ? fmt::format("bank conflicts: {}-way at worst", shared.conflict_ways_max)
                   : "no bank conflicts");
}

double percent(std::int64_t clocks, std::int64_t all) {
    return all > 0 ? 100 * double(clocks) / double(all) : 0;
}

// Of all clocks of the warps; 0 where none ran.
double time_percent(const SimtReport& report, int line) {
    const StateClocks* states = states_at(report.clocked.get(), line);
    return states ? percent(clocks_of(*states), clocks_of(all_states(*report.clocked))) : 0;
}

// "memory 61 %": what warps wait for most at a line.
std::string wait_text(const SimtReport& report, int line) {
    const StateClocks* states = states_at(report.clocked.get(), line);
    const std::optional<WarpState> most = states ? main_wait(*states) : std::nullopt;
    if (!most) return "-";
    return fmt::format("{} {:.0f} %", short_name(*most),
                       percent((*states)[std::size_t(*most)], clocks_of(*states)));
}

std::string line_text(const SimtReport& report, int line) {
    std::string text;
    if (line >= 1 && std::size_t(line) <= report.source_lines.size())
        text = report.source_lines[std::size_t(line) - 1];
    text.erase(0, std::min(text.find_first_not_of(" \t"), text.size()));
    return text.substr(0, 70);
}

// The lines that take most time where a clock ran, else those that are executed most, with their text.
void print_lines(const SimtReport& report) {
    constexpr std::size_t kMost = 12;
    std::vector<const LineCounts*> lines;
    for (const LineCounts& line : report.counters.lines) lines.push_back(&line);
    std::stable_sort(lines.begin(), lines.end(), [](const LineCounts* a, const LineCounts* b) {
        return a->counts.instructions > b->counts.instructions;
    });
    if (report.clocked)
        std::stable_sort(lines.begin(), lines.end(), [&](const LineCounts* a, const LineCounts* b) {
            return time_percent(report, a->line) > time_percent(report, b->line);
        });
    lines.resize(std::min(lines.size(), kMost));
    std::sort(lines.begin(), lines.end(),
              [](const LineCounts* a, const LineCounts* b) { return a->line < b->line; });
    const std::string time = report.clocked ? fmt::format(" {:>7} {:<16}", "time %", "most waiting") : "";
    fmt::print("\n{:>5} {:>12} {:>8} {:>8} {:>8}{}  {}\n", "line", "instructions", "active %", "global",
               "shared", time,
               report.clocked ? "lines with most of the warps' time, estimated" : "most executed lines");
    for (const LineCounts* line : lines) {
        const InstructionCounts& counts = line->counts;
        const auto per_request = [](std::uint64_t parts, std::uint64_t requests) {
            return requests == 0 ? std::string("-") : fmt::format("{:.2f}", double(parts) / double(requests));
        };
        fmt::print("{:>5} {:>12} {:>8.1f} {:>8} {:>8}{}  {}\n", line->line, counts.instructions,
                   100 * counts.warp_execution_efficiency(),
                   per_request(counts.global_load.sectors + counts.global_store.sectors,
                               counts.global_load.requests + counts.global_store.requests),
                   per_request(counts.shared_load.wavefronts + counts.shared_store.wavefronts,
                               counts.shared_load.requests + counts.shared_store.requests),
                   report.clocked ? fmt::format(" {:>7.1f} {:<16}", time_percent(report, line->line),
                                                wait_text(report, line->line))
                                  : "",
                   line_text(report, line->line));
    }
}

// By line, what is counted and, where a clock ran, the time: also of lines that only machine code has.
Json lines_json(const SimtReport& report) {
    std::map<int, InstructionCounts> lines;
    for (const LineCounts& line : report.counters.lines) lines[line.line] = line.counts;
    if (report.clocked) {
        for (int line = 1; line < int(report.clocked->at_line.size()); ++line) {
            if (states_at(report.clocked.get(), line)) lines.try_emplace(line);
        }
    }
    Json list = Json::array();
    for (const auto& [line, counts] : lines) {
        Json entry{{"line", line}};
        entry.update(counts_json(counts));
        if (report.clocked) {
            entry["time_percent"] = time_percent(report, line);
            const StateClocks* states = states_at(report.clocked.get(), line);
            for (std::size_t i = 0; i < kWarpStates; ++i) {
                if (is_wait(WarpState(i)))
                    entry["waits"][std::string(short_name(WarpState(i)))] =
                        states ? percent((*states)[i], clocks_of(*states)) : 0;
            }
        }
        list.push_back(std::move(entry));
    }
    return list;
}

}  // namespace

bool passes(const SimtReport& report, Severity severity) {
    return std::none_of(report.counters.findings.begin(), report.counters.findings.end(),
                        [&](const Finding& finding) { return finding.severity >= severity; });
}

Json simt_json(const SimtReport& report) {
    const KernelCounters& counters = report.counters;
    Json json{{"kernel", counters.kernel},
              {"gpu", counters.gpu},
              {"grid", report.grid},
              {"block", report.block},
              {"blocks_total", counters.blocks_total},
              {"blocks_simulated", counters.blocks_simulated},
              {"complete", report.end == RunEnd::complete},
              {"warps", counters.warps}};
    json.update(counts_json(counters.total));
    json["unique_bytes"] = counters.unique_bytes;
    json["caches"] = {
        {"model", true},
        {"l1", {{"sectors", counters.caches.l1_sectors}, {"hits", counters.caches.l1_hits}}},
        {"texture", {{"sectors", counters.caches.texture_sectors}, {"hits", counters.caches.texture_hits}}},
        {"l2", {{"sectors", counters.caches.l2_sectors}, {"hits", counters.caches.l2_hits}}}};
    if (!counters.partitions.empty()) json["partitions"] = transactions_of(counters.partitions);
    if (counters.partition_windows.blocks > 0) json["partition_imbalance"] = partition_imbalance(counters);
    json["checks"] = Json::array();
    for (const Finding& finding : counters.findings) {
        json["checks"].push_back({{"kind", name_of(finding.kind)},
                                  {"severity", name_of(finding.severity)},
                                  {"line", finding.line},
                                  {"count", finding.count},
                                  {"message", finding.message}});
    }
    json["lines"] = lines_json(report);
    json["estimate"] = report.estimate ? estimate_json(*report.estimate) : Json(nullptr);
    if (report.clocked && !report.clocked->at_line.empty())
        json["estimate"]["no_line_percent"] =
            percent(clocks_of(report.clocked->at_line.front()), clocks_of(all_states(*report.clocked)));
    if (!report.estimate) json["no_estimate"] = report.no_estimate;
    json["notes"] = report.notes;
    json["printed"] = report.printed;
    json["printed_cut"] = report.printed_cut;
    json["simulation_ms"] = counters.milliseconds;
    return json;
}

void print_report(const SimtReport& report) {
    const KernelCounters& counters = report.counters;
    const InstructionCounts& total = counters.total;
    fmt::print("{} on a simulated {}, grid {} x {} x {}, block {} x {} x {}\n", counters.kernel, counters.gpu,
               report.grid[0], report.grid[1], report.grid[2], report.block[0], report.block[1],
               report.block[2]);
    for (const std::string& note : report.notes) fmt::print("note: {}\n", note);
    if (!report.printed.empty()) {
        fmt::print("printed by the kernel{}:\n{}", report.printed_cut ? ", the first of it" : "",
                   report.printed);
        if (report.printed.back() != '\n') fmt::print("\n");
    }
    if (report.end != RunEnd::complete)
        fmt::print("INCOMPLETE: {} after {} of {} blocks; counted up to there\n",
                   report.end == RunEnd::stopped ? "stopped" : "interrupted", counters.blocks_simulated,
                   counters.blocks_total);
    else if (counters.blocks_simulated < counters.blocks_total)
        fmt::print("counts scaled from a sample of {} of {} blocks\n", counters.blocks_simulated,
                   counters.blocks_total);
    fmt::print(
        "instructions  {:>12} of warps, {:.2f} active threads per warp: warp execution efficiency {:.1f} %; "
        "{} branches, {} divergent; {} barriers\n",
        total.instructions, 32 * total.warp_execution_efficiency(), 100 * total.warp_execution_efficiency(),
        total.branches, total.divergent_branches, total.barriers);
    if (total.dependent > 0)
        fmt::print("dependent     {:>12} of them in chains, each needs the result before\n", total.dependent);
    fmt::print(
        "intensity     {:>12.2f} bytes transferred per instruction, {:.2f} float operations per byte\n",
        total.bytes_per_instruction(), total.arithmetic_intensity());
    const std::string_view unit = traffic_unit(report.capability);
    print_traffic("global load", total.global_load, unit);
    print_traffic("global store", total.global_store, unit);
    print_traffic("local load", total.local_load, unit);
    print_traffic("local store", total.local_store, unit);
    print_shared("shared load", total.shared_load);
    print_shared("shared store", total.shared_store);
    if (total.shared_load.requests + total.shared_store.requests > 0)
        fmt::print("shared memory {:>12.2f} % efficiency\n", 100 * total.shared_efficiency());
    if (total.constant_requests > 0)
        fmt::print("constant      {:>12} requests, {:.2f} different addresses per request\n",
                   total.constant_requests,
                   double(total.constant_addresses) / double(total.constant_requests));
    print_traffic("texture", total.texture, "sectors");
    if (total.atomics > 0) fmt::print("atomics       {:>12}\n", total.atomics);
    if (total.device_launches > 0)
        fmt::print("launched      {:>12} grids by kernels; what they did is in the counts\n",
                   total.device_launches);
    if (counters.unique_bytes > 0)
        fmt::print("memory        {:>12} bytes in sectors touched at least once\n", counters.unique_bytes);
    if (!counters.partitions.empty())
        fmt::print("partitions    {}: transactions per memory partition\n",
                   fmt::join(transactions_of(counters.partitions), " "));
    if (counters.partition_windows.blocks > 0)
        fmt::print(
            "              {:>12.2f} times the mean in the busiest partition of blocks that run together\n",
            partition_imbalance(counters));
    const CacheModel& caches = counters.caches;
    if (caches.texture_sectors > 0)
        fmt::print("tex (model)   {:>12.1f} % of {} sectors hit\n",
                   100.0 * double(caches.texture_hits) / double(caches.texture_sectors),
                   caches.texture_sectors);
    if (caches.l1_sectors > 0)
        fmt::print("L1 (model)    {:>12.1f} % of {} sectors hit\n",
                   100.0 * double(caches.l1_hits) / double(caches.l1_sectors), caches.l1_sectors);
    if (caches.l2_sectors > 0)
        fmt::print("L2 (model)    {:>12.1f} % of {} sectors hit\n",
                   100.0 * double(caches.l2_hits) / double(caches.l2_sectors), caches.l2_sectors);
    print_lines(report);
    if (report.estimate && report.estimate->ms > 0) {
        const Estimate& estimate = *report.estimate;
        fmt::print("\nestimated time {:.4f} ms{}: {} ({})\n", estimate.ms,
                   estimate.clocked ? " by the clock of a multiprocessor" : "", estimate.diagnosis,
                   estimate.reason);
        for (std::size_t i = 0; i < std::min<std::size_t>(4, estimate.bounds.size()); ++i) {
            const Bound& bound = estimate.bounds[i];
            const bool within = estimate.clocked && bound.part != Part::latency;
            fmt::print("    {:<20} {} {:.4f} ms\n", bound.name, within ? "busy " : "alone", bound.ms);
        }
    }
    if (!report.estimate) fmt::print("\nno estimated time: {}\n", report.no_estimate);
    fmt::print("\n");
    if (counters.findings.empty() && report.end == RunEnd::complete) fmt::print("checks: nothing found\n");
    for (const Finding& finding : counters.findings)
        fmt::print("{}: {}: {}{}\n", name_of(finding.severity), name_of(finding.kind), finding.message,
                   finding.count > 1 ? fmt::format(" ({} times)", finding.count) : "");
    fmt::print("simulated in {:.0f} ms\n", counters.milliseconds);
}

}  // namespace ws

#include "gpu/analysis/comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "gpu/analysis/arithmetic.h"
#include "gpu/core/traffic_unit.h"

namespace ws {
namespace {

constexpr double kUnchanged = 0.005;
constexpr double kNoise = 0.02;

const InstructionCounts& total(const StepResult& result) {
    return result.counters->total;
}

double shared_requests(const StepResult& result) {
    return double(total(result).shared_load.requests + total(result).shared_store.requests);
}
double shared_wavefronts(const StepResult& result) {
    return double(total(result).shared_load.wavefronts + total(result).shared_store.wavefronts);
}
double shared_ideal(const StepResult& result) {
    return double(total(result).shared_load.ideal + total(result).shared_store.ideal);
}
double local_traffic(const StepResult& result) {
    return double(total(result).local_load.sectors + total(result).local_store.sectors);
}

bool always(const StepResult&) {
    return true;
}
bool loads(const StepResult& result) {
    return total(result).global_load.requests > 0;
}
bool stores(const StepResult& result) {
    return total(result).global_store.requests > 0;
}
bool uses_shared(const StepResult& result) {
    return shared_requests(result) > 0;
}
bool uses_textures(const StepResult& result) {
    return total(result).texture.requests > 0;
}
bool estimated(const StepResult& result) {
    return result.estimate && result.estimate->ms > 0;
}

// Where a result has none of a kind, its value is 0.
constexpr std::array kQuantities{
    Quantity{"estimated time", Form::time, Better::less,
             [](const StepResult& r) { return estimated(r) ? r.estimate->ms : 0; }, estimated},
    Quantity{"warp instructions", Form::count, Better::less,
             [](const StepResult& r) { return double(total(r).instructions); }, always},
    Quantity{"global bytes transferred", Form::count, Better::less,
             [](const StepResult& r) { return double(total(r).global_bytes_transferred()); }, always},
    Quantity{"load requests", Form::count, Better::neither,
             [](const StepResult& r) { return double(total(r).global_load.requests); }, always},
    Quantity{"load {}", Form::count, Better::less,
             [](const StepResult& r) { return double(total(r).global_load.sectors); }, always},
    Quantity{"{} per load", Form::ratio, Better::neither,
             [](const StepResult& r) { return total(r).global_load.sectors_per_request(); }, loads},
    Quantity{"load {1} efficiency", Form::percent, Better::neither,
             [](const StepResult& r) { return total(r).global_load.efficiency(); }, loads},
    Quantity{"load over-fetch", Form::percent, Better::neither,
             [](const StepResult& r) {
                 const double efficiency = total(r).global_load.efficiency();
                 return efficiency > 0 ? 1 / efficiency - 1 : 0;
             },
             loads},
    Quantity{"{} per store", Form::ratio, Better::neither,
             [](const StepResult& r) { return total(r).global_store.sectors_per_request(); }, stores},
    Quantity{"store {1} efficiency", Form::percent, Better::neither,
             [](const StepResult& r) { return total(r).global_store.efficiency(); }, stores},
    Quantity{"shared requests", Form::count, Better::neither, shared_requests, uses_shared},
    Quantity{"shared wavefronts", Form::count, Better::less, shared_wavefronts, uses_shared},
    Quantity{"wavefronts per request", Form::ratio, Better::neither,
             [](const StepResult& r) { return share(shared_wavefronts(r), shared_requests(r)); },
             uses_shared},
    Quantity{"bank conflict wavefronts", Form::count, Better::less,
             [](const StepResult& r) { return shared_wavefronts(r) - shared_ideal(r); }, uses_shared},
    Quantity{"bank conflicts, worst n-way", Form::count, Better::less,
             [](const StepResult& r) {
                 return double(std::max(total(r).shared_load.conflict_ways_max,
                                        total(r).shared_store.conflict_ways_max));
             },
             uses_shared},
    Quantity{"words per constant load", Form::ratio, Better::less,
             [](const StepResult& r) {
                 return share(double(total(r).constant_addresses), double(total(r).constant_requests));
             },
             [](const StepResult& r) { return total(r).constant_requests > 0; }},
    Quantity{"texture requests", Form::count, Better::neither,
             [](const StepResult& r) { return double(total(r).texture.requests); }, uses_textures},
    Quantity{"texture sectors", Form::count, Better::less,
             [](const StepResult& r) { return double(total(r).texture.sectors); }, uses_textures},
    Quantity{"sectors per texture request", Form::ratio, Better::neither,
             [](const StepResult& r) { return total(r).texture.sectors_per_request(); }, uses_textures},
    Quantity{"local {} (arrays)", Form::count, Better::less, local_traffic,
             [](const StepResult& r) { return local_traffic(r) > 0; }},
    // Of the machine code: what is counted runs PTX, which has registers for everything.
    Quantity{"spilled bytes per thread", Form::count, Better::less,
             [](const StepResult& r) { return double(r.code.spill_bytes()); },
             [](const StepResult& r) { return r.code.spill_bytes() > 0; }},
    Quantity{"warp execution efficiency", Form::percent, Better::more,
             [](const StepResult& r) { return total(r).warp_execution_efficiency(); }, always},
    Quantity{"divergent branches", Form::count, Better::less,
             [](const StepResult& r) { return double(total(r).divergent_branches); }, always},
    Quantity{"bytes per instruction", Form::ratio, Better::neither,
             [](const StepResult& r) { return total(r).bytes_per_instruction(); }, always},
    Quantity{"float operations per byte", Form::ratio, Better::neither,
             [](const StepResult& r) { return total(r).arithmetic_intensity(); },
             [](const StepResult& r) { return total(r).float_operations > 0; }},
    Quantity{"L1 hits (model)", Form::percent, Better::neither,
             [](const StepResult& r) {
                 return share(double(r.counters->caches.l1_hits), double(r.counters->caches.l1_sectors));
             },
             [](const StepResult& r) { return r.counters->caches.l1_sectors > 0; }},
    Quantity{"texture hits (model)", Form::percent, Better::neither,
             [](const StepResult& r) {
                 return share(double(r.counters->caches.texture_hits),
                              double(r.counters->caches.texture_sectors));
             },
             [](const StepResult& r) { return r.counters->caches.texture_sectors > 0; }},
    Quantity{"L2 hits (model)", Form::percent, Better::neither,
             [](const StepResult& r) {
                 return share(double(r.counters->caches.l2_hits), double(r.counters->caches.l2_sectors));
             },
             [](const StepResult& r) { return r.counters->caches.l2_sectors > 0; }},
    Quantity{"grids launched by kernels", Form::count, Better::less,
             [](const StepResult& r) { return double(total(r).device_launches); },
             [](const StepResult& r) { return total(r).device_launches > 0; }},
};

std::string rose(const std::string& what, double now, double old) {
    return old > 0 ? fmt::format("{} rose {:.2f}-fold", what, now / old) : fmt::format("{} appear", what);
}

bool counts_alike(const StepResult& now, const StepResult& before) {
    return std::all_of(kQuantities.begin(), kQuantities.end(), [&](const Quantity& quantity) {
        return change_of(quantity, quantity.of(now), quantity.of(before)) == Change::same;
    });
}

// Why a change that helps elsewhere does nothing on this GPU, where that is known.
std::string why_nothing(const StepResult& now, const StepResult& before) {
    const bool wider =
        now.key.launch.banks == BankWidth::eight_bytes && before.key.launch.banks != BankWidth::eight_bytes;
    if (wider && now.key.gpu.limits.capability.major != 3)
        return fmt::format(" Only compute capability 3.x has banks of 8 bytes; this GPU has {}.",
                           now.key.gpu.limits.capability.text());
    return "";
}

// The bounds of several kernels one after the other: each kind adds up.
void add(Estimate& sum, const Estimate& part) {
    for (const Bound& bound : part.bounds) {
        const auto known = std::find_if(sum.bounds.begin(), sum.bounds.end(),
                                        [&](const Bound& other) { return other.part == bound.part; });
        if (known == sum.bounds.end())
            sum.bounds.push_back(bound);
        else
            known->ms += bound.ms;
    }
    sum.ms += part.ms;
}

}  // namespace

std::span<const Quantity> quantities() {
    return kQuantities;
}

Message label_message(const Quantity& quantity, ComputeCapability capability) {
    const std::string_view unit = traffic_unit(capability);
    const std::string_view pattern = quantity.label;
    if (pattern.find('{') == std::string_view::npos) return quantity.label;
    return {quantity.label, {std::string(unit), std::string(singular(unit))}};
}

std::string label_of(const Quantity& quantity, ComputeCapability capability) {
    return english(label_message(quantity, capability));
}

Change change_of(const Quantity& quantity, double now, double before) {
    if (now == before || (before != 0 && std::abs(now / before - 1) < kUnchanged)) return Change::same;
    if (quantity.better == Better::neither) return Change::other;
    return (now < before) == (quantity.better == Better::less) ? Change::better : Change::worse;
}

StepResult together(std::vector<StepResult> parts, const std::vector<int>& by_weight) {
    if (parts.size() == 1) return std::move(parts.front());
    const auto weight = [&](const StepResult& part) {
        return std::find(by_weight.begin(), by_weight.end(), part.key.launch.step) - by_weight.begin();
    };
    StepResult made =
        *std::min_element(parts.begin(), parts.end(),
                          [&](const StepResult& a, const StepResult& b) { return weight(a) < weight(b); });
    KernelCounters sum = *made.counters;
    sum.total = {};
    sum.caches = {};
    sum.blocks_total = sum.blocks_simulated = sum.warps = sum.unique_bytes = 0;
    sum.lines.clear();  // of different files
    sum.accesses.clear();
    sum.findings.clear();
    std::optional<Estimate> estimate = Estimate{};
    for (const StepResult& part : parts) {
        const KernelCounters& counters = *part.counters;
        sum.total += counters.total;
        sum.caches += counters.caches;
        sum.blocks_total += counters.blocks_total;
        sum.blocks_simulated += counters.blocks_simulated;
        sum.warps += counters.warps;
        sum.unique_bytes += counters.unique_bytes;
        if (!part.estimate || part.estimate->ms <= 0) estimate.reset();
        if (estimate) add(*estimate, *part.estimate);
    }
    if (estimate)
        std::stable_sort(estimate->bounds.begin(), estimate->bounds.end(),
                         [](const Bound& a, const Bound& b) { return a.ms > b.ms; });
    made.counters = std::make_shared<const KernelCounters>(std::move(sum));
    made.estimate = std::move(estimate);
    made.clocked.reset();  // of different files
    return made;
}

std::string causes(const StepResult& now, const StepResult& before) {
    std::vector<std::string> list;
    for (const Quantity& quantity : kQuantities) {
        if (quantity.form != Form::count || quantity.better != Better::less) continue;
        const double value = quantity.of(now);
        const double old = quantity.of(before);
        if (value > (1 + kNoise) * old)
            list.push_back(rose(label_of(quantity, now.key.gpu.limits.capability), value, old));
    }
    if (now.occupancy && before.occupancy && now.occupancy->percent < before.occupancy->percent)
        list.push_back(fmt::format("theoretical occupancy fell from {:.0f} % to {:.0f} % (limiter: {})",
                                   before.occupancy->percent, now.occupancy->percent,
                                   fmt::join(now.occupancy->limited_by, " and ")));
    return fmt::format("{}", fmt::join(list, ", "));
}

std::string verdict(const StepResult& now, const StepResult& before, const std::string& name) {
    if (!estimated(now) || !estimated(before)) return "";
    const double change = now.estimate->ms / before.estimate->ms - 1;
    if (change < -kNoise) return "";
    if (change <= kNoise) {
        const std::string gain =
            counts_alike(now, before)
                ? fmt::format(
                      "{} gains nothing over {}: every count is the same; the compiler generates the "
                      "same accesses for both.",
                      now.key.gpu.name, name)
                : fmt::format("Estimated as fast as {}, within 2 %.", name);
        return gain + why_nothing(now, before);
    }
    const Bound& limit = now.estimate->bounds.front();
    const Bound& old_limit = before.estimate->bounds.front();
    std::string why = limit.name == old_limit.name
                          ? fmt::format("still bound by {}", limit.name)
                          : fmt::format("bound by {} instead of {}", limit.name, old_limit.name);
    if (const std::string list = causes(now, before); !list.empty()) why += "; " + list;
    // Beyond twice the time a percentage is hard to read.
    const std::string how = change < 1 ? fmt::format("{:.0f} % slower than {}", 100 * change, name)
                                       : fmt::format("to take {:.1f} times as long as {}", 1 + change, name);
    return fmt::format("Estimated {}: {}.", how, why) + why_nothing(now, before);
}

namespace {

// Bytes of a thread: fewer are little beside what it reads and writes anyway, however often zero they are.
constexpr double kFewSpills = 256;

// The parts of the GPU that a quantity keeps busy.
struct Cause {
    std::string_view label;
    Parts parts;
    double (*amount)(const StepResult&) = nullptr;  // what counts where that is not the quantity itself
    bool reads = false;  // explains nothing where only one of the two reads through textures
};
constexpr std::array kCauses{
    Cause{"load requests", bit(Part::lsu) | bit(Part::latency) | bit(Part::l1), nullptr, true},
    Cause{"load {}", bit(Part::l1) | bit(Part::l2) | bit(Part::transactions) | bit(Part::memory), nullptr,
          true},
    Cause{"{} per store", bit(Part::l1) | bit(Part::l2) | bit(Part::transactions) | bit(Part::memory),
          [](const StepResult& r) { return double(total(r).global_store.sectors); }},
    Cause{"global bytes transferred", bit(Part::memory) | bit(Part::l2) | bit(Part::transactions)},
    Cause{"warp instructions", bit(Part::issue) | bit(Part::alu) | bit(Part::fma) | bit(Part::conversion) |
                                   bit(Part::xu) | bit(Part::adu)},
    Cause{"shared wavefronts", bit(Part::shared)},
    Cause{"bank conflict wavefronts", bit(Part::shared)},
    Cause{"words per constant load", bit(Part::constant)},
    Cause{"texture requests", bit(Part::texture) | bit(Part::latency), nullptr, true},
    Cause{"texture sectors", bit(Part::l1) | bit(Part::l2) | bit(Part::memory), nullptr, true},
    Cause{"local {} (arrays)", bit(Part::l1) | bit(Part::lsu)},
    Cause{"spilled bytes per thread", bit(Part::lsu) | bit(Part::l1) | bit(Part::l2) | bit(Part::memory),
          [](const StepResult& r) { return kFewSpills + double(r.code.spill_bytes()); }},
};

}  // namespace

Reasons reasons(const WorkFigures& now, const WorkFigures& before) {
    const std::vector<int>& by_weight = now.work.lab->by_weight;
    const StepResult a = together(now.steps, by_weight);
    const StepResult b = together(before.steps, by_weight);
    Reasons made;
    if (!estimated(a) || !estimated(b)) return made;
    made.limiter_now = a.estimate->bounds.front().name;
    made.limiter_before = b.estimate->bounds.front().name;
    made.alike = counts_alike(a, b);
    // What explains most is what has changed a lot and belongs to a part of the GPU that takes long in the
    // slower of the two; what speaks against it, in the faster.
    const bool faster = a.estimate->ms <= b.estimate->ms;
    const Estimate& slower = faster ? *b.estimate : *a.estimate;
    const Estimate& quicker = faster ? *a.estimate : *b.estimate;
    std::vector<std::pair<double, Shift>> ranked;
    double most_against = 0;
    const auto weigh = [&](double fold, Parts parts, const Shift& shift) {
        constexpr double kTold = 1.25;     // what changed by less is no second half of a sentence
        constexpr double kNotable = 0.05;  // nor what hardly takes time
        const auto weight = [&](const Estimate& of) {
            return std::min(std::abs(fold), 3.0) * of.longest(parts) / of.ms;
        };
        if (fold >= std::log(1 + kNoise)) ranked.emplace_back(weight(slower), shift);
        if (fold > -std::log(kTold) || weight(quicker) <= std::max(most_against, kNotable)) return;
        most_against = weight(quicker);
        made.against = shift;
    };
    const double sign = faster ? 1 : -1;
    for (const Quantity& quantity : kQuantities) {
        const auto cause = std::find_if(kCauses.begin(), kCauses.end(),
                                        [&](const Cause& one) { return one.label == quantity.label; });
        if (cause == kCauses.end() || (cause->reads && uses_textures(a) != uses_textures(b))) continue;
        constexpr double kFloor = 1;  // counts
        const auto amount = cause->amount ? cause->amount : quantity.of;
        const double fold = std::log((amount(b) + kFloor) / (amount(a) + kFloor));
        // A ratio that goes the other way than what it stands for explains nothing.
        if (cause->amount && fold * (quantity.of(b) - quantity.of(a)) <= 0) continue;
        weigh(sign * fold, cause->parts,
              {label_message(quantity, a.key.gpu.limits.capability), quantity.form, quantity.of(a),
               quantity.of(b)});
    }
    if (a.occupancy && b.occupancy) {
        const double value = a.occupancy->percent / 100;
        const double old = b.occupancy->percent / 100;
        weigh(sign * std::log(value / old), bit(Part::latency),
              {message("theoretical occupancy"), Form::percent, value, old});
    }
    std::stable_sort(ranked.begin(), ranked.end(),
                     [](const auto& x, const auto& y) { return x.first > y.first; });
    for (auto& [weight, shift] : ranked) made.shifts.push_back(std::move(shift));
    return made;
}

}  // namespace ws

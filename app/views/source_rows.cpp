#include "app/views/source_rows.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "app/texts/error_line.h"
#include "app/views/words.h"
#include "gpu/core/traffic_unit.h"

namespace ws {
namespace {

constexpr int kFewestFolded = 3;

double instructions(const InstructionCounts& c) {
    return double(c.instructions);
}
double load_requests(const InstructionCounts& c) {
    return double(c.global_load.requests);
}
double load_sectors(const InstructionCounts& c) {
    return double(c.global_load.sectors);
}
double store_sectors(const InstructionCounts& c) {
    return double(c.global_store.sectors);
}
double wavefronts(const InstructionCounts& c) {
    return double(c.shared_load.wavefronts + c.shared_store.wavefronts);
}

constexpr std::array kQuantities{LineQuantity{"source.instructions", "warp instructions", instructions},
                                 LineQuantity{"source.load_requests", "load requests", load_requests},
                                 LineQuantity{"source.load_sectors", "load {}", load_sectors},
                                 LineQuantity{"source.store_sectors", "store {}", store_sectors},
                                 LineQuantity{"source.wavefronts", "shared wavefronts", wavefronts}};

// The first whole number of a text.
int leading_number(std::string_view text) {
    int number = 0;
    std::from_chars(text.data(), text.data() + text.size(), number);
    return number;
}

bool is_now(const SourceLine& line) {
    return line.change != LineChange::removed;
}

// A blank line, or one that is a comment: a change of it is no change of the kernel.
bool is_note(const SourceLines& lines, const SourceLine& line) {
    const std::string_view text = lines.of(line);
    const std::size_t first = text.find_first_not_of(" \t");
    return line.in_comment || first == std::string_view::npos || text.substr(first).starts_with("//");
}

bool is_changed(const SourceLines& lines, const SourceLine& line) {
    return line.change != LineChange::same && !is_note(lines, line);
}

// The place of a line of the source among all lines.
std::size_t place_of(const SourceLines& lines, int number) {
    const auto found = std::find_if(lines.lines.begin(), lines.lines.end(), [&](const SourceLine& line) {
        return is_now(line) && line.number == number;
    });
    return std::size_t(found - lines.lines.begin());
}

}  // namespace

bool SourceRows::quiet(std::size_t at) const {
    const std::vector<SourceLine>& all = lines_.lines;
    const auto same = [&](std::size_t i) { return i >= all.size() || !is_changed(lines_, all[i]); };
    return same(at) && same(at + 1) && (at == 0 || same(at - 1));
}

std::optional<SourceRow> SourceRows::next() {
    const std::vector<SourceLine>& all = lines_.lines;
    const auto hidden = [&](const SourceLine& line) {
        return !is_now(line) && (!choice_.removed || is_note(lines_, line));
    };
    while (at_ < all.size() && hidden(all[at_])) ++at_;
    if (at_ >= all.size()) return std::nullopt;
    if (choice_.folds && lines_.changed && at_ >= open_until_ && quiet(at_)) {
        std::size_t end = at_;
        bool open = false;
        for (; end < all.size() && quiet(end); ++end)
            open |= is_now(all[end]) && std::find(choice_.open.begin(), choice_.open.end(),
                                                  all[end].number) != choice_.open.end();
        std::size_t last = end - 1;
        while (last > at_ && !is_now(all[last])) --last;
        if (!open && all[last].number - all[at_].number + 1 >= kFewestFolded) {
            const SourceRow row{at_, last, true};
            at_ = end;
            return row;
        }
        open_until_ = end;
    }
    const SourceRow row{at_, at_, false};
    ++at_;
    return row;
}

const InstructionCounts* counts_of(const KernelCounters* counters, int line) {
    if (!counters || line <= 0) return nullptr;
    const std::vector<LineCounts>& lines = counters->lines;
    const auto found =
        std::lower_bound(lines.begin(), lines.end(), line,
                         [](const LineCounts& entry, int wanted) { return entry.line < wanted; });
    return found != lines.end() && found->line == line ? &found->counts : nullptr;
}

const KernelCounters* own_counters(const StepSnapshot& step) {
    return step.counts.source.name == step.source.name ? step.counters() : nullptr;
}

const StepResult* before_result(const Snapshot& snapshot, const StepSnapshot& step) {
    if (!step.built.lines || step.built.lines->before.empty()) return nullptr;
    if (step.counts.baseline.result) return &*step.counts.baseline.result;
    return snapshot.told.baseline ? step_of(*snapshot.told.baseline, step.step) : nullptr;
}

const ClockedLaunch* own_clock(const StepSnapshot& step) {
    return own_counters(step) ? step.counts.result->clocked.get() : nullptr;
}

double time_share(const ClockedLaunch& clocked, int line) {
    const StateClocks* states = states_at(&clocked, line);
    return states ? double(clocks_of(*states)) / double(clocks_of(all_states(clocked))) : 0;
}

std::array<LineWait, kLineWaits> waits_at(const ClockedLaunch* clocked, int line) {
    constexpr double kLeast = 0.005;  // what is less is written as 0 %
    std::array<LineWait, kLineWaits> made{};
    const StateClocks* states = states_at(clocked, line);
    if (!states) return made;
    StateClocks left = *states;
    for (LineWait& wait : made) {
        const std::optional<WarpState> most = main_wait(left);
        if (!most) break;
        wait.state = *most;
        wait.share = double(left[std::size_t(*most)]) / double(clocks_of(*states));
        if (wait.share < kLeast) wait.share = 0;
        left[std::size_t(*most)] = 0;
    }
    return made;
}

int counted_line(const SourceLines& lines, int line) {
    const std::size_t at = place_of(lines, line);
    return at < lines.lines.size() ? lines.lines[at].counted : 0;
}

int shown_line(const SourceLines& lines, int counted) {
    for (const SourceLine& line : lines.lines) {
        if (is_now(line) && line.counted == counted) return line.number;
    }
    return 0;
}

std::optional<SourceTrouble> compile_trouble(std::string_view log, std::string_view name) {
    for (std::size_t at = 0; at < log.size();) {
        const std::size_t end = std::min(log.find('\n', at), log.size());
        std::string_view line = log.substr(at, end - at);
        at = end + 1;
        if (!line.starts_with(name)) continue;
        line.remove_prefix(name.size());
        const bool compiler = line.starts_with(".cu(");
        if (!compiler && !line.starts_with(".cu:")) continue;
        line.remove_prefix(4);
        SourceTrouble trouble;
        trouble.line = leading_number(line);
        const std::string_view mark = compiler ? "): error: " : ": ";
        const std::size_t from = line.find(mark);
        if (trouble.line == 0 || from == std::string_view::npos) continue;  // a warning
        trouble.message = line.substr(from + mark.size());
        if (const std::size_t open = trouble.message.find('"'); open != std::string_view::npos) {
            const std::size_t close = trouble.message.find('"', open + 1);
            if (close != std::string_view::npos)
                trouble.token = trouble.message.substr(open + 1, close - open - 1);
        }
        return trouble;
    }
    return std::nullopt;
}

std::optional<SourceTrouble> trouble_of(const Snapshot& snapshot, const StepSnapshot& step) {
    if (!step.built.error.empty()) return compile_trouble(step.built.error, step.source.name);
    if (snapshot.run.failure && snapshot.run.failure->step == step.step && snapshot.run.failure->line > 0)
        return SourceTrouble{SourceTrouble::Kind::refused,
                             snapshot.run.failure->line,
                             said_line(snapshot.run.failure->message),
                             {}};
    return std::nullopt;
}

Traffic traffic_of(const InstructionCounts& counts) {
    const std::array<std::uint64_t, 4> amounts{counts.global_load.sectors, counts.global_store.sectors,
                                               counts.shared_load.wavefronts, counts.shared_store.wavefronts};
    const auto most = std::max_element(amounts.begin(), amounts.end());
    return *most == 0 ? Traffic::none : Traffic(1 + (most - amounts.begin()));
}

const AccessExample* example_of(const KernelCounters* counters, int counted_line) {
    if (!counters || counted_line <= 0) return nullptr;
    const InstructionCounts* counts = counts_of(counters, counted_line);
    const Traffic wanted = counts ? traffic_of(*counts) : Traffic::none;
    const AccessExample* found = nullptr;
    for (const AccessExample& access : counters->accesses) {
        if (access.line != counted_line) continue;
        const Traffic kind = access.shared ? (access.store ? Traffic::shared_store : Traffic::shared_load)
                                           : (access.store ? Traffic::global_store : Traffic::global_load);
        if (kind == wanted) return &access;
        if (!found) found = &access;
    }
    return found;
}

std::span<const LineQuantity> line_quantities() {
    return kQuantities;
}

const LineQuantity& told_quantity(const Snapshot& snapshot, const StepSnapshot& step) {
    const KernelCounters* now = own_counters(step);
    const StepResult* before = before_result(snapshot, step);
    if (!now || !before) return kQuantities.front();
    const auto both = [&](const LineQuantity& quantity) {
        return quantity.of(now->total) > 0 || quantity.of(before->counters->total) > 0;
    };
    if (snapshot.told.reasons) {
        for (const Shift& shift : snapshot.told.reasons->shifts) {
            for (const LineQuantity& quantity : kQuantities) {
                if (shift.quantity.pattern() == quantity.name && both(quantity)) return quantity;
            }
        }
    }
    // Without reasons: what changed by the largest factor.
    const LineQuantity* best = &kQuantities.front();
    double most = 0;
    for (const LineQuantity& quantity : kQuantities) {
        const double a = quantity.of(now->total);
        const double b = quantity.of(before->counters->total);
        if (a <= 0 || b <= 0) continue;
        const double change = std::abs(std::log(a / b));
        if (change > most) best = &quantity;
        most = std::max(most, change);
    }
    return *best;
}

int top_line(const KernelCounters& counters, const LineQuantity& quantity) {
    int line = 0;
    double most = 0;
    for (const LineCounts& entry : counters.lines) {
        const double amount = quantity.of(entry.counts);
        if (amount <= most) continue;
        most = amount;
        line = entry.line;
    }
    return line;
}

int chosen_line(const Snapshot& snapshot, const StepSnapshot& step, int chosen) {
    if (!step.built.lines) return 0;
    if (chosen > 0 && place_of(*step.built.lines, chosen) < step.built.lines->lines.size()) return chosen;
    const KernelCounters* counters = own_counters(step);
    if (!counters) return 0;
    int line = top_line(*counters, told_quantity(snapshot, step));
    if (line == 0) line = top_line(*counters, kQuantities.front());
    return shown_line(*step.built.lines, line);
}

namespace {

// The next line that is shown, or that is new, in a direction.
int step_target(const SourceLines& lines, const SourceChoice& choice, int from, bool changes, int by) {
    int before = 0;
    bool in_change = false;  // the row before is of the same change
    SourceRows rows(lines, choice);
    while (const auto row = rows.next()) {
        const SourceLine& line = lines.lines[row->first];
        const bool changed = is_changed(lines, line);
        // A change is told by its first line that is there now.
        if (row->folded || !is_now(line)) {
            if (row->folded) in_change = false;
            continue;
        }
        const bool counts = !changes || (changed && !in_change);
        in_change = changed;
        if (!counts) continue;
        if (by > 0 && line.number > from) return line.number;
        if (by < 0 && line.number >= from) return before;
        before = line.number;
    }
    return by < 0 ? before : 0;
}

// The next in order of warp instructions, and from the coolest to the hottest again.
int next_hottest(const SourceLines& lines, const KernelCounters& counters, int from) {
    const InstructionCounts* now = counts_of(&counters, counted_line(lines, from));
    int best = 0;
    double most = -1;
    int top = 0;
    double top_heat = -1;
    for (const LineCounts& entry : counters.lines) {
        const int line = shown_line(lines, entry.line);
        const double heat = instructions(entry.counts);
        if (line == 0) continue;
        if (heat > top_heat) {
            top = line;
            top_heat = heat;
        }
        const bool cooler = now && (heat < instructions(*now) || (heat == instructions(*now) && line > from));
        if (!cooler || heat <= most) continue;
        best = line;
        most = heat;
    }
    return best ? best : top;
}

}  // namespace

int jump_target(const Snapshot& snapshot, const StepSnapshot& step, const SourceChoice& choice, int from,
                SourceJump jump, int by) {
    if (!step.built.lines) return 0;
    switch (jump) {
        case SourceJump::line:
            return step_target(*step.built.lines, choice, from, false, by);
        case SourceJump::change:
            return step_target(*step.built.lines, choice, from, true, by);
        case SourceJump::hottest:
            return own_counters(step) ? next_hottest(*step.built.lines, *own_counters(step), from) : 0;
        case SourceJump::trouble: {
            const std::optional<SourceTrouble> trouble = trouble_of(snapshot, step);
            return trouble ? trouble->line : 0;
        }
    }
    return 0;
}

}  // namespace ws

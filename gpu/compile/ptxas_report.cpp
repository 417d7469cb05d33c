#include "gpu/compile/ptxas_report.h"

#include <algorithm>
#include <cctype>

namespace ws {
namespace {

constexpr std::string_view kEntry = "Compiling entry function '";

// The number right before `unit`, summed over all places: "360 bytes cmem[0], 8 bytes cmem[2]".
int sum_before(std::string_view log, std::string_view unit) {
    int sum = 0;
    for (std::size_t at = log.find(unit); at != std::string_view::npos; at = log.find(unit, at + 1)) {
        std::size_t first = at;
        while (first > 0 && std::isdigit(static_cast<unsigned char>(log[first - 1]))) --first;
        int value = 0;
        for (std::size_t i = first; i < at; ++i) value = value * 10 + (log[i] - '0');
        sum += value;
    }
    return sum;
}

struct Section {
    std::string_view entry;
    std::string_view text;  // its own properties; those of functions that it calls follow and are left out
};

std::vector<Section> sections(std::string_view log) {
    std::vector<Section> list;
    for (std::size_t at = log.find(kEntry); at != std::string_view::npos;) {
        const std::size_t name = at + kEntry.size();
        const std::size_t next = log.find(kEntry, name);
        std::string_view text = log.substr(name, next == std::string_view::npos ? next : next - name);
        const std::string_view entry = text.substr(0, text.find('\''));
        // "Function properties for NAME": the first is the kernel's, before the line with its registers.
        const std::size_t used = text.find(" registers");
        if (used != std::string_view::npos) text = text.substr(0, text.find('\n', used));
        list.push_back({entry, text});
        at = next;
    }
    return list;
}

}  // namespace

bool read_ptxas_report(std::string_view log, std::string_view entry, CompileReport& report) {
    for (const Section& section : sections(log)) {
        if (section.entry != entry) continue;
        const int stack = sum_before(section.text, " bytes cumulative stack size");
        report.registers = sum_before(section.text, " registers");
        report.shared_bytes = sum_before(section.text, " bytes smem");
        // With what the functions take that it calls, where they are not inlined.
        report.local_bytes = stack > 0 ? stack : sum_before(section.text, " bytes stack frame");
        // The module's line before all kernels reports __constant__ variables, which they share.
        report.constant_bytes = sum_before(log.substr(0, log.find(kEntry)), " bytes cmem") +
                                sum_before(section.text, " bytes cmem");
        report.code.spill_store_bytes = sum_before(section.text, " bytes spill stores");
        report.code.spill_load_bytes = sum_before(section.text, " bytes spill loads");
        return true;
    }
    return false;
}

std::vector<std::string> ptxas_entries(std::string_view log) {
    std::vector<std::string> names;
    for (const Section& section : sections(log)) names.emplace_back(section.entry);
    return names;
}

std::string without_ptxas_report(std::string_view log) {
    std::string kept;
    while (!log.empty()) {
        const std::size_t end = std::min(log.find('\n'), log.size() - 1) + 1;
        if (!log.starts_with("ptxas")) kept += log.substr(0, end);
        log.remove_prefix(end);
    }
    return kept;
}

}  // namespace ws

#include "gpu/compile/ptxas_report.h"

#include <cctype>

namespace ws {
namespace {

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

}  // namespace

void read_ptxas_report(std::string_view log, CompileReport& report) {
    report.registers = sum_before(log, " registers");
    report.shared_bytes = sum_before(log, " bytes smem");
    report.local_bytes = sum_before(log, " bytes stack frame");
    report.constant_bytes = sum_before(log, " bytes cmem");
    report.spill_store_bytes = sum_before(log, " bytes spill stores");
    report.spill_load_bytes = sum_before(log, " bytes spill loads");
}

}  // namespace ws

#pragma once
// An estimated time of a kernel, with what bounds it.

#include <string>
#include <vector>

namespace ws {

struct Bound {
    std::string name;  // "FMA pipe"
    double ms = 0;
    bool is_compute = false;
    bool is_memory = false;
};

struct Estimate {
    double ms = 0;
    std::vector<Bound> bounds;   // longest first
    double compute_percent = 0;  // throughput of the most used compute unit, of its peak
    double memory_percent = 0;   // throughput of the most used part of the memory system, of its peak
    std::string diagnosis;       // "compute bound", by the rule of 60 %
    std::string reason;          // with the numbers
};

}  // namespace ws

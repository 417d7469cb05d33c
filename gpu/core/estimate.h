#pragma once
// An estimated time of a kernel, with what bounds it.

#include <string>
#include <vector>

namespace ws {

struct Bound {
    std::string name;  // "float pipe"
    double ms = 0;
    bool is_compute = false;
    bool is_memory = false;
};

struct Estimate {
    double ms = 0;
    std::vector<Bound> bounds;   // longest first
    double compute_percent = 0;  // of the busiest compute unit while the kernel runs
    double memory_percent = 0;   // of the busiest part of the memory system
    std::string diagnosis;       // "compute bound", by the rule of 60 %
    std::string reason;          // with the numbers
};

}  // namespace ws

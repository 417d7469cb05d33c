#pragma once
// What work may throw, and how it is told: what waits for the work must survive all of it.

#include <functional>
#include <new>
#include <stdexcept>
#include <string>
#include <vector>

#include "gpu/core/error.h"

namespace ws::testing {

struct ThrownFault {
    std::function<void()> raise;
    std::string message;
};

inline std::vector<ThrownFault> thrown_faults() {
    return {{[] { throw std::bad_alloc(); }, "out of memory"},
            {[] { throw std::runtime_error("standard"); }, "standard"},
            {[] { throw Error("ours", "here"); }, "ours, here"},
            {[] { throw 7; }, "unknown error"}};
}

}  // namespace ws::testing

#pragma once
// A kernel file as people write it, with main(), streams and vectors, made into what a compiler for GPUs
// alone takes.

#include <string>
#include <vector>

#include "gpu/compile/nvrtc.h"
#include "gpu/core/error.h"

namespace ws {

struct DeviceCode {
    CompileRequest request;
    std::vector<std::string> kernels;  // as a person writes them, "ns::scale(float*)"
    std::vector<std::string>
        missing;  // headers that were not found and count as empty; the C++ library's are not named
    std::vector<std::string> left_out;  // "utils.h:12": types and constants that do not compile for a GPU
};

// Leaves host code out of the file and of its headers in the request's folders, then what does not compile
// and no kernel contains, until the rest compiles. Headers that nobody has count as empty. Lines stay where
// they were. The failure is the compiler's log, with the headers that were missing.
[[nodiscard]] Result<DeviceCode> device_code(const Nvrtc& nvrtc, CompileRequest request);

}  // namespace ws

#pragma once
// Kernels that tests compile. They are kept in the cache folder, under everything they depend on, where the
// next program finds them.

#include <filesystem>

#include "gpu/compile/compile_service.h"
#include "gpu/core/files.h"

namespace ws::testing {

// Empty where there is no cache folder: nothing is kept then.
inline std::filesystem::path compiled_kernels() {
    const std::filesystem::path folder = cache_folder();
    return folder.empty() ? folder : folder / "kernels";
}

inline CompileOutcome compiled(const CompileRequest& request) {
    static CompileService service(compiled_kernels(), 1);
    return service.wait_for(request);
}

}  // namespace ws::testing

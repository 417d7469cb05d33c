#pragma once
// Kernels that tests compile. They are kept in the cache folder, under everything they depend on, where the
// next program finds them.

#include <filesystem>
#include <memory>
#include <utility>

#include "gpu/compile/compile_service.h"
#include "gpu/core/error.h"
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

// The same of one that has to compile. Throws the compiler's log.
inline std::shared_ptr<const CompiledKernel> compiled_kernel(const CompileRequest& request) {
    CompileOutcome made = compiled(request);
    if (!made.kernel) throw Error(made.error, request.name);
    return std::move(made.kernel);
}

}  // namespace ws::testing

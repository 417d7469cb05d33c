#pragma once
// Turns a kernel of a PTX module, and the functions that it calls, into a program.

#include <memory>
#include <string>

#include "gpu/simt/module_variables.h"
#include "gpu/simt/program.h"

namespace ws::simt {

// Throws DecodeError, which names the instruction that is not known, the kernel and the line.
[[nodiscard]] std::shared_ptr<const Program> decode(const std::shared_ptr<const PtxModule>& module,
                                                    std::shared_ptr<const ModuleVariables> variables,
                                                    const std::string& kernel);

// The same; the failure is what it would throw.
[[nodiscard]] Result<std::shared_ptr<const Program>> kernel_of(
    const std::shared_ptr<const PtxModule>& module, std::shared_ptr<const ModuleVariables> variables,
    const std::string& kernel);

}  // namespace ws::simt

#pragma once
// A person's .cu file: its text, and the kernel of it that the command line names.

#include <filesystem>
#include <string>
#include <vector>

#include "gpu/compile/nvrtc.h"

namespace ws {

// The request for a kernel of the file. Throws Error for a file that cannot be read or is no text.
[[nodiscard]] CompileRequest kernel_file_request(const std::filesystem::path& path,
                                                 const std::string& kernel);

// The request with the kernel's name in full, where the file has one kernel of that plain name (in a
// namespace). Throws Error with the compiler's log, or with the kernels that the file has.
[[nodiscard]] CompileRequest with_full_name(const Nvrtc& nvrtc, CompileRequest request);

// "its kernels are scale(float*), sum(float*)", with how an instance of a template is written.
[[nodiscard]] std::string kernels_text(const std::vector<std::string>& kernels, const std::string& text);

// Names of the __global__ templates of a text, which only a name with arguments makes a kernel of.
[[nodiscard]] std::vector<std::string> kernel_templates(const std::string& text);

}  // namespace ws

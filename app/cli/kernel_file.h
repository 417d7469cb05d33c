#pragma once
// A person's .cu file: its text, and the kernel of it that the command line names.

#include <filesystem>
#include <string>
#include <vector>

#include "gpu/compile/nvrtc.h"

namespace ws {

// A kernel of the file, as text. Headers are found beside it and then in the folders. Throws Error for a file
// that cannot be read or is no text.
[[nodiscard]] CompileRequest kernel_file_request(const std::filesystem::path& path, const std::string& kernel,
                                                 const std::vector<std::string>& include_folders);

// The kernel's name in full, where one of these kernels of the file has that plain name (in a namespace).
// Throws Error with the kernels that there are.
[[nodiscard]] std::string full_name(const CompileRequest& request, const std::vector<std::string>& kernels);

// "its kernels are scale(float*), sum(float*)", with how an instance of a template is written.
[[nodiscard]] std::string kernels_text(const std::vector<std::string>& kernels, const std::string& text);

// Names of the __global__ templates of a text, which only a name with arguments makes a kernel of.
[[nodiscard]] std::vector<std::string> kernel_templates(const std::string& text);

}  // namespace ws

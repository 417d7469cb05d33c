#include "app/cli/kernel_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <regex>

#include "gpu/compile/source_text.h"
#include "gpu/core/error.h"
#include "gpu/core/files.h"

namespace ws {
namespace {

constexpr std::size_t kLargestSource = 16 << 20;
constexpr std::string_view kUtf8Mark = "\xEF\xBB\xBF";

// As the compiler takes it: it writes "(anonymous namespace)::" itself, but wants the names without.
std::string without_anonymous(std::string name) {
    constexpr std::string_view kAnonymous = "(anonymous namespace)::";
    for (std::size_t at = name.find(kAnonymous); at != std::string::npos; at = name.find(kAnonymous))
        name.erase(at, kAnonymous.size());
    return name;
}

// "ns::scale(float*)" is scale.
std::string plain_name(const std::string& signature) {
    const std::string written = without_anonymous(signature);
    const std::string name = written.substr(0, written.find('('));
    const std::size_t colon = name.rfind("::");
    return colon == std::string::npos ? name : name.substr(colon + 2);
}

}  // namespace

CompileRequest kernel_file_request(const std::filesystem::path& path, const std::string& kernel,
                                   const std::vector<std::string>& include_folders) {
    CompileRequest request;
    request.name = path.stem().string();
    request.text = read_file(path, kLargestSource);
    if (request.text.rfind(kUtf8Mark, 0) == 0) request.text.erase(0, kUtf8Mark.size());
    if (request.text.find('\0') != std::string::npos)
        throw Error("the file is not source text (it has zero bytes)", path.string(),
                    "name a .cu file in ASCII or UTF-8");
    request.entry = kernel;
    const std::filesystem::path folder = path.parent_path();
    request.include_folders = {folder.empty() ? "." : folder.string()};
    for (const std::string& more : include_folders) {
        std::error_code status;
        if (!std::filesystem::is_directory(more, status))
            throw Error("there is no such folder", more, "-I takes a folder of headers");
        request.include_folders.push_back(more);
    }
    return request;
}

std::vector<std::string> kernel_templates(const std::string& text) {
    // "template <...> ... __global__ ... NAME(": attributes with parentheses may stand before the name.
    static const std::regex kGlobal(
        R"(__global__\s+(?:(?:void|__launch_bounds__\s*\([^)]*\)|[A-Za-z_]\w*)\s+|__launch_bounds__\s*\([^)]*\)\s*)*([A-Za-z_]\w*)\s*\()");
    const std::string code = code_of(text);
    std::vector<std::string> names;
    for (std::sregex_iterator at(code.begin(), code.end(), kGlobal), end; at != end; ++at) {
        // The declaration begins behind what ended before it.
        const auto place = std::size_t(at->position());
        const std::size_t before = code.find_last_of(";}", place);
        const std::size_t first = before == std::string::npos ? 0 : before + 1;
        if (std::regex_search(code.substr(first, place - first), std::regex(R"(\btemplate\s*<)")))
            names.push_back((*at)[1]);
    }
    return names;
}

std::string kernels_text(const std::vector<std::string>& kernels, const std::string& text) {
    std::string list;
    for (const std::string& kernel : kernels) list += (list.empty() ? "its kernels are " : ", ") + kernel;
    for (const std::string& name : kernel_templates(text))
        list += fmt::format("{}write an instance of the template {} with its arguments, --kernel '{}<float>'",
                            list.empty() ? "" : "; ", name, name);
    return list.empty() ? "it has no __global__ function" : list;
}

std::string full_name(const CompileRequest& request, const std::vector<std::string>& kernels) {
    std::vector<std::string> found;
    std::copy_if(kernels.begin(), kernels.end(), std::back_inserter(found),
                 [&](const std::string& kernel) { return plain_name(kernel) == request.entry; });
    std::string full = found.size() == 1 ? without_anonymous(found[0]) : "";
    full.resize(std::min(full.size(), full.find('(')));
    if (full.empty() || full == request.entry) {
        throw Error(
            fmt::format("{} '{}'", found.size() > 1 ? "several kernels are named" : "there is no kernel",
                        request.entry),
            request.name + ".cu", kernels_text(kernels, request.text));
    }
    return full;
}

}  // namespace ws

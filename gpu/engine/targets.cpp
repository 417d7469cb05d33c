#include "gpu/engine/targets.h"

#include <algorithm>
#include <iterator>

namespace ws {
namespace {

// Of a file without headers the hash of its text.
std::uint64_t content_of(const std::string& text, const std::vector<KernelHeader>& headers) {
    std::string all = text;
    for (const KernelHeader& header : headers)
        all.append(1, '\0').append(header.name).append(1, '\0').append(header.text);
    return content_hash(all.data(), all.size());
}

}  // namespace

CodeTarget runnable_target(const std::vector<int>& architectures, ComputeCapability capability) {
    const auto above = std::upper_bound(architectures.begin(), architectures.end(), capability.number());
    if (above == architectures.begin()) return {};
    const int best = *std::prev(above);
    return {best, best != capability.number()};
}

CodeTarget nearest_target(const std::vector<int>& architectures, ComputeCapability capability) {
    if (architectures.empty()) return {};
    const CodeTarget runnable = runnable_target(architectures, capability);
    return {runnable.architecture ? runnable.architecture : architectures.front(), false};
}

std::uint64_t content_of(const KernelSource& source) {
    return content_of(source.text, source.headers);
}

KernelKey kernel_key(const CompileRequest& request, const Nvrtc& compiler) {
    return {content_of(request.text, request.headers),
            request.entry,
            request.knobs,
            request.architecture,
            request.to_ptx,
            request.register_cap,
            compiler.version()};
}

}  // namespace ws

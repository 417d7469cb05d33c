#pragma once
// Compiled kernels in the cache folder, which must be this user's alone: what lies there is run. A file holds
// the whole key, so that two keys never share a result, and a hash of all of it.

#include <filesystem>
#include <optional>
#include <string>

#include "gpu/core/kernel.h"

namespace ws {

class KernelCache {
  public:
    // An empty folder switches the cache off, and so does one that others can write to or that is a link.
    explicit KernelCache(std::filesystem::path folder);
    // Nothing if it is not there, damaged, of another key, or possibly written by another user.
    [[nodiscard]] std::optional<CompiledKernel> load(const std::string& key) const;
    // Failing to write is no error: the kernel is compiled again next time.
    void store(const std::string& key, const CompiledKernel& kernel) const;

  private:
    [[nodiscard]] std::filesystem::path path_of(const std::string& key) const;
    std::filesystem::path folder_;
};

}  // namespace ws

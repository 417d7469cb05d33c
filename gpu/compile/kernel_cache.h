#pragma once
// Compiled kernels in the cache folder. A file holds the whole key, so that two keys never share a result.

#include <filesystem>
#include <optional>
#include <string>

#include "gpu/core/kernel.h"

namespace ws {

class KernelCache {
  public:
    // An empty folder switches the cache off.
    explicit KernelCache(std::filesystem::path folder) : folder_(std::move(folder)) {}
    // Nothing if it is not there, damaged, or of another key.
    [[nodiscard]] std::optional<CompiledKernel> load(const std::string& key) const;
    // Failing to write is no error: the kernel is compiled again next time.
    void store(const std::string& key, const CompiledKernel& kernel) const;

  private:
    [[nodiscard]] std::filesystem::path path_of(const std::string& key) const;
    std::filesystem::path folder_;
};

}  // namespace ws

#pragma once
// Stagers of launches for threads that stage at the same time.

#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "gpu/engine/launch_stager.h"

namespace ws {

// Each has a stager for as long as it works with what that staged.
class StagerPool {
  public:
    explicit StagerPool(std::shared_ptr<StagingStore> store) : store_(std::move(store)) {}

    class Lent {
      public:
        explicit Lent(StagerPool& pool) : pool_(pool), stager_(pool.take()) {}
        ~Lent() { pool_.give_back(std::move(stager_)); }
        Lent(const Lent&) = delete;
        Lent& operator=(const Lent&) = delete;
        LaunchStager& operator*() const { return *stager_; }

      private:
        StagerPool& pool_;
        std::unique_ptr<LaunchStager> stager_;
    };

  private:
    [[nodiscard]] std::unique_ptr<LaunchStager> take();
    void give_back(std::unique_ptr<LaunchStager> stager);

    const std::shared_ptr<StagingStore> store_;
    std::mutex mutex_;
    std::vector<std::unique_ptr<LaunchStager>> free_;
};

}  // namespace ws

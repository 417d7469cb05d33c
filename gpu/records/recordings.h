#pragma once
// Records to look figures up in: those of recorded GPUs, wherever this program runs.

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "gpu/core/record.h"

namespace ws {

class Recordings {
  public:
    // Later ones replace earlier ones of the same work on the same GPU. What is refused, wrong or no
    // measurement is left out.
    void add(std::vector<Record> records);
    // The latest of this work on a GPU of this name; null if there is none.
    [[nodiscard]] const Record* find(std::string_view gpu, const RecordKey& key) const;
    // Those of a GPU, a lab and a version, in the order in which they were recorded.
    [[nodiscard]] std::vector<const Record*> of(std::string_view gpu, std::string_view lab,
                                                int version) const;
    [[nodiscard]] std::vector<std::string> gpus() const;  // each once
    [[nodiscard]] bool empty() const { return records_.empty(); }
    [[nodiscard]] const std::vector<Record>& all() const { return records_; }

  private:
    std::vector<Record> records_;  // sorted by lab and version, then as they came
};

// Takes out the records whose kernels have other texts here, as `text_of` knows them (0: there is no such
// kernel); a sentence for each such kernel, with how many records it cost.
[[nodiscard]] std::vector<std::string> refuse_other_kernels(
    std::vector<Record>& records, const std::function<std::uint64_t(const std::string& kernel)>& text_of);

}  // namespace ws

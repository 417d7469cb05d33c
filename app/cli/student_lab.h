#pragma once
// A person's kernel with its arguments as a lab of one version: what every device runs.

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "app/cli/kernel_argument.h"
#include "gpu/core/plan.h"

namespace ws {

// What stands between <<< and >>>.
struct LaunchShape {
    std::array<int, 3> grid{1, 1, 1};    // in blocks
    std::array<int, 3> block{32, 1, 1};  // in threads
    std::uint64_t dynamic_shared_bytes = 0;
};

class StudentLab {
  public:
    // `kernel`: its name in the file. Every buffer is one of the lab; those with content may be changed.
    // Throws UsageError for more arguments than a launch takes.
    StudentLab(std::string file, std::string kernel, const std::vector<KernelArgument>& arguments,
               const LaunchShape& shape);
    StudentLab(const StudentLab&) = delete;  // the lab points into this
    StudentLab& operator=(const StudentLab&) = delete;

    [[nodiscard]] const Lab& lab() const { return lab_; }
    [[nodiscard]] const Problem& problem() const { return problem_; }
    // The argument that a buffer is, counted from 0.
    [[nodiscard]] const std::vector<std::size_t>& arguments() const { return arguments_; }
    // The one launch, without its kernel.
    [[nodiscard]] Launch launch() const;

  private:
    std::string title_, kernel_;
    std::vector<std::string> names_;      // of the buffers
    std::vector<std::size_t> arguments_;  // by buffer
    Lab lab_;
    Problem problem_;
};

}  // namespace ws

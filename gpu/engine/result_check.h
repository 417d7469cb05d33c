#pragma once
// Does the running version give the result that is defined?

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "gpu/core/device.h"
#include "gpu/core/job.h"
#include "gpu/core/snapshot.h"
#include "gpu/engine/device_loan.h"

namespace ws {

// Two runs over different poisons against the reference. What keeps both poisons was never written.
// `arguments`: the first buffer, for a result that approximates a function of it.
[[nodiscard]] Check compare(const Buffer& buffer, Extent size, const HostBytes& first,
                            std::uint8_t first_poison, const HostBytes& second, std::uint8_t second_poison,
                            const HostBytes& reference, const PixelBytes* arguments = nullptr);

// Computes what is defined and compares, beside the frames. Keeps the reference of what is shown, which is
// the same for all versions.
class ResultCheck {
  public:
    struct Outcome {
        std::uint64_t generation = 0;  // of the plan that was checked
        Check check;
        std::shared_ptr<const HostBytes> result;  // what was checked; null where there was nothing to check
        std::optional<Difference> difference;     // where it is wrong and no colour picture
    };

    // Begins one; none may be under way. A device that has no result of its own runs the plan over two
    // poisons and is given back after that. Nothing begins while one that has still computes.
    void begin(DeviceLoan loan, const Plan& plan, const Problem& problem, const InputKey& input);
    [[nodiscard]] bool active() const { return job_.active(); }
    // What came of it, once it has ended.
    [[nodiscard]] std::optional<Outcome> poll();
    // Waits for it, while one is under way.
    [[nodiscard]] Outcome wait();

    // What the last check was against; empty before the first.
    [[nodiscard]] const HostBytes& reference() const {
        static const HostBytes kNone;
        return reference_ ? reference_->bytes : kNone;
    }

  private:
    struct Reference {
        InputKey input;
        std::string lab;
        int buffer = 0;
        HostBytes bytes;
    };
    using SharedReference = std::shared_ptr<const Reference>;
    struct Made {
        Outcome outcome;
        SharedReference reference;
    };
    struct Ran {
        std::shared_ptr<const HostBytes> first, second;  // the same where they can be told apart nevertheless
        std::string failure;
        bool simulated = false;
    };
    [[nodiscard]] static Ran run_twice(Device& device, const Plan& plan);
    [[nodiscard]] static Made compared(const Plan& plan, const Problem& problem, const InputKey& input,
                                       const Ran& ran, SharedReference known);
    [[nodiscard]] Outcome taken(Result<Made> made);

    SharedReference reference_;
    std::uint64_t generation_ = 0;  // of the plan that is being checked
    Job<Made> job_;
};

}  // namespace ws

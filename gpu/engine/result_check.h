#pragma once
// Does the running version give the result that is defined?

#include <optional>

#include "gpu/core/device.h"
#include "gpu/core/snapshot.h"

namespace ws {

// Two runs over different poisons against the reference. What keeps both poisons was never written.
[[nodiscard]] Check compare(const Buffer& buffer, Extent size, const HostBytes& first,
                            std::uint8_t first_poison, const HostBytes& second, std::uint8_t second_poison,
                            const HostBytes& reference);

// Keeps the reference of what is shown, which is the same for all versions.
class ResultCheck {
  public:
    // Pending while the device still computes. `result`, if it is not null, gets what was checked.
    [[nodiscard]] Check check(Device& device, const Plan& plan, const Problem& problem, const InputKey& input,
                              HostBytes* result = nullptr);

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
    const HostBytes& reference(const Plan& plan, const Problem& problem, const InputKey& input);
    std::optional<Reference> reference_;
};

}  // namespace ws

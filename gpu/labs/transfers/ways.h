#pragma once
// The ways in which bytes can travel, and the measurement of one of them.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "gpu/core/device_session.h"
#include "gpu/core/experiment.h"
#include "gpu/core/statistics.h"

namespace ws::transfers {

// Of a transfer.
inline constexpr std::int64_t kMostBytes = std::int64_t(1) << 30;

// Places in the control's list.
enum class Direction : std::int64_t { all, up, down, both, peer };

enum class Method : std::uint8_t {
    copy,        // by a copy engine
    kernel,      // by a kernel that reaches the other side's memory
    prefetch,    // managed memory changes its place
    peer_copy,   // between two GPUs, directly
    staged,      // between two GPUs, through the host
    peer_kernel  // by a kernel that reads the other GPU's memory
};
struct Way {
    std::string_view name;   // in JSON
    std::string_view title;  // "pinned"
    HostMemory memory = HostMemory::pinned;
    Method method = Method::copy;
    std::int64_t most_bytes = 0;
};
// Those of a direction.
[[nodiscard]] std::span<const Way> ways_of(Direction direction);
// Why the session has none, if it has none.
[[nodiscard]] std::string why_not(const DeviceSession& session, const Way& way);

// What came of a way in a direction with so many bytes.
struct Measured {
    std::optional<Statistics> ms;  // of one transfer, in both directions of two
    double gb_s = 0;               // bytes of both directions over the time
    double spread_gb_s = 0;
    bool checked = false;  // what arrived was compared with what was sent
    bool wrong = false;
    std::string problem;  // why there is no time
};

struct Trial {
    Direction direction = Direction::up;  // not all
    std::int64_t bytes = 0;
    int samples = 0;
    bool check = true;
    int from = 0, to = 1;  // of two GPUs; else the first one is meant
};
// `stop` ends it between two samples; then it has no time. A session that refuses (its memory is full) is a
// problem, not an exception.
[[nodiscard]] Measured measure(DeviceSession& session, const Way& way, const Trial& trial,
                               const std::stop_token& stop);

// Wakes a link that saves power, as one does that had nothing to carry.
void warm_up(DeviceSession& session, const std::stop_token& stop);

// Copies in pieces in both directions at the same time, from this memory; bars in lanes `lane` (up) and
// `lane` + 1 (down).
void add_bars(DeviceSession& session, HostMemory memory, std::int64_t bytes, int lane, Timeline& timeline);

}  // namespace ws::transfers

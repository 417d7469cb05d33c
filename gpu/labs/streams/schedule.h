#pragma once
// In which order an array is copied in, worked on and copied out in pieces, and what it takes at least.

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace ws::streams {

inline constexpr std::size_t kWordBytes = 4;

enum class Part : std::uint8_t { in, kernel, out };

// What may overlap: nothing; kernels and copies out, behind one copy in; all three.
enum class Overlap : std::uint8_t { serial, two_way, three_way };
// Of the commands: all of a piece and then the next one; or the same of a piece in each stream.
enum class Order : std::int64_t { depth_first, breadth_first };

struct Plan {
    Overlap overlap = Overlap::three_way;
    Order order = Order::depth_first;
    int pieces = 1;
    int streams = 1;
    std::size_t words = 0;  // of the array; not fewer than pieces
};

struct Command {
    Part part = Part::in;
    int stream = 0;
    int piece = 0;
    std::size_t first_word = 0, words = 0;
    bool ahead = false;  // all other streams wait for it
};
// In the order in which the host issues them. Serial: one piece in one stream.
[[nodiscard]] std::vector<Command> commands_of(const Plan& plan);

// Of the whole array, each alone.
struct PartTimes {
    double in_ms = 0, kernel_ms = 0, out_ms = 0;
    [[nodiscard]] double sum() const { return in_ms + kernel_ms + out_ms; }
};
struct Engines {
    int copies = 2;   // at the same time, one in each direction; 0: none beside a kernel
    int kernels = 1;  // of this size at the same time
};

// Times that no order of the commands gets below.
struct Limits {
    int at_once = 1;        // commands that run at the same time, at most
    double amdahl_ms = 0;   // what nothing can overlap with, and the rest by as many as run at once
    double slowest_ms = 0;  // of the engine that has most to do
    std::string_view slowest;
    [[nodiscard]] double least_ms() const { return amdahl_ms > slowest_ms ? amdahl_ms : slowest_ms; }
};
[[nodiscard]] Limits limits_of(const PartTimes& times, const Engines& engines, const Plan& plan);

}  // namespace ws::streams

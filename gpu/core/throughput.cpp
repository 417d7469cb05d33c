#include "gpu/core/throughput.h"

#include <array>

namespace ws {
namespace {

struct ThroughputRow {
    int capability;  // the row holds from here on
    Throughput values;
};

constexpr std::array kThroughputs{
    // issue, FMA, ALU, conversion, XU, FP64, LSU, shared wavefronts, L1 sectors, latencies,
    // shifts, integer multiplications: of the lecture, for 5.x the guide; later ones as the ALU pipe;
    // texture units, conversions from 8 and 16 bits
    ThroughputRow{10, {0.25, 8, 8, 8, 2, 1, 8, 0.5, 2, 550, 24, 8, 2, 2, 8}},
    ThroughputRow{13, {0.25, 8, 8, 8, 2, 1, 8, 0.5, 2, 550, 24, 8, 2, 8.0 / 3, 8}},
    ThroughputRow{20, {1, 32, 32, 16, 4, 16, 16, 0.5, 4, 500, 24, 16, 16, 4, 16}},
    ThroughputRow{21, {1.5, 48, 48, 16, 8, 4, 16, 0.5, 4, 500, 24, 16, 16, 8, 16}},
    ThroughputRow{30, {5, 192, 160, 32, 32, 8, 32, 1, 2, 400, 9, 32, 32, 16, 128}},
    ThroughputRow{35, {5, 192, 160, 32, 32, 64, 32, 1, 2, 400, 9, 64, 32, 16, 128}},
    ThroughputRow{50, {4, 128, 128, 32, 32, 4, 32, 1, 2, 400, 6, 64, 128, 8, 32}},
    ThroughputRow{60, {2, 64, 64, 16, 16, 32, 32, 1, 2, 450, 6, 64, 64, 4, 16}},
    ThroughputRow{61, {4, 128, 128, 32, 32, 4, 32, 1, 2, 400, 6, 128, 128, 8, 32}},
    ThroughputRow{70, {4, 64, 64, 16, 16, 32, 32, 1, 4, 450, 4, 64, 64, 4, 64}},
    ThroughputRow{75, {4, 64, 64, 16, 16, 2, 16, 1, 4, 450, 4, 64, 64, 4, 64}},
    ThroughputRow{80, {4, 64, 64, 16, 16, 32, 32, 1, 4, 450, 4, 64, 64, 4, 64}},
    ThroughputRow{86, {4, 128, 64, 16, 16, 2, 32, 1, 4, 450, 4, 64, 64, 4, 64}},
    ThroughputRow{90, {4, 128, 64, 16, 16, 64, 32, 1, 4, 550, 4, 64, 64, 4, 64}},
    ThroughputRow{100, {4, 128, 64, 16, 16, 64, 32, 1, 4, 550, 4, 64, 64, 4, 64}},
    ThroughputRow{120, {4, 128, 128, 16, 16, 2, 32, 1, 4, 500, 4, 128, 128, 4, 64}},
};

}  // namespace

Throughput throughput_of(ComputeCapability capability) {
    Throughput found = kThroughputs.front().values;
    for (const ThroughputRow& row : kThroughputs) {
        if (capability.number() >= row.capability) found = row.values;
    }
    return found;
}

}  // namespace ws

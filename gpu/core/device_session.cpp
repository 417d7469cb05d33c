#include "gpu/core/device_session.h"

#include <array>

#include "gpu/core/background.h"

namespace ws {

void DeviceSession::on_threads(int threads, const std::function<void(int thread)>& work) {
    run_side_by_side(threads, work);
}

Link pcie_link(int generation, int lanes) {
    // GB/s of a lane: gigatransfers a second, a bit each, times the share of data in the line code, over 8.
    constexpr std::array<double, 6> kLane{2.5 * 0.8 / 8,        5.0 * 0.8 / 8,        8.0 * 128 / 130 / 8,
                                          16.0 * 128 / 130 / 8, 32.0 * 128 / 130 / 8, 64.0 * 242 / 256 / 8};
    if (generation < 1 || generation > int(kLane.size()) || lanes < 1) return {};
    return {"PCIe " + std::to_string(generation) + ".0 x" + std::to_string(lanes),
            kLane[std::size_t(generation - 1)] * lanes};
}

int concurrent_kernels(ComputeCapability capability) {
    switch (capability.number()) {
        case 32:
            return 4;
        case 30:
        case 53:
        case 62:
        case 72:
            return 16;
        case 61:
            return 32;
        default:
            break;
    }
    if (capability.major < 2) return 1;
    if (capability.major < 3) return 16;
    return capability.major < 6 ? 32 : 128;
}

std::string_view name_of(HostMemory kind) {
    switch (kind) {
        case HostMemory::pageable:
            return "pageable";
        case HostMemory::pinned:
            return "pinned";
        case HostMemory::write_combined:
            return "write-combined";
        case HostMemory::mapped:
            return "mapped";
        case HostMemory::managed:
            return "managed";
    }
    return "";
}

}  // namespace ws

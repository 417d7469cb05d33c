#include "gpu/engine/picture_check.h"

#include <fmt/format.h>

#include <algorithm>

namespace ws {

Check compare(const GrayImage& first, std::uint8_t first_poison, const GrayImage& second,
              std::uint8_t second_poison, const GrayImage& reference) {
    if (first.size != reference.size || second.size != reference.size) {
        return {Check::State::failed, "the picture has the wrong size"};
    }
    std::size_t different = 0;
    std::size_t unwritten = 0;
    std::size_t first_at = reference.bytes.size();
    for (std::size_t i = 0; i < reference.bytes.size(); ++i) {
        if (first.bytes[i] == first_poison && second.bytes[i] == second_poison) {
            ++unwritten;
        } else if (first.bytes[i] == reference.bytes[i] && second.bytes[i] == reference.bytes[i]) {
            continue;
        } else {
            ++different;
        }
        first_at = std::min(first_at, i);
    }
    if (different + unwritten == 0) return {Check::State::equal, "every pixel as defined"};
    const auto width = std::size_t(reference.size.width);
    std::string message;
    if (unwritten == reference.bytes.size()) {
        return {Check::State::different,
                "the kernels write nothing: not one pixel of the picture was written"};
    }
    if (unwritten > 0)
        message = fmt::format("{} of {} pixels are never written", unwritten, reference.bytes.size());
    if (different > 0) {
        message += fmt::format("{}{} of {} pixels differ from the definition", message.empty() ? "" : "; ",
                               different, reference.bytes.size());
    }
    message += fmt::format("; the first at column {}, row {}: {} instead of {}", first_at % width,
                           first_at / width, first.bytes[first_at], reference.bytes[first_at]);
    return {Check::State::different, message};
}

Check check_picture(Device& device, const Plan& plan, const GrayImage& reference) {
    constexpr std::uint8_t kPoisons[2] = {0xA5, 0x5A};
    const Result<GrayImage> first = device.run_poisoned(plan, kPoisons[0]);
    if (!first.ok()) return {Check::State::failed, first.message()};
    const Result<GrayImage> second = device.run_poisoned(plan, kPoisons[1]);
    if (!second.ok()) return {Check::State::failed, second.message()};
    return compare(first.value(), kPoisons[0], second.value(), kPoisons[1], reference);
}

}  // namespace ws

#pragma once
// A buffer of a lab, to be looked at and to be compared.

#include <memory>

#include "gpu/core/device.h"
#include "gpu/core/image.h"
#include "gpu/core/lab.h"

namespace ws {

inline constexpr std::size_t kMostValues = std::size_t(256) << 20;

struct BufferPicture {
    GrayImage gray;          // as it is looked at
    bool is_picture = true;  // and as it is
    HostBytes values;        // of what is no picture: numbers; none of more than kMostValues bytes
    Element element = Element::gray;
    // As results are compared; null where they were not kept.
    [[nodiscard]] const HostBytes* bytes() const {
        if (is_picture) return &gray.bytes;
        return values.empty() ? nullptr : &values;
    }
};
using SharedPicture = std::shared_ptr<const BufferPicture>;

// Of a buffer of gray values or other numbers.
[[nodiscard]] BufferPicture buffer_picture(const Buffer& buffer, Extent size, HostBytes bytes);

// How far a result is from it, times the amplification: gray values apart; of other numbers as shares of the
// range that `a` has. All black where they cannot be compared.
[[nodiscard]] GrayImage apart_picture(const BufferPicture& a, const HostBytes& result, int amplification);

}  // namespace ws

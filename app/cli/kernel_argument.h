#pragma once
// An argument of a kernel as the command line writes it: 'f32[1048576]=iota', 'i32=1024',
// 'u8[4096]=photo.raw'.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "gpu/core/lab.h"
#include "gpu/core/pixel_bytes.h"

namespace ws {

struct KernelArgument {
    Element element = Element::int32;
    bool is_buffer = false;
    std::uint64_t count = 0;                    // of a buffer's elements
    std::shared_ptr<const PixelBytes> content;  // of a buffer; null: nobody has written it
    std::uint64_t bits = 0;                     // of a number
};

// In their order. Throws UsageError, or Error for a file that cannot be read or has another size and for
// buffers that are larger than the memory that is free.
[[nodiscard]] std::vector<KernelArgument> parse_arguments(const std::vector<std::string>& texts);

// An element of a buffer; "nan", "inf", "-inf" for what is no number, in JSON as texts.
[[nodiscard]] std::string element_text(Element element, const std::uint8_t* bytes, std::size_t index);
[[nodiscard]] nlohmann::ordered_json element_json(Element element, const std::uint8_t* bytes,
                                                  std::size_t index);

}  // namespace ws

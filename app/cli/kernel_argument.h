#pragma once
// An argument of a kernel as the command line writes it: 'f32[1048576]=iota', 'i32=1024',
// 'u8[4096]=photo.raw'.

#include <cstddef>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace ws {

struct KernelArgument {
    enum class Type : std::uint8_t { u8, i32, u32, i64, f32, f64 };
    Type type = Type::i32;
    bool is_buffer = false;
    std::vector<std::byte> bytes;  // of the scalar or the buffer
    bool initialised = true;       // false: poison, which nobody wrote
    [[nodiscard]] std::size_t element_bytes() const;
    [[nodiscard]] std::size_t count() const { return bytes.size() / element_bytes(); }
    [[nodiscard]] nlohmann::ordered_json element_json(std::size_t index) const;
    [[nodiscard]] std::string element_text(
        std::size_t index) const;  // "nan", "inf", "-inf" for what is no number
};

// In their order. Throws UsageError, or Error for a file that cannot be read or has another size and for
// buffers that are larger than the memory that is free.
[[nodiscard]] std::vector<KernelArgument> parse_arguments(const std::vector<std::string>& texts);

}  // namespace ws

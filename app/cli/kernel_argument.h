#pragma once
// An argument of a kernel as the command line writes it: 'f32[1048576]=iota', 'i32=1024',
// 'u8[4096]=photo.raw'.

#include <cstddef>
#include <cstdint>
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
    [[nodiscard]] std::string element_text(std::size_t index) const;
};

// Throws UsageError, or Error for a file that cannot be read or has another size.
[[nodiscard]] KernelArgument parse_argument(const std::string& text);

}  // namespace ws

#pragma once
// A number that stands for the content of some bytes, so that results can be keyed by it.

#include <cstddef>
#include <cstdint>

namespace ws {

// 64 bits, the same on every machine and in every run; about 5 GB a second. No protection against contents
// that were made to collide.
[[nodiscard]] std::uint64_t content_hash(const void* bytes, std::size_t size);

}  // namespace ws

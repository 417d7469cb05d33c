#pragma once
// The access patterns of shared memory in counters/h200_shared.txt: which word each lane of a warp asks for,
// and the wavefronts that one load and one store of them took on the GPU.
// A line is: bytes of a word, mask of the active lanes, 32 word numbers, wavefronts of the load, of the
// store. The numbers are one digit each or two, in base 64: 0-9, A-Z, a-z, '+', '-'. Lines with # are
// comments.

#include <array>
#include <cstdint>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "gpu/core/error.h"

namespace ws::testing {

struct SharedMap {
    int bytes = 0;
    std::uint32_t lanes = 0;
    std::array<std::uint32_t, 32> offsets{};  // in bytes
    std::uint32_t load_wavefronts = 0;
    std::uint32_t store_wavefronts = 0;
    std::string line;
};

inline constexpr std::uint32_t kSharedMapBytes = 48 << 10;

// Throws for a line that is not one.
inline std::vector<SharedMap> shared_maps(const std::string& text) {
    constexpr std::string_view digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz+-";
    std::vector<SharedMap> maps;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        if (line.empty() || line[0] == '#') continue;
        SharedMap map;
        map.line = line;
        std::istringstream fields(line);
        std::string words;
        fields >> map.bytes >> std::hex >> map.lanes >> words >> std::dec >> map.load_wavefronts >>
            map.store_wavefronts;
        const std::size_t width = words.size() / 32;
        bool good = !fields.fail() && map.lanes != 0 && words.size() == 32 * width && width > 0 && width <= 2;
        for (std::size_t lane = 0; good && lane < 32; ++lane) {
            std::size_t word = 0;
            for (std::size_t i = 0; i < width; ++i) {
                const std::size_t digit = digits.find(words[lane * width + i]);
                good = good && digit < 64;
                word = word * 64 + digit;
            }
            map.offsets[lane] = std::uint32_t(word) * std::uint32_t(map.bytes);
            good = good && map.offsets[lane] + std::uint32_t(map.bytes) <= kSharedMapBytes;
        }
        if (!good) throw Error("no map of shared memory", line, "see the form in tests/shared_maps.h");
        maps.push_back(map);
    }
    return maps;
}

}  // namespace ws::testing

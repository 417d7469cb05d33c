#pragma once
// The declarations of a CUDA C++ text, found without a compiler: where each begins and ends, and whether a
// GPU may need it. Good enough to leave host code out; what it cannot tell it takes for something a GPU
// needs.

#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ws {

using Words = std::set<std::string, std::less<>>;

struct Declaration {
    enum class Kind { function, variable, type, other };
    std::size_t begin = 0;  // in bytes of the text
    std::size_t end = 0;
    Kind kind = Kind::other;
    bool device = false;    // says __global__, __device__, __constant__ ..., or a macro that does
    bool constant = false;  // const, constexpr
    std::size_t body = 0;   // of a function or type: where its brace opens; 0: it has none
};

// Words that mark what runs or lies on a GPU: CUDA's, and macros of the text that stand for them or contain
// them.
[[nodiscard]] Words device_words(std::string_view code);

// Where the preprocessor's lines begin and end, with those that they continue on, in a text without comments.
[[nodiscard]] std::vector<std::pair<std::size_t, std::size_t>> directives_of(std::string_view code);

// The text without comments, literals and preprocessor lines, byte for byte.
[[nodiscard]] std::string plain_code(std::string_view text);

// The declarations between two places of a plain code, in order; those in namespaces and in extern "C" stand
// for themselves. Members of a type are found by looking between its braces.
[[nodiscard]] std::vector<Declaration> declarations_of(std::string_view code, std::size_t begin,
                                                       std::size_t end, const Words& device);

}  // namespace ws

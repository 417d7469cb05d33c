#pragma once
// Functions as one, for std::visit: which is called follows from what the variant holds.

namespace ws {

template <typename... Functions>
struct Overloaded : Functions... {
    using Functions::operator()...;
};
template <typename... Functions>
Overloaded(Functions...) -> Overloaded<Functions...>;

}  // namespace ws

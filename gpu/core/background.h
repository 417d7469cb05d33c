#pragma once

namespace ws {

// Lets the calling thread, and those that it starts, give way to others: for work that nobody waits for in a
// frame.
void give_way();

}  // namespace ws

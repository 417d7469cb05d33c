#pragma once
// Recordings by name: files of records, and those that the program brings.

#include "app/cli/options.h"
#include "gpu/engine/record_of.h"

namespace ws {

// What --replay names. Throws Error: there is no such file, or nothing of it fits this program.
[[nodiscard]] Replay load_replay(const Options& options, const KernelLibrary& library);

}  // namespace ws

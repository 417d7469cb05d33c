#pragma once
// The program from its command line to its exit code; what main calls, and programs of the tests with hooks.

#include "app/cli/options.h"

namespace ws {

[[nodiscard]] int run_program(int argc, char** argv, const Hooks& hooks);

}  // namespace ws

#pragma once
// Launches that a GPU refuses before anything runs: the error that CUDA answers with, and the arithmetic.

#include "gpu/simt/machine.h"

namespace ws::simt {

// Throws RefusedLaunch, or Error where the program would not compile for the GPU at all. The registers of a
// thread are looked at where `setup.registers` is known.
void refuse_impossible(const LaunchSetup& setup);

}  // namespace ws::simt

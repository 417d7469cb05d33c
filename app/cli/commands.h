#pragma once
// The sub-commands without a window. Each prints to standard output and throws Error.

#include "app/cli/options.h"

namespace ws {

void run_command(const Options& options);
void occupancy_command(const Options& options);
void versions_command(const Options& options);
void devices_command(const Options& options);
void kernels_command(const Options& options);
// `gl_facts` are lines about OpenGL, from those who know it.
void version_command(const std::vector<Fact>& gl_facts);

[[nodiscard]] EngineOptions engine_options(const Options& options);
// Throws Error if a kernel that the picture needs does not compile.
void require_kernels(const Snapshot& snapshot);
// The picture that the options name, else the built-in one. Throws Error.
[[nodiscard]] Picture load_picture(const std::string& image);
[[nodiscard]] std::string picture_label(const std::string& image);

}  // namespace ws

#pragma once
// The sub-commands without a window. Each prints to standard output and throws Error.

#include "app/cli/options.h"
#include "gpu/engine/sessions.h"
#include "gpu/picture/builtin_pictures.h"

namespace ws {

struct EngineOptions;

void run_command(const Options& options);

void occupancy_command(const Options& options);
void versions_command(const Options& options);
void devices_command(const Options& options);
void kernels_command(const Options& options);
// `gl_facts` are lines about OpenGL, from those who know it.
void version_command(const std::vector<Fact>& gl_facts);

// Where compiled kernels are kept; empty: nowhere.
[[nodiscard]] std::filesystem::path kernel_cache();
[[nodiscard]] EngineOptions engine_options(const Options& options);
[[nodiscard]] SessionOptions session_options(const Options& options);
// What --image says: a built-in picture's name, or a file; empty: the first built-in picture.
// Null: a file.
[[nodiscard]] const BuiltinPicture* builtin_picture(const std::string& image);
// Throws Error.
[[nodiscard]] Picture load_picture(const std::string& image);
[[nodiscard]] std::string picture_label(const std::string& image);

}  // namespace ws

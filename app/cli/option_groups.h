#pragma once
// Options that several commands take, by what they are about.

#include "app/cli/command_table.h"

namespace ws {

// VERSION, of a lab.
void add_version(CLI::App& app, RawOptions& raw, bool required);
// What a lab takes: picture, view, blocks, knobs, device.
void add_work_options(CLI::App& app, Options& options, RawOptions& raw);
// The same, and which lab.
void add_pipeline_options(CLI::App& app, Options& options, RawOptions& raw);
// Columns x rows of a lab without a picture.
void add_work_size(CLI::App& app, RawOptions& raw);
// How what is shown looks.
void add_look_options(CLI::App& app, LookOptions& look, RawOptions& raw);
// What the debugger does first.
void add_debug_commands(CLI::App& app, Options& options);
// Of the window on a screen; how it looks and the debugger's among them.
void add_window_options(CLI::App& app, Options& options, RawOptions& raw);
// Axes of a sweep, and where its points go.
void add_sweep_options(CLI::App& app, Options& options, RawOptions& raw);
// Of a kernel that is read, run or stepped through by itself.
void add_kernel_options(CLI::App& app, Options& options, RawOptions& raw);

}  // namespace ws

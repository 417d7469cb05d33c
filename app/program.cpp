#include "app/program.h"

#include <csignal>
#include <cstdio>
#include <exception>
#include <system_error>

#include "app/cli/advise_command.h"
#include "app/cli/batch_command.h"
#include "app/cli/calibrate_command.h"
#include "app/cli/commands.h"
#include "app/cli/debug_command.h"
#include "app/cli/lab_command.h"
#include "app/cli/sass_command.h"
#include "app/cli/simt_command.h"
#include "app/cli/sweep_command.h"
#include "gpu/core/error.h"
#include "gpu/core/freed_memory.h"
#ifdef WARPSCOPE_WINDOW
#include "app/window/poster_command.h"
#include "app/window/window_command.h"
#endif

namespace ws {
namespace {

#ifndef WARPSCOPE_WINDOW
Error without_window() {
    return Error("this program was built without a window (WITH_OPENGL=OFF)", "",
                 "use a sub-command, e.g. 'warpscope run 5', or build with WITH_OPENGL=ON");
}
#endif

// On the page Debugger, or a picture of it.
void debug_in_window(const Options& options) {
#ifdef WARPSCOPE_WINDOW
    Options shown = options;
    shown.look.tab = "debugger";
    shown.command = options.debug.window ? Command::window : Command::picture;
    return options.debug.window ? window_command(shown) : picture_command(shown);
#else
    (void)options;
    throw without_window();
#endif
}

int dispatch(const Options& options) {
    switch (options.command) {
        case Command::help:
            std::fputs(options.help_text.c_str(), stdout);
            break;
        case Command::run:
            if (names_many(options.image)) return batch_command(options);
            run_command(options);
            break;
        case Command::sweep:
            return sweep_command(options);
        case Command::lab:
            return lab_command(options);
        case Command::simt:
            return simt_command(options);
        case Command::debug:
            if (!options.debug.window && options.output.empty()) return debug_command(options);
            debug_in_window(options);
            break;
        case Command::sass:
            sass_command(options);
            break;
        case Command::occupancy:
            occupancy_command(options);
            break;
        case Command::advise:
            advise_command(options);
            break;
        case Command::versions:
            versions_command(options);
            break;
        case Command::devices:
            devices_command(options);
            break;
        case Command::calibrate:
            calibrate_command(options);
            break;
        case Command::kernels:
            kernels_command(options);
            break;
#ifdef WARPSCOPE_WINDOW
        case Command::version:
            version_command(gl_facts());
            break;
        case Command::window:
            window_command(options);
            break;
        case Command::picture:
            picture_command(options);
            break;
        case Command::poster:
            poster_command(options);
            break;
#else
        case Command::version:
            version_command({{"OpenGL", "this program was built without a window"}});
            break;
        case Command::window:
        case Command::picture:
        case Command::poster:
            throw without_window();
#endif
    }
    return 0;
}

}  // namespace

int run_program(int argc, char** argv, const Hooks& hooks) {
    // A file that may not grow further (ulimit -f) is reported like a full disk and leaves no part behind.
    std::signal(SIGXFSZ, SIG_IGN);
    keep_freed_memory();
    try {
        Options options = parse_options(argc, argv);
        options.hooks = hooks;
        for (const std::string& problem : broken_calibrations())
            std::fprintf(stderr, "warpscope: note: %s\n", problem.c_str());
        const int status = dispatch(options);
        // A full disk behind standard output shows only when the last bytes are written.
        if (std::fflush(stdout) != 0) throw Error("cannot write to standard output");
        return status;
    } catch (const UsageError& error) {
        std::fprintf(stderr, "warpscope: error: %s\n", error.what());
        return 2;
    } catch (const std::system_error& error) {
        const bool no_thread = error.code() == std::errc::resource_unavailable_try_again;
        std::fprintf(stderr, "warpscope: error: %s\n",
                     no_thread
                         ? "the system gives no further thread: end other programs, or allow more memory or "
                           "processes (ulimit -a)"
                         : error.what());
        return 1;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "warpscope: error: %s\n", error.what());
        return 1;
    }
}

}  // namespace ws

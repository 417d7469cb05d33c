// Warpscope: shows how CUDA kernels become fast.

#include <csignal>
#include <cstdio>
#include <exception>

#include "app/cli/batch_command.h"
#include "app/cli/commands.h"
#include "app/cli/simt_command.h"
#include "gpu/core/error.h"
#ifdef WARPSCOPE_WINDOW
#include "app/window/window_command.h"
#endif

namespace {

int dispatch(const ws::Options& options) {
    switch (options.command) {
        case ws::Command::help:
            std::fputs(options.help_text.c_str(), stdout);
            break;
        case ws::Command::run:
            if (ws::names_many(options.image)) return ws::batch_command(options);
            ws::run_command(options);
            break;
        case ws::Command::simt:
            return ws::simt_command(options);
        case ws::Command::occupancy:
            ws::occupancy_command(options);
            break;
        case ws::Command::versions:
            ws::versions_command(options);
            break;
        case ws::Command::devices:
            ws::devices_command(options);
            break;
        case ws::Command::kernels:
            ws::kernels_command(options);
            break;
#ifdef WARPSCOPE_WINDOW
        case ws::Command::version:
            ws::version_command(ws::gl_facts());
            break;
        case ws::Command::window:
            ws::window_command(options);
            break;
        case ws::Command::picture:
            ws::picture_command(options);
            break;
#else
        case ws::Command::version:
            ws::version_command({{"OpenGL", "this program was built without a window"}});
            break;
        case ws::Command::window:
        case ws::Command::picture:
            throw ws::Error("this program was built without a window (WITH_OPENGL=OFF)", "",
                            "use a sub-command, e.g. 'warpscope run 5', or build with WITH_OPENGL=ON");
#endif
    }
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    // A file that may not grow further (ulimit -f) is reported like a full disk and leaves no part behind.
    std::signal(SIGXFSZ, SIG_IGN);
    try {
        const int status = dispatch(ws::parse_options(argc, argv));
        // A full disk behind standard output shows only when the last bytes are written.
        if (std::fflush(stdout) != 0) throw ws::Error("cannot write to standard output");
        return status;
    } catch (const ws::UsageError& error) {
        std::fprintf(stderr, "warpscope: error: %s\n", error.what());
        return 2;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "warpscope: error: %s\n", error.what());
        return 1;
    }
}

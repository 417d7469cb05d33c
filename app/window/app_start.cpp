#include "app/window/app_start.h"

#include <string_view>

#include "app/cli/calibrate_command.h"
#include "app/cli/commands.h"
#include "app/cli/replay.h"
#include "app/texts/texts.h"
#include "app/window/look.h"
#include "app/window/picture_loader.h"
#include "app/window/time_log.h"
#include "gpu/core/background.h"
#include "gpu/core/files.h"
#include "gpu/engine/engine.h"
#include "render/interop_target.h"

namespace ws {
namespace {

// As measured (docs/measurements.md), a texture that CUDA fills is the fastest way on an H200.
PicturePath picture_path(const Options& options) {
    if (options.picture_path == "buffer") return PicturePath::buffer;
    return options.picture_path == "texture" ? PicturePath::texture : PicturePath::image;
}

// A lecture begins anew, however the last window was left, and leaves no trace in the settings.
void start_lecture(const Options& options, AppParts& parts) {
    const std::string language(language_named(parts.view.preferences.language));
    Lecture lecture = load_lecture(options.play, language, parts.work);
    for (LectureStep& step : lecture.steps) {
        if (step.picture.empty()) step.picture = options.image;
    }
    parts.view.playing = first_step(std::make_shared<const Lecture>(std::move(lecture)));
    parts.view.notes = options.presenter;
}

// The command line goes before what was restored.
AppParts parts_of(const Options& options, const RestoredState& restored) {
    AppParts parts;
    parts.kernels = KernelLibrary(options.kernel_folder);
    for (const ViewEdit& edit : restored.view) parts.view = edited(std::move(parts.view), edit, {});
    parts.saved = {edited(initial_work(), restored.work, parts.kernels), parts.view.preferences,
                   restored.window, restored.picture};
    parts.work = apply(options, options.play.empty() ? parts.saved.work : initial_work());
    // What the command line asks for is not kept for the next start.
    for (const ViewEdit& edit : edits_of(options.look)) parts.view = edited(std::move(parts.view), edit, {});
    if (!options.language.empty()) parts.view.preferences.language = options.language;
    parts.view.experiment.shown = options.experiment;
    parts.controls = options.controls;
    parts.against = options.look.against;
    parts.debug_commands = options.debug.commands;
    if (!options.simt.what.empty() && !options.version) parts.debugged = std::make_shared<Options>(options);
    if (options.look.tab == "debugger" && options.step)
        parts.view.preferences.step = std::string(parts.work.lab->steps[std::size_t(*options.step)].name);
    parts.screen.path = picture_path(options);
    parts.screen.interop = options.interop;
    parts.screen.target = std::make_shared<std::unique_ptr<GlTarget>>();
    if (!restored.problem.empty()) parts.notices.tell(restored.problem, true);
    if (options.command == Command::window && options.play.empty()) parts.settings = settings_path();
    parts.shots = options.shots.empty() ? pictures_folder() : options.shots;
    return parts;
}

}  // namespace

AppStart::AppStart(const Options& options, const RestoredState& restored)
    : parts_(parts_of(options, restored)),
      image_(options.image.empty() && options.play.empty() ? restored.picture : options.image),
      only_drawn_(options.command == Command::picture || (!options.play.empty() && !options.shots.empty())) {
    EngineOptions engine = engine_options(options);
    for (std::string& problem : broken_calibrations()) parts_.notices.tell(std::move(problem), true);
    parts_.sweep_engine = engine;
    engine.compiles_next = !only_drawn_;
    if (options.command == Command::window && !data_folder().empty()) {
        parts_.records = data_folder() / "records.jsonl";
        if (options.keeps_times) {
            parts_.times = data_folder() / "times.jsonl";
            std::vector<std::string> notes;
            replay_.recordings = kept_times({parts_.records, parts_.times}, notes);
            for (std::string& note : notes) parts_.notices.tell(std::move(note), true);
        }
    }
    if (!options.replay.empty()) {
        Recordings own = std::move(replay_.recordings);
        replay_ = load_replay(options, parts_.kernels);
        for (std::string& note : replay_.notes) parts_.notices.tell(std::move(note), true);
        // The recorded GPU is the one that is shown, unless another one was asked for.
        if (!options.gpu) parts_.work.target_gpu = replay_.recordings.gpus().front();
        own.add(replay_.recordings.all());  // what was asked for goes before
        replay_.recordings = std::move(own);
    }
    if (!options.play.empty()) start_lecture(options, parts_);
    engine.devices.release_targets = [slot = parts_.screen.target] { slot->reset(); };
    engine_ = Job<std::unique_ptr<Engine>>([engine, work = parts_.work](const std::stop_token&) {
        auto started = std::make_unique<Engine>(engine);
        started->warm_up(work);
        return started;
    });
    picture_ = load_beside(image_);
}

AppParts AppStart::finish(const std::string& renderer) {
    parts_.screen.renderer = renderer;
    parts_.engine = engine_.get();
    if (!replay_.recordings.empty())
        parts_.engine->replay(std::make_shared<const Recordings>(std::move(replay_.recordings)));
    const InteropChoice choice = cuda_device_of_gl(renderer);
    if (choice.cuda_index >= 0) parts_.engine->use_cuda_device(choice.cuda_index, "it draws this window too");
    try {
        parts_.engine->set_picture(picture_.get(), picture_label(image_));
        parts_.picture = image_;
    } catch (...) {
        if (only_drawn_) throw;
        // The built-in scene stands in.
        parts_.notices.tell(caught_message(), true);
        parts_.engine->set_picture(load_picture({}), picture_label({}));
    }
    if (parts_.against) {
        // Of the input as it is now; one that a lab generates follows the work's size.
        const Work& work = parts_.work;
        const InputKey input =
            work.lab->takes_picture()
                ? input_key(picture_problem(*work.lab, parts_.engine->picture(), work.knobs))
                : input_key(generated_problem(*work.lab, work.size, work.knobs));
        parts_.view = edited(std::move(parts_.view),
                             KeepPin{baseline_pin(work, *parts_.against, input, picture_label(image_))}, {});
    }
    return std::move(parts_);
}

}  // namespace ws

#include "gpu/engine/version_figures.h"

#include <algorithm>
#include <optional>
#include <string>

#include "gpu/core/error.h"
#include "gpu/core/frame_target.h"
#include "gpu/engine/run_to_end.h"
#include "gpu/picture/builtin_pictures.h"

namespace ws {
namespace {

constexpr int kSamples = 20;

class EngineFigures final : public VersionFigures {
  public:
    EngineFigures(EngineOptions options, DeviceChoice device, std::string gpu,
                  std::shared_ptr<CountedVersions> known)
        : options_(std::move(options)), device_(device), gpu_(std::move(gpu)), known_(std::move(known)) {}

    [[nodiscard]] WorkFigures figures(const Work& work) override {
        if (known_) {
            const auto found = std::find_if(known_->begin(), known_->end(),
                                            [&](const auto& one) { return one.first == work; });
            if (found != known_->end()) return found->second;
        }
        WorkFigures made = make(work);
        // A time that was measured is another one the next time.
        if (known_ && !made.measured) known_->emplace_back(work, made);
        return made;
    }

  private:
    WorkFigures make(Work work) {
        work.device = device_.kind;
        work.cuda_gpu = device_.gpu;
        work.target_gpu = gpu_;
        try {
            return run(work);
        } catch (const Error& error) {
            WorkFigures none;
            none.work = work;
            none.problem = Message(error.what());
            return none;
        }
    }

    WorkFigures run(const Work& work) {
        if (!engine_) engine_.emplace(options_);
        if (work.lab->takes_picture() && !engine_->picture()) {
            const BuiltinPicture& picture = builtin_pictures().front();
            engine_->set_picture(std::make_shared<const RgbaImage>(picture.make()),
                                 std::string(picture.name));
        }
        engine_->prepare(work);
        const Snapshot& snapshot = engine_->snapshot();
        const bool launches = snapshot.told.now.problem.empty();
        if (launches && snapshot.device.can.measures_time) run_to_end(*engine_, work, kSamples, target_);
        engine_->wait_for_kernels();
        if (launches) require_kernels(snapshot);
        // Counts and estimates come from a sample of blocks: the whole result is not needed.
        engine_->wait_for_counts();
        return snapshot.told.stale ? WorkFigures{} : snapshot.told.now;
    }

    EngineOptions options_;
    DeviceChoice device_;
    std::string gpu_;  // that is simulated
    std::shared_ptr<CountedVersions> known_;
    std::optional<Engine> engine_;
    HostTarget target_;
};

}  // namespace

std::unique_ptr<VersionFigures> make_version_figures(const SessionOptions& options, const SessionFacts& facts,
                                                     std::shared_ptr<CountedVersions> known) {
    EngineOptions engine;
    engine.kernel_folder = options.kernel_folder;
    engine.cache_folder = options.cache_folder;
    engine.calibrations = options.calibrations;
    const bool measures = facts.kind == Kind::measured;
    return std::make_unique<EngineFigures>(
        std::move(engine),
        measures ? DeviceChoice{DeviceKind::cuda, options.cuda_gpu} : DeviceChoice{DeviceKind::simt},
        measures ? std::string() : facts.devices.front().gpu.name, std::move(known));
}

}  // namespace ws

#include "gpu/engine/prepared_buffers.h"

#include "gpu/cpu/cpu_device.h"

namespace ws {

std::shared_ptr<const HostBytes> PreparedBuffers::find(const InputKey& input, const Problem& problem,
                                                       int buffer) {
    const std::lock_guard lock(mutex_);
    if (!(input_ == input) || lab_ != problem.lab->id) {
        made_.clear();
        input_ = input;
        lab_ = problem.lab->id;
    }
    std::shared_ptr<const HostBytes>& made = made_[buffer];
    if (!made) made = std::make_shared<const HostBytes>(reference_result(problem, buffer));
    return made;
}

}  // namespace ws

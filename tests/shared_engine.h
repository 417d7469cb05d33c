#pragma once
// One engine for all tests of a program: kernels are compiled and counted once. It ends with the tests and
// not with the process, when the compiler's own memory may be gone while it still compiles ahead.

#include <gtest/gtest.h>

#include <memory>

#include "gpu/engine/engine.h"
#include "gpu/picture/test_picture.h"
#include "tests/compiled_kernels.h"

namespace ws {

inline std::unique_ptr<Engine>& engine_slot() {
    static std::unique_ptr<Engine> slot;
    return slot;
}

class EngineEnd final : public ::testing::Environment {
  public:
    void TearDown() override { engine_slot().reset(); }
};
inline ::testing::Environment* const kEngineEnd = ::testing::AddGlobalTestEnvironment(new EngineEnd);

inline Engine& engine_with_picture(Extent size, const char* name) {
    std::unique_ptr<Engine>& slot = engine_slot();
    if (!slot) {
        EngineOptions options;
        options.cache_folder = testing::compiled_kernels();
        slot = std::make_unique<Engine>(std::move(options));
        slot->set_picture(std::make_shared<const RgbaImage>(draw_test_picture(size)), name);
    }
    return *slot;
}

}  // namespace ws

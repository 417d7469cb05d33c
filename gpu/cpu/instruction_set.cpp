#include "gpu/cpu/instruction_set.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "gpu/cpu/instruction_set.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace ws::HWY_NAMESPACE {

const char* name_of_target() {
    return hwy::TargetName(HWY_TARGET);
}

}  // namespace ws::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace ws {

HWY_EXPORT(name_of_target);

const char* instruction_set() {
    return HWY_DYNAMIC_DISPATCH(name_of_target)();
}

}  // namespace ws
#endif

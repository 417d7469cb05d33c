// The program with a fault in it: WARPSCOPE_FAULT is launch, no-memory, cuda-lost or gl-lost. Only the first
// device that is opened fails.

#include <cstdlib>
#include <map>

#include "app/program.h"
#include "staged_faults.h"

int main(int argc, char** argv) {
    using ws::testing::Fault;
    static const std::map<std::string, Fault> kFaults{
        {"launch", Fault::launch}, {"no-memory", Fault::no_memory}, {"cuda-lost", Fault::device_lost}};
    const char* const wanted = std::getenv("WARPSCOPE_FAULT");
    ws::Hooks hooks;
    if (wanted && std::string(wanted) == "gl-lost") hooks.lose_gl_after = 30;
    if (const auto fault = kFaults.find(wanted ? wanted : ""); fault != kFaults.end()) {
        hooks.devices.decorate = [kind = fault->second,
                                  opened = 0](std::unique_ptr<ws::Device> device) mutable {
            return opened++ == 0 ? std::make_unique<ws::testing::Faulty>(std::move(device), kind)
                                 : std::move(device);
        };
    }
    return ws::run_program(argc, argv, hooks);
}

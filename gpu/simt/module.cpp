#include "gpu/simt/decode.h"
#include "gpu/simt/frame.h"
#include "gpu/simt/module_variables.h"
#include "gpu/simt/program.h"

namespace ws::simt {

Result<Module> Module::load(std::string_view ptx) {
    Result<PtxModule> text = parse_ptx(ptx);
    if (!text.ok()) return Result<Module>::failure(text.message());
    try {
        Module made;
        made.text_ = std::make_shared<const PtxModule>(std::move(text.value()));
        made.variables_ = place_variables(*made.text_);
        return made;
    } catch (const DecodeError& error) {
        return Result<Module>::failure(error.what());
    }
}

Result<std::shared_ptr<const Program>> Module::kernel(const std::string& name) const {
    return kernel_of(text_, variables_, name);
}

Result<std::shared_ptr<const Program>> kernel_of(const std::shared_ptr<const PtxModule>& module,
                                                 std::shared_ptr<const ModuleVariables> variables,
                                                 const std::string& kernel) {
    try {
        return decode(module, std::move(variables), kernel);
    } catch (const DecodeError& error) {
        return Result<std::shared_ptr<const Program>>::failure(error.what());
    }
}

Result<std::shared_ptr<const Program>> load_program(std::string_view ptx, const std::string& kernel) {
    const Result<Module> module = Module::load(ptx);
    if (!module.ok()) return Result<std::shared_ptr<const Program>>::failure(module.message());
    return module.value().kernel(kernel);
}

}  // namespace ws::simt

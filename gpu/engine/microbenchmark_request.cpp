#include "gpu/engine/microbenchmark_request.h"

#include <string>

#include "gpu/calibration/microbenchmarks.h"

namespace ws {

CompileRequest microbenchmark_request(std::string_view kernel, std::string_view entry,
                                      const CodeTarget& target) {
    CompileRequest request;
    request.name = kernel;
    request.entry = entry;
    request.architecture = target.architecture;
    request.to_ptx = target.to_ptx;
    for (const EmbeddedFile& file : microbenchmark_files()) {
        if (file.name == request.name + ".cu")
            request.text = file.text;
        else if (!file.name.ends_with(".cu"))
            request.headers.push_back({std::string(file.name), std::string(file.text)});
    }
    return request;
}

}  // namespace ws

#include "gpu/picture/builtin_pictures.h"

#include <algorithm>
#include <array>
#include <string>

#include "gpu/core/embedded_file.h"
#include "gpu/picture/decoder.h"
#include "gpu/picture/test_picture.h"

namespace ws::embedded_pictures {
std::span<const EmbeddedFile> files();
}

namespace ws {

std::span<const BuiltinPicture> builtin_pictures() {
    static constexpr std::array kPictures{
        BuiltinPicture{"scene",
                       [] {
                           const EmbeddedFile& file = embedded_pictures::files().front();
                           return decode_picture({std::string(file.text), file.name});
                       }},
        BuiltinPicture{"test", [] { return draw_test_picture(); }}};
    return kPictures;
}

const BuiltinPicture* find_builtin_picture(std::string_view name) {
    const auto pictures = builtin_pictures();
    const auto found = std::find_if(pictures.begin(), pictures.end(),
                                    [&](const BuiltinPicture& picture) { return picture.name == name; });
    return found == pictures.end() ? nullptr : &*found;
}

}  // namespace ws

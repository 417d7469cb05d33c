# warpscope_embed(<target> <namespace> FILE...): a library with one std::string_view per file, found by name
# through `std::span<const ws::EmbeddedFile> <namespace>::files()` (header gpu/core/embedded_file.h).
find_package(Python3 REQUIRED COMPONENTS Interpreter)

function(warpscope_embed target namespace)
  set(output ${CMAKE_CURRENT_BINARY_DIR}/${target}.cpp)
  add_custom_command(
    OUTPUT ${output}
    COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/cmake/embed.py ${output} ${namespace} ${ARGN}
    DEPENDS ${PROJECT_SOURCE_DIR}/cmake/embed.py ${ARGN}
    COMMENT "Embedding ${namespace}"
    VERBATIM)
  add_library(${target} STATIC ${output})
  warpscope_see(${target} gpu/core)
endfunction()

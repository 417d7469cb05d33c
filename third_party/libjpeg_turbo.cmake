# libjpeg-turbo decodes JPEG where it is found (Debian: libjpeg62-turbo-dev), stb where not: WARPSCOPE_LIBJPEG_TURBO
# says which. Other libjpegs lack its RGBA output.
find_package(JPEG QUIET)
add_library(ext_libjpeg_turbo INTERFACE)
if(JPEG_FOUND)
  include(CheckCSourceCompiles)
  set(CMAKE_REQUIRED_INCLUDES ${JPEG_INCLUDE_DIRS})
  check_c_source_compiles("#include <stdio.h>
    #include <jpeglib.h>
    int main(void) { return (int)JCS_EXT_RGBA + LIBJPEG_TURBO_VERSION_NUMBER == 0; }" WARPSCOPE_JPEG_IS_TURBO)
  unset(CMAKE_REQUIRED_INCLUDES)
endif()
if(WARPSCOPE_JPEG_IS_TURBO)
  target_link_libraries(ext_libjpeg_turbo INTERFACE ${JPEG_LIBRARIES})
  target_include_directories(ext_libjpeg_turbo SYSTEM INTERFACE ${JPEG_INCLUDE_DIRS})
  target_compile_definitions(ext_libjpeg_turbo INTERFACE WARPSCOPE_LIBJPEG_TURBO)
endif()
add_library(ext::libjpeg_turbo ALIAS ext_libjpeg_turbo)

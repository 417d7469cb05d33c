# stb is header-only; its implementation is compiled here once.
find_path(STB_INCLUDE_DIR stb_image.h PATH_SUFFIXES stb)
if(NOT STB_INCLUDE_DIR)
  FetchContent_Declare(stb
    URL https://github.com/nothings/stb/archive/8b5f1f37b5b75829fc72d38e7b5d4bcbf8a26d55.zip
    URL_HASH SHA256=93a16ee3e866e719feec459f6f132cce932c5ec751eb38e3ec1975f911353d2e)
  FetchContent_MakeAvailable(stb)
  set(STB_INCLUDE_DIR ${stb_SOURCE_DIR} CACHE PATH "" FORCE)
endif()
add_library(ext_stb STATIC stb.c)
target_include_directories(ext_stb SYSTEM PUBLIC ${STB_INCLUDE_DIR})
target_compile_definitions(ext_stb PUBLIC STBI_NO_HDR STBI_NO_LINEAR STBI_NO_PIC)
if(NOT MSVC)
  # Foreign code: no warnings of ours, and optimised in every build, since a debug build decodes too slowly.
  target_compile_options(ext_stb PRIVATE -w -O2)
  # stb shifts negative values on purpose in places; our own code stays under the sanitizer.
  if(WARPSCOPE_SANITIZE)
    target_compile_options(ext_stb PRIVATE -fno-sanitize=undefined)
  endif()
endif()
add_library(ext::stb ALIAS ext_stb)

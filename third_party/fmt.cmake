find_package(fmt 8 QUIET)
if(NOT fmt_FOUND)
  FetchContent_Declare(fmt
    URL https://github.com/fmtlib/fmt/archive/refs/tags/10.2.1.tar.gz
    URL_HASH SHA256=1250e4cc58bf06ee631567523f48848dc4596133e163f02615c97f78bab6c811)
  FetchContent_MakeAvailable(fmt)
endif()
# The compiled library, never header-only: one copy of its code, quicker builds.
add_library(ext_fmt INTERFACE)
target_link_libraries(ext_fmt INTERFACE fmt::fmt)
add_library(ext::fmt ALIAS ext_fmt)

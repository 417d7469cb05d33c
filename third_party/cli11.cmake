find_package(CLI11 2.1 QUIET)
if(NOT CLI11_FOUND)
  FetchContent_Declare(cli11
    URL https://github.com/CLIUtils/CLI11/archive/v2.4.2.tar.gz
    URL_HASH SHA256=73b7ec52261ce8fe980a29df6b4ceb66243bb0b779451dbd3d014cfec9fdbb58)
  FetchContent_MakeAvailable(cli11)
endif()
add_library(ext_cli11 INTERFACE)
target_link_libraries(ext_cli11 INTERFACE CLI11::CLI11)
add_library(ext::cli11 ALIAS ext_cli11)

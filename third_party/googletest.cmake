find_package(GTest 1.11 QUIET)
if(NOT GTest_FOUND)
  FetchContent_Declare(googletest
    URL https://github.com/google/googletest/archive/refs/tags/v1.14.0.tar.gz
    URL_HASH SHA256=8ad598c73ad796e0d8280b082cebd82a630d73e73cd3c70057938a6501bba5d7)
  FetchContent_MakeAvailable(googletest)
  add_library(GTest::gtest_main ALIAS gtest_main)
endif()
add_library(ext_googletest INTERFACE)
target_link_libraries(ext_googletest INTERFACE GTest::gtest_main)
add_library(ext::googletest ALIAS ext_googletest)

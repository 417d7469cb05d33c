find_package(benchmark 1.6 QUIET)
if(NOT benchmark_FOUND)
  set(BENCHMARK_ENABLE_TESTING OFF CACHE INTERNAL "")
  FetchContent_Declare(google_benchmark
    URL https://github.com/google/benchmark/archive/refs/tags/v1.8.2.tar.gz
    URL_HASH SHA256=2aab2980d0376137f969d92848fbb68216abb07633034534fc8c65cc4e7a0e93)
  FetchContent_MakeAvailable(google_benchmark)
  add_library(benchmark::benchmark ALIAS benchmark)
endif()
add_library(ext_benchmark INTERFACE)
target_link_libraries(ext_benchmark INTERFACE benchmark::benchmark)
add_library(ext::benchmark ALIAS ext_benchmark)

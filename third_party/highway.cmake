find_package(hwy 1.0 QUIET)
if(NOT hwy_FOUND)
  set(HWY_ENABLE_TESTS OFF CACHE INTERNAL "")
  set(HWY_ENABLE_EXAMPLES OFF CACHE INTERNAL "")
  set(HWY_ENABLE_CONTRIB OFF CACHE INTERNAL "")
  FetchContent_Declare(highway
    URL https://github.com/google/highway/archive/1.0.2.tar.gz
    URL_HASH SHA256=e8ef71236ac0d97f12d553ec1ffc5b6375d57b5f0b860c7447dd69b6ed1072db)
  FetchContent_MakeAvailable(highway)
  add_library(hwy::hwy ALIAS hwy)
endif()
add_library(ext_highway INTERFACE)
target_link_libraries(ext_highway INTERFACE hwy::hwy)
add_library(ext::highway ALIAS ext_highway)

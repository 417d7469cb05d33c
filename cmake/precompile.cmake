# What many sources read is read once: by the tests in every build, whose headers took half of their time, under a sanitizer by
# the program's boxes, too. Otherwise these go without, so that a forgotten include does not compile.
set(common_headers <algorithm> <array> <atomic> <chrono> <cmath> <cstdint> <filesystem> <functional> <map> <memory> <mutex>
  <numeric> <optional> <span> <sstream> <stop_token> <string> <string_view> <thread> <tuple> <unordered_map> <utility> <variant> <vector>)
file(WRITE ${PROJECT_BINARY_DIR}/precompiled.cpp "")

if(WARPSCOPE_SANITIZE)
  add_library(ws_precompiled OBJECT ${PROJECT_BINARY_DIR}/precompiled.cpp)
  target_precompile_headers(ws_precompiled PRIVATE ${common_headers})
  get_property(boxes GLOBAL PROPERTY WARPSCOPE_BOXES)
  foreach(box IN LISTS boxes)
    string(REGEX MATCH "^[^ ]+" target ${box})
    if(NOT target STREQUAL ws_simt)  # which has options of its own
      target_precompile_headers(${target} REUSE_FROM ws_precompiled)
    endif()
  endforeach()
endif()

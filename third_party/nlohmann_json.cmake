find_package(nlohmann_json 3.9 QUIET)
if(NOT nlohmann_json_FOUND)
  FetchContent_Declare(nlohmann_json
    URL https://github.com/nlohmann/json/releases/download/v3.11.3/json.tar.xz
    URL_HASH SHA256=d6c65aca6b1ed68e7a182f4757257b107ae403032760ed6ef121c9d55e81757d)
  FetchContent_MakeAvailable(nlohmann_json)
endif()
add_library(ext_nlohmann_json INTERFACE)
target_link_libraries(ext_nlohmann_json INTERFACE nlohmann_json::nlohmann_json)
add_library(ext::nlohmann_json ALIAS ext_nlohmann_json)

# Dear ImGui with its GLFW and OpenGL3 backends.
find_path(IMGUI_INCLUDE_DIR imgui.h PATH_SUFFIXES imgui)
find_library(IMGUI_LIBRARY imgui)
if(IMGUI_INCLUDE_DIR AND IMGUI_LIBRARY)
  find_library(STB_LIBRARY stb)
  add_library(ext_imgui INTERFACE)
  target_include_directories(ext_imgui SYSTEM INTERFACE ${IMGUI_INCLUDE_DIR} ${IMGUI_INCLUDE_DIR}/backends)
  target_link_libraries(ext_imgui INTERFACE ${IMGUI_LIBRARY} $<$<BOOL:${STB_LIBRARY}>:${STB_LIBRARY}> ext::glfw
    ${CMAKE_DL_LIBS})
else()
  FetchContent_Declare(imgui
    URL https://github.com/ocornut/imgui/archive/refs/tags/v1.88.zip
    URL_HASH SHA256=81087a74599e5890a07b636887cee73a7dc1a9eb9e1f19a4a0d82a76090bf4c2)
  FetchContent_MakeAvailable(imgui)
  add_library(ext_imgui STATIC
    ${imgui_SOURCE_DIR}/imgui.cpp ${imgui_SOURCE_DIR}/imgui_draw.cpp ${imgui_SOURCE_DIR}/imgui_tables.cpp
    ${imgui_SOURCE_DIR}/imgui_widgets.cpp ${imgui_SOURCE_DIR}/misc/cpp/imgui_stdlib.cpp
    ${imgui_SOURCE_DIR}/backends/imgui_impl_glfw.cpp ${imgui_SOURCE_DIR}/backends/imgui_impl_opengl3.cpp)
  target_include_directories(ext_imgui SYSTEM PUBLIC
    ${imgui_SOURCE_DIR} ${imgui_SOURCE_DIR}/backends ${imgui_SOURCE_DIR}/misc/cpp)
  target_link_libraries(ext_imgui PUBLIC ext::glfw ${CMAKE_DL_LIBS})
endif()
add_library(ext::imgui ALIAS ext_imgui)

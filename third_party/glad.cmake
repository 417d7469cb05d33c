# GLAD, generated at build time: an OpenGL 4.5 core loader (what a 3.3 driver lacks stays null), and an EGL 1.5
# loader that opens libEGL itself, for drawing off screen. The generator is a Python package (Debian: python3-glad).
find_package(Python3 REQUIRED COMPONENTS Interpreter)
set(glad_pythonpath "")
foreach(candidate IN ITEMS /usr/bin/python3 ${Python3_EXECUTABLE})
  execute_process(COMMAND ${candidate} -c "import glad, sys; sys.exit(0 if hasattr(glad, 'generator') or glad.__version__ >= '2' else 1)"
    RESULT_VARIABLE glad_missing OUTPUT_QUIET ERROR_QUIET)
  if(glad_missing EQUAL 0)
    set(glad_python ${candidate})
    break()
  endif()
endforeach()
if(NOT DEFINED glad_python)
  FetchContent_Declare(glad
    URL https://github.com/Dav1dde/glad/archive/refs/tags/v2.0.7.zip
    URL_HASH SHA256=6645cc2ebeeff637ef59e0736c2c14eb83b607f65221429c5ddc5202101eab1e)
  FetchContent_GetProperties(glad)
  if(NOT glad_POPULATED)
    FetchContent_Populate(glad)
  endif()
  set(glad_python ${Python3_EXECUTABLE})
  set(glad_pythonpath PYTHONPATH=${glad_SOURCE_DIR})
endif()

set(glad_dir ${CMAKE_CURRENT_BINARY_DIR}/glad)
string(CONCAT glad_extensions "GL_KHR_debug,GL_ARB_robustness,EGL_EXT_platform_base,EGL_EXT_platform_device,"
  "EGL_EXT_device_enumeration,EGL_EXT_device_base,EGL_EXT_device_query,EGL_MESA_platform_surfaceless")
add_custom_command(
  OUTPUT ${glad_dir}/src/gl.c ${glad_dir}/src/egl.c ${glad_dir}/include/glad/gl.h ${glad_dir}/include/glad/egl.h
  COMMAND ${CMAKE_COMMAND} -E env ${glad_pythonpath} ${glad_python} -m glad --quiet --reproducible
    --api gl:core=4.5,egl=1.5 --extensions ${glad_extensions} --out-path ${glad_dir} c --loader
  COMMENT "Generating the OpenGL and EGL loaders"
  VERBATIM)
add_library(ext_glad STATIC ${glad_dir}/src/gl.c ${glad_dir}/src/egl.c)
target_include_directories(ext_glad SYSTEM PUBLIC ${glad_dir}/include)
target_link_libraries(ext_glad PUBLIC ${CMAKE_DL_LIBS})
if(NOT MSVC)
  target_compile_options(ext_glad PRIVATE -w)
endif()
add_library(ext::glad ALIAS ext_glad)

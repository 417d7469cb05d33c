# The CUDA toolkit, 11.8 to 13.x: headers and the static runtime. The static runtime opens libcuda when it is
# first used, and NVRTC is opened by gpu/compile: the program starts where either is missing.
find_package(CUDAToolkit 11.8 QUIET)
if(CUDAToolkit_FOUND)
  set(cuda_include_dirs ${CUDAToolkit_INCLUDE_DIRS})
  set(cuda_library_dir ${CUDAToolkit_LIBRARY_DIR})
  set(cuda_runtime CUDA::cudart_static)
else()
  # A toolkit without nvcc, which CMake's module insists on: Debian's nvidia-cuda-dev, for one.
  find_path(CUDA_NVRTC_INCLUDE_DIR nvrtc.h PATHS /usr/local/cuda/include)
  find_library(CUDA_STATIC_RUNTIME cudart_static PATHS /usr/local/cuda/lib64)
  if(NOT CUDA_NVRTC_INCLUDE_DIR OR NOT CUDA_STATIC_RUNTIME)
    message(FATAL_ERROR "The CUDA toolkit was not found. Install it (Debian and Ubuntu: nvidia-cuda-dev) or set "
      "CUDAToolkit_ROOT. No GPU is needed.")
  endif()
  file(STRINGS ${CUDA_NVRTC_INCLUDE_DIR}/cuda.h cuda_version_line REGEX "^#define CUDA_VERSION ")
  string(REGEX MATCH "[0-9]+" cuda_version "${cuda_version_line}")
  if(cuda_version LESS 11080)
    message(FATAL_ERROR "The CUDA toolkit in ${CUDA_NVRTC_INCLUDE_DIR} is older than 11.8 (CUDA_VERSION ${cuda_version}).")
  endif()
  set(cuda_include_dirs ${CUDA_NVRTC_INCLUDE_DIR})
  get_filename_component(cuda_library_dir ${CUDA_STATIC_RUNTIME} DIRECTORY)
  set(cuda_runtime ${CUDA_STATIC_RUNTIME} Threads::Threads ${CMAKE_DL_LIBS})
  if(UNIX AND NOT APPLE)
    list(APPEND cuda_runtime rt)
  endif()
endif()

add_library(ext_cuda INTERFACE)
target_link_libraries(ext_cuda INTERFACE ${cuda_runtime} ${CMAKE_DL_LIBS})
target_include_directories(ext_cuda SYSTEM INTERFACE ${cuda_include_dirs})
add_library(ext::cuda ALIAS ext_cuda)

# The headers alone, for gpu/compile: nothing to link. NVRTC is looked for in this toolkit's folder too, after the
# loader's own search path.
add_library(ext_cuda_headers INTERFACE)
target_include_directories(ext_cuda_headers SYSTEM INTERFACE ${cuda_include_dirs})
target_compile_definitions(ext_cuda_headers INTERFACE WARPSCOPE_CUDA_LIBRARY_DIR="${cuda_library_dir}")
target_link_libraries(ext_cuda_headers INTERFACE ${CMAKE_DL_LIBS})
add_library(ext::cuda_headers ALIAS ext_cuda_headers)

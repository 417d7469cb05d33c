# The CUDA toolkit, 11.8 to 13.x: headers and the static runtime. The static runtime opens libcuda when it is
# first used, and NVRTC is opened by gpu/compile: the program starts where either is missing.
find_package(CUDAToolkit 11.8 REQUIRED)
add_library(ext_cuda INTERFACE)
target_link_libraries(ext_cuda INTERFACE CUDA::cudart_static ${CMAKE_DL_LIBS})
target_include_directories(ext_cuda SYSTEM INTERFACE ${CUDAToolkit_INCLUDE_DIRS})
# Where this toolkit's NVRTC lies, tried after the loader's own search path.
target_compile_definitions(ext_cuda INTERFACE WARPSCOPE_CUDA_LIBRARY_DIR="${CUDAToolkit_LIBRARY_DIR}")
add_library(ext::cuda ALIAS ext_cuda)

# The headers alone, for gpu/compile: NVRTC's and the runtime's types, nothing to link.
add_library(ext_cuda_headers INTERFACE)
target_include_directories(ext_cuda_headers SYSTEM INTERFACE ${CUDAToolkit_INCLUDE_DIRS})
target_compile_definitions(ext_cuda_headers INTERFACE WARPSCOPE_CUDA_LIBRARY_DIR="${CUDAToolkit_LIBRARY_DIR}")
target_link_libraries(ext_cuda_headers INTERFACE ${CMAKE_DL_LIBS})
add_library(ext::cuda_headers ALIAS ext_cuda_headers)

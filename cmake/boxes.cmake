# A box is a folder and a target. It sees the headers of its own folder and of those that it names, and no other: its
# only include root is build/boxes/<target>, which holds a symbolic link to each of these folders. An include that
# crosses a line does not compile; tests/boxes_test.py asks the compiler about every header.

# warpscope_see(<target> FOLDER...): what the target may include, folders as #include names them.
function(warpscope_see target)
  list(JOIN ARGN " " line)
  set_property(GLOBAL APPEND PROPERTY WARPSCOPE_BOXES "${target} ${line}")
  if(CMAKE_HOST_WIN32)  # links need privileges there
    target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR})
    return()
  endif()
  set(root ${PROJECT_BINARY_DIR}/boxes/${target})
  # Links of an earlier table. Only links are deleted: what they lead to are the sources.
  file(GLOB earlier LIST_DIRECTORIES true ${root}/* ${root}/*/*)
  foreach(path IN LISTS earlier)
    if(IS_SYMLINK ${path})
      file(REMOVE ${path})
    endif()
  endforeach()
  foreach(folder IN LISTS ARGN)
    if(NOT IS_DIRECTORY ${PROJECT_SOURCE_DIR}/${folder})
      message(FATAL_ERROR "${target} is to see ${folder}, which is no folder")
    endif()
    get_filename_component(above ${root}/${folder} DIRECTORY)
    file(MAKE_DIRECTORY ${above})
    file(CREATE_LINK ${PROJECT_SOURCE_DIR}/${folder} ${root}/${folder} SYMBOLIC)
  endforeach()
  target_include_directories(${target} PRIVATE ${root})
  # Debuggers and coverage name the sources, not the links.
  if(CMAKE_CXX_COMPILER_ID MATCHES "GNU|Clang")
    target_compile_options(${target} PRIVATE $<$<NOT:$<CONFIG:Release>>:-ffile-prefix-map=${root}/=${PROJECT_SOURCE_DIR}/>)
  endif()
endfunction()

# warpscope_box(<name> [MAY BOX...] [LINK TARGET...]): the box gpu/<name>, target ws_<name>. It may include the boxes
# after MAY, beside which it is linked; what it uses of others comes after LINK. This is the table of docs/architecture.md.
function(warpscope_box name)
  cmake_parse_arguments(BOX "" "" "MAY;LINK" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${name}/*.cpp)
  add_library(ws_${name} STATIC ${sources})
  list(TRANSFORM BOX_MAY PREPEND "gpu/" OUTPUT_VARIABLE folders)
  warpscope_see(ws_${name} gpu/${name} ${folders})
  list(TRANSFORM BOX_MAY PREPEND "ws_")
  target_link_libraries(ws_${name} PUBLIC ${BOX_MAY} PRIVATE ${BOX_LINK})
endfunction()

# The table for the test, a line for each target: its name, and the folders that it sees.
function(warpscope_write_boxes path)
  get_property(boxes GLOBAL PROPERTY WARPSCOPE_BOXES)
  list(JOIN boxes "\n" lines)
  file(WRITE ${path} "${lines}\n")
endfunction()

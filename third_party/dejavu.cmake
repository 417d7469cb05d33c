# The DejaVu fonts, embedded in the program: DEJAVU_FONTS are the paths of Sans, Sans Bold, Sans Mono, Sans Mono Bold.
set(names DejaVuSans.ttf DejaVuSans-Bold.ttf DejaVuSansMono.ttf DejaVuSansMono-Bold.ttf)
set(DEJAVU_FONTS "")
foreach(name IN LISTS names)
  find_file(DEJAVU_${name} ${name} PATHS /usr/share/fonts/truetype/dejavu /usr/share/fonts/TTF /usr/share/fonts/dejavu
    /usr/share/fonts/dejavu-sans-fonts /usr/share/fonts/dejavu-sans-mono-fonts NO_DEFAULT_PATH)
  if(DEJAVU_${name})
    list(APPEND DEJAVU_FONTS ${DEJAVU_${name}})
  endif()
endforeach()
list(LENGTH DEJAVU_FONTS found)
if(found LESS 4)
  FetchContent_Declare(dejavu
    URL https://github.com/dejavu-fonts/dejavu-fonts/releases/download/version_2_37/dejavu-fonts-ttf-2.37.zip
    URL_HASH SHA256=7576310b219e04159d35ff61dd4a4ec4cdba4f35c00e002a136f00e96a908b0a)
  FetchContent_MakeAvailable(dejavu)
  list(TRANSFORM names PREPEND ${dejavu_SOURCE_DIR}/ttf/ OUTPUT_VARIABLE DEJAVU_FONTS)
endif()
set(DEJAVU_FONTS ${DEJAVU_FONTS} CACHE INTERNAL "")

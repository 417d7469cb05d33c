# The DejaVu fonts, embedded in the program: DEJAVU_SANS and DEJAVU_SANS_MONO are paths.
find_file(DEJAVU_SANS DejaVuSans.ttf PATHS /usr/share/fonts/truetype/dejavu /usr/share/fonts/TTF
  /usr/share/fonts/dejavu /usr/share/fonts/dejavu-sans-fonts NO_DEFAULT_PATH)
find_file(DEJAVU_SANS_MONO DejaVuSansMono.ttf PATHS /usr/share/fonts/truetype/dejavu /usr/share/fonts/TTF
  /usr/share/fonts/dejavu /usr/share/fonts/dejavu-sans-mono-fonts NO_DEFAULT_PATH)
if(NOT DEJAVU_SANS OR NOT DEJAVU_SANS_MONO)
  FetchContent_Declare(dejavu
    URL https://github.com/dejavu-fonts/dejavu-fonts/releases/download/version_2_37/dejavu-fonts-ttf-2.37.zip
    URL_HASH SHA256=7576310b219e04159d35ff61dd4a4ec4cdba4f35c00e002a136f00e96a908b0a)
  FetchContent_MakeAvailable(dejavu)
  set(DEJAVU_SANS ${dejavu_SOURCE_DIR}/ttf/DejaVuSans.ttf CACHE FILEPATH "" FORCE)
  set(DEJAVU_SANS_MONO ${dejavu_SOURCE_DIR}/ttf/DejaVuSansMono.ttf CACHE FILEPATH "" FORCE)
endif()

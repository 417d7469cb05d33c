# What `cmake --install` and the Debian package hold: the program, which embeds kernels, shaders, fonts, pictures and GPU profiles, and
# what a desktop wants to know of it. Component warpscope: what fetched libraries would install is none of it.
include(GNUInstallDirs)
set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME warpscope)
set(packaging ${PROJECT_SOURCE_DIR}/packaging)
set(generated ${PROJECT_BINARY_DIR}/packaging)

install(TARGETS warpscope RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(FILES ${packaging}/copyright ${PROJECT_SOURCE_DIR}/CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
if(UNIX AND NOT APPLE)
  configure_file(${packaging}/warpscope.1.in ${generated}/warpscope.1 @ONLY)
  install(FILES ${generated}/warpscope.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
  if(WITH_OPENGL)
    configure_file(${packaging}/warpscope.metainfo.xml.in ${generated}/warpscope.metainfo.xml @ONLY)
    install(FILES ${packaging}/warpscope.desktop DESTINATION ${CMAKE_INSTALL_DATADIR}/applications)
    install(FILES ${generated}/warpscope.metainfo.xml DESTINATION ${CMAKE_INSTALL_DATADIR}/metainfo)
    install(FILES ${packaging}/warpscope.svg DESTINATION ${CMAKE_INSTALL_DATADIR}/icons/hicolor/scalable/apps)
    install(FILES ${packaging}/warpscope.png DESTINATION ${CMAKE_INSTALL_DATADIR}/icons/hicolor/128x128/apps)
  endif()
endif()

set(CPACK_GENERATOR DEB)
set(CPACK_INSTALL_CMAKE_PROJECTS "${PROJECT_BINARY_DIR};${PROJECT_NAME};warpscope;/")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_PACKAGE_VENDOR "the Warpscope maintainers")
set(CPACK_PACKAGE_CONTACT "the Warpscope maintainers <maintainers@warpscope.invalid>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY ${PROJECT_DESCRIPTION})
set(CPACK_DEBIAN_PACKAGE_DESCRIPTION "Warpscope shows a class what a CUDA kernel does and why it is fast or slow, while it runs: in a window with
sliders or on the command line, on an NVIDIA GPU or on a simulated one.

The kernel compiler NVRTC and the NVIDIA driver are looked for when the program runs.")
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION education)
# The libraries that the program is linked with come from the program; those below it opens while it runs.
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
if(WITH_OPENGL)
  set(CPACK_DEBIAN_PACKAGE_DEPENDS "libegl1, libgl1")  # Mesa's drivers come with them where no others are
endif()
# Any NVRTC from 11.2 on, as Debian and as NVIDIA package it.
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "libnvrtc11.2 | libnvrtc12 | cuda-nvrtc-13-0 | cuda-nvrtc-12-8")
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "libcuda1")
include(CPack)

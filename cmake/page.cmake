# The web page: ui/build.sh bundles it, src/admin/page_files.S embeds it. Rebuilt when a file of ui/ changes.
function(lmw_embed_page target)
  set(out ${CMAKE_BINARY_DIR}/ui)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/ui/src/*)
  set(files ${out}/index.html ${out}/app.js ${out}/app.css ${out}/icon.svg)
  set(settings package.json package-lock.json tsconfig.json build.mjs build.sh)
  list(TRANSFORM settings PREPEND ${CMAKE_SOURCE_DIR}/ui/)
  add_custom_command(
    OUTPUT ${files}
    COMMAND ${CMAKE_SOURCE_DIR}/ui/build.sh ${out}
    COMMAND ${CMAKE_COMMAND} -E touch ${files}
    DEPENDS ${sources} ${settings}
    COMMENT "Building the page")
  target_sources(${target} PRIVATE ${CMAKE_SOURCE_DIR}/src/admin/page_files.S)
  set_source_files_properties(${CMAKE_SOURCE_DIR}/src/admin/page_files.S TARGET_DIRECTORY ${target} PROPERTIES
                              OBJECT_DEPENDS "${files}" COMPILE_OPTIONS -Wa,-I${out})
endfunction()

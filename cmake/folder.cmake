# lmw_folder(NAME [USES folder...] [LIBS library...])
#
# Makes the library lmw_NAME of all sources of src/NAME, and the test program NAME_test of its *_test.cpp.
# USES names the folders it may include: tests/house/layers_test.py checks the includes against this list.
function(lmw_folder name)
  cmake_parse_arguments(arg "" "" "USES;LIBS;TEST_LIBS" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${name}/*.cpp)
  set(tests ${sources})
  list(FILTER sources EXCLUDE REGEX "(_test|/main)\\.cpp$")
  list(FILTER tests INCLUDE REGEX "_test\\.cpp$")

  if(sources)
    add_library(lmw_${name} STATIC ${sources})
    set(scope PUBLIC)
  else()
    add_library(lmw_${name} INTERFACE)
    set(scope INTERFACE)
  endif()
  target_include_directories(lmw_${name} ${scope} ${CMAKE_SOURCE_DIR}/src)
  list(TRANSFORM arg_USES PREPEND lmw_)
  target_link_libraries(lmw_${name} ${scope} ${arg_USES} ${arg_LIBS} fmt::fmt)

  if(LMWARDEN_TESTS AND tests)
    add_executable(${name}_test ${tests})
    target_compile_definitions(${name}_test PRIVATE LMWARDEN_SOURCE_DIR="${CMAKE_SOURCE_DIR}")
    target_link_libraries(${name}_test PRIVATE lmw_${name} ${arg_TEST_LIBS} GTest::gmock GTest::gtest_main)
    gtest_discover_tests(${name}_test TEST_PREFIX "${name}: " DISCOVERY_TIMEOUT 60)
  endif()
endfunction()

# Compiler settings and third-party libraries, shared by every folder under src/.

add_compile_options(-Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Wold-style-cast
                    -Wno-missing-designated-field-initializers -Werror)
add_compile_definitions(LMWARDEN_VERSION="${PROJECT_VERSION}")
add_link_options(-fuse-ld=lld-19)

# Broken invariants abort in releases too: no NDEBUG.
set(CMAKE_CXX_FLAGS_RELEASE "-O2")
if(CMAKE_BUILD_TYPE STREQUAL "Debug")
  # Line tables are enough for stack traces, and halve the size of the objects.
  set(CMAKE_CXX_FLAGS_DEBUG "-O1 -gline-tables-only")
endif()

if(LMWARDEN_SANITIZE)
  add_compile_options(-fsanitize=${LMWARDEN_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${LMWARDEN_SANITIZE})
  # Recycled coroutine frames would hide use after free.
  add_compile_definitions(BOOST_ASIO_DISABLE_AWAITABLE_FRAME_RECYCLING)
endif()

find_package(Threads REQUIRED)
find_package(Boost 1.81 REQUIRED)
find_package(fmt REQUIRED)
find_package(spdlog REQUIRED)
find_package(simdjson REQUIRED)
find_package(ZLIB REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(SQLite3 REQUIRED)
find_package(prometheus-cpp CONFIG REQUIRED COMPONENTS core)
if(LMWARDEN_TESTS)
  find_package(GTest REQUIRED)
  include(GoogleTest)
endif()

# See docs/decisions/0003-allocator.md. Sanitizers bring their own.
add_library(lmw_allocator INTERFACE)
if(NOT LMWARDEN_SANITIZE)
  find_library(JEMALLOC jemalloc REQUIRED)
  target_link_libraries(lmw_allocator INTERFACE ${JEMALLOC})
endif()

add_library(lmw_boost INTERFACE)
target_include_directories(lmw_boost SYSTEM INTERFACE ${Boost_INCLUDE_DIRS})
# One io_context drives each thread: no concurrency inside Asio, and only the features in use are compiled.
target_compile_definitions(lmw_boost INTERFACE BOOST_ASIO_NO_DEPRECATED BOOST_ASIO_SEPARATE_COMPILATION)
target_link_libraries(lmw_boost INTERFACE Threads::Threads)

# The libraries that Octavo stands on, each from the distribution. protobuf is
# linked statically, so that it cannot clash with a host program's copy.
find_package(Threads REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(LIBZIP REQUIRED IMPORTED_TARGET libzip)
pkg_check_modules(CRYPTO REQUIRED IMPORTED_TARGET libcrypto)
find_path(CLI11_INCLUDE CLI/CLI.hpp REQUIRED)
find_path(JSON_INCLUDE nlohmann/json.hpp REQUIRED)
find_path(TOML_INCLUDE toml++/toml.h REQUIRED)
find_program(PROTOC protoc REQUIRED)
find_library(PROTOBUF_LITE NAMES libprotobuf-lite.a REQUIRED)
find_library(FMT NAMES fmt REQUIRED)
find_library(HWY NAMES hwy REQUIRED)
if(OCTAVO_TESTS)
  find_package(GTest REQUIRED)
endif()
if(NOT EXISTS "${OCTAVO_ORT_INCLUDE}/onnxruntime_c_api.h")
  message(FATAL_ERROR
    "The headers of ONNX Runtime's C API were not found in "
    "'${OCTAVO_ORT_INCLUDE}'. Run `make`, which fetches them, or configure "
    "with -DOCTAVO_ORT_INCLUDE=<folder of onnxruntime_c_api.h>.")
endif()

add_library(octavo_dependencies INTERFACE)
target_link_libraries(octavo_dependencies INTERFACE
  ${PROTOBUF_LITE} ${FMT} ${HWY} PkgConfig::LIBZIP PkgConfig::CRYPTO
  Threads::Threads ${CMAKE_DL_LIBS})

# Writes OUTPUT, a C++ file that holds whole files as functions declared in
# src/report/assets.h: cmake -DOUTPUT=F -DNAMES="a;b" -DFILES="x;y" -P this.
# An empty file name (written "-") gives an empty text.
set(text "#include \"report/assets.h\"\n\nnamespace octavo {\n")
foreach(name file IN ZIP_LISTS NAMES FILES)
  if(file STREQUAL "-")
    string(APPEND text
      "\nstd::string_view ${name}() noexcept { return {}; }\n")
    continue()
  endif()
  file(READ "${file}" hex HEX)
  string(REGEX REPLACE "(..)" "0x\\1," bytes "${hex}")
  string(APPEND text
    "\nstd::string_view ${name}() noexcept {\n"
    "  static constexpr unsigned char kBytes[] = {${bytes}};\n"
    "  return {reinterpret_cast<const char*>(kBytes), sizeof(kBytes)};\n}\n")
endforeach()
file(WRITE "${OUTPUT}" "${text}\n}  // namespace octavo\n")

#!/usr/bin/env python3
"""Fails when a file includes a floor above it or beside it.

The floors are those of the table in docs/design.md, which this reads, so that
page and check cannot differ. The rules:

  * a file in src/<floor>/ includes its own floor and those below, never one
    above, never a sibling on the same level;
  * octavo/*.h, the public headers, may be included from everywhere, but
    themselves include only the standard library and each other;
  * testing/ is included by tests (*_test.cc) and by itself only.

Usage: check_floors.py [ROOT]     prints file:line, the include and the rule.
"""
import pathlib
import re
import sys

INCLUDE = re.compile(r'\s*#\s*include\s*([<"])([^">]+)[">]')
FLOOR_LINE = re.compile(r"    (\d+)  (\S.*)")
FLOOR_NAME = re.compile(r"[a-z]+")

STANDARD = set("""
    algorithm any array atomic barrier bit bitset charconv chrono codecvt
    compare complex concepts condition_variable coroutine deque exception
    execution filesystem format forward_list fstream functional future
    initializer_list iomanip ios iosfwd iostream istream iterator latch limits
    list locale map memory memory_resource mutex new numbers numeric optional
    ostream queue random ranges ratio regex scoped_allocator semaphore set
    shared_mutex source_location span sstream stack stdexcept stop_token
    streambuf string string_view strstream syncstream system_error thread tuple
    type_traits typeindex typeinfo unordered_map unordered_set utility valarray
    variant vector version cassert cctype cerrno cfenv cfloat cinttypes climits
    clocale cmath csetjmp csignal cstdarg cstddef cstdint cstdio cstdlib
    cstring ctime cuchar cwchar cwctype
    """.split())


class NoFloors(Exception):
    """The design page has no table that can be read."""


def read_floors(design):
    """Maps each floor's name to its level, from the text of the design page.

    A line of the table is its level, then names, then a description of more
    than one word, set apart by two or more spaces.
    """
    levels = {}
    in_table = False
    for line in design.splitlines():
        if line.startswith("## "):
            in_table = line.startswith("## Floors")
        match = FLOOR_LINE.fullmatch(line) if in_table else None
        if match:
            for field in re.split(r"  +", match[2]):
                if FLOOR_NAME.fullmatch(field):
                    levels[field] = int(match[1])
    if len(set(levels.values())) < 2:
        raise NoFloors(
            "docs/design.md has no table of floors under a heading '## "
            "Floors' (lines of four spaces, a level, two spaces, names); it "
            "is needed to check the includes.")
    return levels


def includes(text):
    """Yields (line number, 'quote' or 'angle', path) of each #include."""
    for number, line in enumerate(text.splitlines(), 1):
        match = INCLUDE.match(line)
        if match:
            yield number, "quote" if match[1] == '"' else "angle", match[2]


def check_public(kind, target):
    """Why a public header may not include the target; None if it may."""
    if kind == "angle" and target in STANDARD:
        return None
    if kind == "quote" and re.fullmatch(r"octavo/\w+\.h", target):
        return None
    return ('a public header includes only the standard library and '
            '"octavo/*.h"')


def check_source(floor, is_test, kind, target, levels):
    """Why a file on the floor may not include the target; None if it may."""
    first, _, rest = target.partition("/")
    if kind == "angle":
        # <floor/...> that is one of ours; others are systems' and libraries'.
        if not (first in levels and rest.endswith(".h")):
            return None
    if first == "octavo":
        return None
    if first == "testing":
        if is_test:
            return None
        return "testing/ is for tests (*_test.cc) only"
    if not rest or first not in levels:
        return ("a header of ours is included by its floor's name, as "
                '"base/bytes.h", and there is no floor of this name')
    if first == floor or levels[first] < levels[floor]:
        return None
    if levels[first] == levels[floor]:
        return (f"{floor} and {first} are siblings on level {levels[floor]}, "
                "and neither may know the other")
    return (f"{floor} (level {levels[floor]}) may not include {first} (level "
            f"{levels[first]}), which stands above it")


def check_file(path, text, levels):
    """Yields one complaint a wrong include; path is relative to the root."""
    parts = pathlib.PurePath(path).parts
    floor = parts[1] if parts[0] == "src" and len(parts) > 2 else None
    if parts[0] == "src" and floor not in levels:
        yield (f"{path}:1: this file is on no floor of docs/design.md; move "
               "it to one, or add the floor to the table there")
        return
    for number, kind, target in includes(text):
        if floor:
            is_test = path.endswith("_test.cc")
            why = check_source(floor, is_test, kind, target, levels)
        else:
            why = check_public(kind, target)
        if why:
            shown = f'"{target}"' if kind == "quote" else f"<{target}>"
            yield f"{path}:{number}: includes {shown}, but {why}"


def main(arguments):
    root = pathlib.Path(arguments[0] if arguments else
                        pathlib.Path(__file__).resolve().parent.parent)
    try:
        levels = read_floors((root / "docs/design.md").read_text("utf-8"))
    except (OSError, NoFloors) as error:
        print(f"check_floors: {error}", file=sys.stderr)
        return 2
    files = sorted(file for folder in ("include", "src")
                   for file in (root / folder).rglob("*")
                   if file.suffix in (".h", ".cc"))
    complaints = []
    for file in files:
        path = file.relative_to(root).as_posix()
        text = file.read_text("utf-8", errors="replace")
        complaints += check_file(path, text, levels)
    for complaint in complaints:
        print(complaint)
    if not files:
        print(f"check_floors: no file to check under {root}", file=sys.stderr)
        return 2
    if complaints:
        print(f"{len(complaints)} include(s) break the floors of "
              "docs/design.md.")
        return 1
    print(f"The includes of {len(files)} files keep the floors of "
          "docs/design.md.")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

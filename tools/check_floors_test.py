#!/usr/bin/env python3
"""Tests of check_floors.py, on small texts and on a small tree."""
import contextlib
import io
import pathlib
import tempfile
import unittest

import check_floors

DESIGN = """
## Two rivers

    quantize   path -> open_model

## Floors: downward only

    9  cli        python       front ends: parse, call, render
    6  calibrate  compare      measure with a runtime
    5  runtime                 quant       ONNX Runtime | decide
    2  proto                   kernels     wire | loops: siblings
    1  base                                errors, bytes

## Folders

    7  attic      not a floor, under another heading
"""


class ReadFloors(unittest.TestCase):
    def test_reads_levels_and_names_of_the_table_only(self):
        self.assertEqual(
            check_floors.read_floors(DESIGN), {
                "cli": 9, "python": 9, "calibrate": 6, "compare": 6,
                "runtime": 5, "quant": 5, "proto": 2, "kernels": 2, "base": 1
            })

    def test_reads_the_real_page(self):
        page = pathlib.Path(__file__).resolve().parent.parent / "docs/design.md"
        levels = check_floors.read_floors(page.read_text("utf-8"))
        self.assertEqual(levels["base"], 1)
        self.assertEqual(levels["runtime"], levels["quant"])
        self.assertLess(levels["model"], levels["graph"])
        self.assertEqual(levels["cli"], max(levels.values()))

    def test_a_page_without_table_is_an_error(self):
        with self.assertRaisesRegex(check_floors.NoFloors, "no table"):
            check_floors.read_floors("# Design\n")


class CheckFile(unittest.TestCase):
    levels = check_floors.read_floors(DESIGN)

    def complaints(self, path, *lines):
        return list(check_floors.check_file(path, "\n".join(lines),
                                            self.levels))

    def test_own_floor_lower_floors_and_public_headers_pass(self):
        self.assertEqual(
            self.complaints("src/compare/a.cc", '#include "compare/a.h"',
                            '#include "base/bytes.h"', '#include "quant/q.h"',
                            '#include "octavo/error.h"'), [])

    def test_upward_is_named_with_line_and_rule(self):
        self.assertEqual(
            self.complaints("src/base/a.h", "#pragma once", "",
                            '#include "cli/command.h"'),
            ['src/base/a.h:3: includes "cli/command.h", but base (level 1) '
             "may not include cli (level 9), which stands above it"])

    def test_siblings_may_not_know_each_other(self):
        (complaint,) = self.complaints("src/quant/a.cc",
                                       '#include "runtime/session.h"')
        self.assertIn("siblings on level 5", complaint)

    def test_tests_keep_the_floors_too(self):
        self.assertEqual(
            len(self.complaints("src/quant/a_test.cc",
                                '#include "runtime/session.h"')), 1)

    def test_testing_is_for_tests_only(self):
        line = '#include "testing/tiny_model.h"'
        self.assertEqual(self.complaints("src/base/a_test.cc", line), [])
        (complaint,) = self.complaints("src/base/a.cc", line)
        self.assertIn("for tests", complaint)

    def test_angle_brackets_and_blanks_do_not_hide_a_floor(self):
        self.assertEqual(
            len(self.complaints("src/base/a.cc", "#  include <cli/command.h>")),
            1)

    def test_libraries_are_not_floors(self):
        self.assertEqual(
            self.complaints("src/base/a.cc", "#include <vector>",
                            "#include <fmt/format.h>", "#include <sys/mman.h>"),
            [])

    def test_a_header_without_its_floor_is_named(self):
        for include in ("command.h", "../cli/command.h", "attic/a.h"):
            with self.subTest(include):
                self.assertEqual(
                    len(self.complaints("src/base/a.cc",
                                        f'#include "{include}"')), 1)

    def test_a_file_on_no_floor_is_named(self):
        for path in ("src/a.cc", "src/attic/a.cc"):
            with self.subTest(path):
                (complaint,) = self.complaints(path)
                self.assertIn("on no floor", complaint)

    def test_public_headers_include_standard_library_and_each_other(self):
        self.assertEqual(
            self.complaints("include/octavo/a.h", "#include <span>",
                            "#include <cstdint>", '#include "octavo/b.h"'), [])
        for include in ("<fmt/format.h>", "<sys/mman.h>", "<octavo/b.h>",
                        '"base/bytes.h"'):
            with self.subTest(include):
                self.assertEqual(
                    len(self.complaints("include/octavo/a.h",
                                        f"#include {include}")), 1)


class Main(unittest.TestCase):
    def run_on(self, files):
        with tempfile.TemporaryDirectory() as folder:
            for name, text in files.items():
                path = pathlib.Path(folder, name)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, "utf-8")
            out = io.StringIO()
            with contextlib.redirect_stdout(out), \
                    contextlib.redirect_stderr(out):
                code = check_floors.main([folder])
            return code, out.getvalue()

    def test_a_clean_tree_gives_0(self):
        code, out = self.run_on({"docs/design.md": DESIGN,
                                 "src/base/a.cc": "#include <vector>\n"})
        self.assertEqual(code, 0)
        self.assertIn("1 files", out)

    def test_a_wrong_include_gives_1(self):
        code, out = self.run_on({"docs/design.md": DESIGN,
                                 "src/base/a.cc": '#include "quant/q.h"\n'})
        self.assertEqual(code, 1)
        self.assertIn("src/base/a.cc:1", out)

    def test_no_design_page_gives_2(self):
        code, out = self.run_on({"src/base/a.cc": ""})
        self.assertEqual(code, 2)
        self.assertIn("design.md", out)

    def test_an_empty_tree_gives_2(self):
        self.assertEqual(self.run_on({"docs/design.md": DESIGN})[0], 2)


if __name__ == "__main__":
    unittest.main()

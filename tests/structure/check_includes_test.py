"""Shows that check_includes.py finds what it is for: each test breaks one rule in a small tree."""

import pathlib
import tempfile
import unittest

import check_includes

TREE = {
    "runtime/structtensor/base/status.h": "",
    "runtime/structtensor/base/internal/strings.h": "",
    "runtime/structtensor/tensor/tensor.h": '#include <vector>\n#include "structtensor/base/status.h"\n',
    "runtime/structtensor/tensor/tensor.cc": '#include "structtensor/base/internal/strings.h"\n',
    "runtime/structtensor/ops/internal/concat.cc": (
        '#include "structtensor/tensor/tensor.h"\n#include "structtensor/base/status.h"\n'
    ),
    "runtime/structtensor/bridges/arrow_files/file.cc": "#include <arrow/api.h>\n",
    "compiler/structtensor/compiler/schema/schema.h": "#include <google/protobuf/descriptor.h>\n",
    "compiler/structtensor/compiler/emit/emit.cc": 'const char* kText = R"(\n#include "structtensor/ops/made.h"\n)";\n',
    "runtime/structtensor/ops/made.h": "",
    "proto_schemas/structtensor/spec.proto": "",
    "examples/ingest.cc": '#include "structtensor/tensor/tensor.h"\n',
    "tests/tensor/tensor_test.cc": '#include "structtensor/base/internal/strings.h"\n#include "structtensor/spec.pb.h"\n',
    "tests/structure/allowed_includes.txt": "# a comment\nops -> base tensor\ntensor -> base\n",
    "CONTRIBUTING.md": "    ops -> tensor\n    tensor -> base\n",
}


class CheckIncludesTest(unittest.TestCase):
    def problems(self, changed):
        """What is found in the tree after these files were added or replaced."""
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            for name, text in (TREE | changed).items():
                path = root / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text)
            return check_includes.check(root)

    def expect_one(self, words, changed):
        problems = self.problems(changed)
        self.assertEqual(len(problems), 1, problems)
        self.assertIn(words, problems[0])

    def test_finds_nothing_in_a_tree_that_keeps_the_rules(self):
        self.assertEqual(self.problems({}), [])

    def test_finds_rules_about_folders_that_do_not_exist(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "runtime/structtensor/regex/regex_strings.cc"
            path.parent.mkdir(parents=True)
            path.write_text("")
            problems = check_includes.folders_without_files(pathlib.Path(folder))
        self.assertIn("check_includes.py names the folder bridges/arrow_files, which does not exist", problems)
        self.assertNotIn("check_includes.py names the folder regex, which does not exist", problems)
        self.assertIn("check_includes.py names examples, which does not exist", problems)

    def test_finds_an_arrow_that_is_not_allowed(self):
        self.expect_one("records -> ops is not in",
                        {"runtime/structtensor/records/r.h": '#include "structtensor/ops/made.h"\n'})

    def test_finds_an_arrow_of_an_internal_header(self):
        problems = self.problems({
            "runtime/structtensor/tensor/internal/rows.h": "",
            "runtime/structtensor/base/internal/deep.cc": '#include "structtensor/tensor/internal/rows.h"\n',
        })
        self.assertTrue(any("base -> tensor is not in" in problem for problem in problems), problems)
        self.assertTrue(any("in a circle" in problem for problem in problems), problems)

    def test_finds_an_arrow_that_nothing_follows_any_more(self):
        self.expect_one("ops -> base: nothing includes it any more",
                        {"runtime/structtensor/ops/internal/concat.cc": '#include "structtensor/tensor/tensor.h"\n'})

    def test_finds_a_circle_that_is_allowed(self):
        self.expect_one("in a circle", {
            "runtime/structtensor/base/status.h": '#include "structtensor/ops/made.h"\n',
            "tests/structure/allowed_includes.txt": "base -> ops\nops -> base tensor\ntensor -> base\n",
        })

    def test_finds_an_include_of_no_file(self):
        self.expect_one('there is no file "structtensor/tensor/gone.h"',
                        {"tests/ops/ops_test.cc": '#include "structtensor/tensor/gone.h"\n'})

    def test_finds_an_include_of_no_file_in_text_for_generated_code(self):
        self.expect_one('there is no file "structtensor/ops/gone.h"',
                        {"compiler/structtensor/compiler/emit/emit.cc": 'R"(\n#include "structtensor/ops/gone.h"\n)"'})

    def test_finds_internal_headers_in_what_users_read(self):
        include = '#include "structtensor/base/internal/strings.h"\n'
        for name in ("examples/ingest.cc", "tests/docs/snippets.cc", "docs/guide.md", "README.md"):
            self.expect_one('"structtensor/base/internal/strings.h" is internal', {name: include})

    def test_finds_libprotobuf_in_the_runtime(self):
        self.expect_one("may include <google/protobuf/message.h>",
                        {"runtime/structtensor/base/status.h": "#include <google/protobuf/message.h>\n"})

    def test_finds_arrow_outside_its_bridge(self):
        for header in ("arrow/api.h", "parquet/file.h"):
            self.expect_one(f"only bridges/arrow_files may include <{header}>",
                            {"runtime/structtensor/base/status.h": f"#include <{header}>\n"})

    def test_finds_a_drawing_that_is_not_the_list(self):
        self.expect_one("CONTRIBUTING.md: the arrows are not", {"CONTRIBUTING.md": "    ops -> tensor\n"})

    def test_refuses_a_list_that_it_cannot_read(self):
        with self.assertRaises(SystemExit):
            check_includes.read_allowed("ops tensor\n")
        with self.assertRaises(SystemExit):
            check_includes.read_allowed("ops -> tensor base\n")


if __name__ == "__main__":
    unittest.main()

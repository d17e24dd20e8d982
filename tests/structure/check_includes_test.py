"""Shows that check_includes.py finds what it is for: each test breaks one rule in a small tree."""

import pathlib
import tempfile
import unittest

import check_includes

TREE = {
    "runtime/structtensor/structtensor.h": '#include "structtensor/tensor/values/tensor.h"\n',
    "runtime/structtensor/core/base/status.h": "",
    "runtime/structtensor/core/base/shared/strings.h": "",
    "runtime/structtensor/core/base/internal/deep.h": "",
    "runtime/structtensor/tensor/values/tensor.h": '#include <vector>\n#include "structtensor/core/base/status.h"\n',
    "runtime/structtensor/tensor/values/tensor.cc": '#include "structtensor/core/base/shared/strings.h"\n',
    "runtime/structtensor/tensor/ops/internal/concat.cc": (
        '#include "structtensor/tensor/values/tensor.h"\n#include "structtensor/core/base/status.h"\n'
    ),
    "runtime/structtensor/io/column_files/file.cc": "#include <arrow/api.h>\n",
    "compiler/structtensor/compiler/schema/schema.h": "#include <google/protobuf/descriptor.h>\n",
    "compiler/structtensor/compiler/emit/emit.cc": 'const char* kText = R"(\n#include "structtensor/tensor/ops/made.h"\n)";\n',
    "runtime/structtensor/tensor/ops/made.h": "",
    "proto_schemas/structtensor/spec.proto": "",
    "examples/ingest.cc": '#include "structtensor/tensor/values/tensor.h"\n',
    "python/src/module.cc": '#include "structtensor/core/base/shared/strings.h"\n',
    "tests/core/base/deep_test.cc": '#include "structtensor/core/base/internal/deep.h"\n#include "structtensor/spec.pb.h"\n',
    "tests/structure/allowed_includes.txt": (
        "# a comment\ntensor/ops -> core/base tensor/values\ntensor/values -> core/base\n"
    ),
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

    def test_the_header_for_first_programs(self):
        header = "runtime/structtensor/structtensor.h"
        self.expect_one("is not for users", {header: '#include "structtensor/core/base/shared/strings.h"\n'})
        include = '#include "structtensor/structtensor.h"\n'
        self.assertEqual(self.problems({"examples/first.cc": include}), [])
        self.expect_one("is for first programs", {"tests/core/base/other_test.cc": include})

    def test_finds_rules_about_folders_that_do_not_exist(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "runtime/structtensor/tensor/math/regex_strings.cc"
            path.parent.mkdir(parents=True)
            path.write_text("")
            problems = check_includes.folders_without_files(pathlib.Path(folder))
        self.assertIn("check_includes.py names the folder io/column_files, which does not exist", problems)
        self.assertNotIn("check_includes.py names the folder tensor/math, which does not exist", problems)
        self.assertIn("check_includes.py names examples, which does not exist", problems)

    def test_finds_an_arrow_that_is_not_allowed(self):
        self.expect_one("io/records -> tensor/ops is not in",
                        {"runtime/structtensor/io/records/r.h": '#include "structtensor/tensor/ops/made.h"\n'})

    def test_finds_an_arrow_to_a_later_wing(self):
        problems = self.problems({
            "runtime/structtensor/core/base/shared/wrong.cc": '#include "structtensor/tensor/values/tensor.h"\n',
        })
        self.assertTrue(any("core/base -> tensor/values points to a later wing" in problem for problem in problems), problems)
        self.assertTrue(any("in a circle" in problem for problem in problems), problems)

    def test_finds_private_headers_of_other_rooms(self):
        for name in ("runtime/structtensor/tensor/values/tensor.cc", "python/src/module.cc", "integrations/tensorflow/ops.cc"):
            self.expect_one('"structtensor/core/base/internal/deep.h" is private to core/base',
                            {name: '#include "structtensor/core/base/internal/deep.h"\n'})

    def test_finds_an_arrow_that_nothing_follows_any_more(self):
        self.expect_one("tensor/ops -> core/base: nothing includes it any more",
                        {"runtime/structtensor/tensor/ops/internal/concat.cc":
                         '#include "structtensor/tensor/values/tensor.h"\n'})

    def test_finds_a_circle_that_is_allowed(self):
        self.expect_one("in a circle", {
            "runtime/structtensor/tensor/values/tensor.h": (
                '#include "structtensor/core/base/status.h"\n#include "structtensor/tensor/ops/made.h"\n'
            ),
            "tests/structure/allowed_includes.txt": (
                "tensor/ops -> core/base tensor/values\ntensor/values -> core/base tensor/ops\n"
            ),
        })

    def test_finds_an_include_of_no_file(self):
        self.expect_one('there is no file "structtensor/tensor/gone.h"',
                        {"tests/tensor/ops/ops_test.cc": '#include "structtensor/tensor/gone.h"\n'})

    def test_finds_an_include_of_no_file_in_text_for_generated_code(self):
        self.expect_one('there is no file "structtensor/tensor/ops/gone.h"',
                        {"compiler/structtensor/compiler/emit/emit.cc": 'R"(\n#include "structtensor/tensor/ops/gone.h"\n)"'})

    def test_finds_internal_headers_in_what_users_read(self):
        include = '#include "structtensor/core/base/shared/strings.h"\n'
        for name in ("examples/ingest.cc", "tests/packaging/documents/snippets.cc", "docs/guide.md", "README.md"):
            self.expect_one('"structtensor/core/base/shared/strings.h" is not for users', {name: include})

    def test_finds_libprotobuf_in_the_runtime(self):
        self.expect_one("may include <google/protobuf/message.h>",
                        {"runtime/structtensor/core/base/status.h": "#include <google/protobuf/message.h>\n"})

    def test_finds_arrow_outside_its_room(self):
        for header in ("arrow/api.h", "parquet/file.h"):
            self.expect_one(f"only io/column_files may include <{header}>",
                            {"runtime/structtensor/core/base/status.h": f"#include <{header}>\n"})

    def test_finds_rooms_that_the_table_lacks_or_invents(self):
        table = "# Design\n\n## Structure\n\n| `core/base` | memory |\n| `tensor/values` | tensors |\n| `tensor/gone` | - |\n"
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            for name in ("runtime/structtensor/core/base/status.h", "runtime/structtensor/core/wire/abi/varint.h",
                         "runtime/structtensor/tensor/values/tensor.h"):
                (root / name).parent.mkdir(parents=True, exist_ok=True)
                (root / name).write_text("")
            (root / "docs").mkdir()
            (root / "docs/design.md").write_text(table)
            self.assertEqual(check_includes.check_table(root), [
                "docs/design.md lists the room tensor/gone, which does not exist",
                "docs/design.md does not list the room core/wire",
            ])
            (root / "docs/design.md").write_text(table.replace("core/base", "core/wire", 1).replace("tensor/gone", "core/base"))
            self.assertEqual(check_includes.check_table(root), ["docs/design.md: the rooms are not in the order of the wings"])

    def test_finds_rooms_that_the_list_lacks_or_invents(self):
        rooms = "# a comment\ncore/base  runtime  tsan\ncore/gone  runtime  tsam\ncore/wire  runtime\nrfc  tests\n"
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            for name in ("runtime/structtensor/core/base/status.h", "runtime/structtensor/core/wire/abi/varint.h",
                         "runtime/structtensor/core/column/tree.h", "tests/core/base/CMakeLists.txt",
                         "tests/core/wires/CMakeLists.txt", "tests/rfc/x/CMakeLists.txt", "cmake/rooms.txt"):
                (root / name).parent.mkdir(parents=True, exist_ok=True)
                (root / name).write_text(rooms)
            (root / "tests/structure").mkdir()
            (root / "tests/structure/allowed_includes.txt").write_text("core/base -> core/wire\n")
            self.assertEqual(check_includes.check_list(root), [
                "cmake/rooms.txt lists the room core/gone, which does not exist",
                "cmake/rooms.txt does not list the room core/column",
                "tests/core/wires: there is no room core/wires",
                "cmake/rooms.txt: core/gone has the unknown word tsam",
                "cmake/rooms.txt: core/base comes before core/wire, which it includes",
            ])

    def test_refuses_a_list_that_it_cannot_read(self):
        with self.assertRaises(SystemExit):
            check_includes.read_allowed("ops tensor\n")
        with self.assertRaises(SystemExit):
            check_includes.read_allowed("ops -> tensor base\n")


if __name__ == "__main__":
    unittest.main()

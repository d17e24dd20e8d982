"""Shows that check_exports.py finds what it is for, in small trees."""

import pathlib
import tempfile
import unittest

import check_exports

HEADER = (
    "#ifndef A_H_\n#define A_H_\n\n#include <vector>\n\nnamespace structtensor {{\nint {}();\n}}  // namespace structtensor\n\n"
    "#endif\n"
)


class CheckExportsTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)

    def write(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def test_public_header_needs_pragmas_and_fix_writes_them_once(self):
        path = self.write("runtime/structtensor/tensor/values/tensor.h", HEADER.format("Public"))
        self.assertEqual(len(check_exports.check(self.root)), 1)
        self.assertEqual(check_exports.check(self.root, fix=True), [])
        fixed = path.read_text()
        self.assertLess(fixed.index("#include"), fixed.index(check_exports.PUSH))
        self.assertLess(fixed.index(check_exports.PUSH), fixed.index("namespace"))
        self.assertLess(fixed.index("}  // namespace"), fixed.index(check_exports.POP))
        self.assertEqual(check_exports.check(self.root, fix=True), [])
        self.assertEqual(path.read_text(), fixed)

    def test_rules_about_folders_that_do_not_exist_are_found(self):
        self.write("runtime/structtensor/tensor/math/regex_strings.h", HEADER.format("Public"))
        problems = check_exports.folders_without_headers(self.root)
        self.assertIn("check_exports.py names runtime/structtensor/app/schema, which has no headers", problems)
        self.assertFalse(any("regex" in problem for problem in problems))

    def test_include_after_the_pragma_is_found(self):
        path = self.write("runtime/structtensor/tensor/values/tensor.h", HEADER.format("Public"))
        check_exports.check(self.root, fix=True)
        late = path.read_text().replace("namespace structtensor {", "#include <string>\n\nnamespace structtensor {", 1)
        path.write_text(late)
        self.assertEqual(len(check_exports.check(self.root)), 1)

    def test_internal_header_is_exported_only_for_public_ones_and_generated_code(self):
        path = self.write("runtime/structtensor/core/decode/abi/fields.h", HEADER.format("Internal"))
        self.assertEqual(check_exports.check(self.root), [])
        self.write(f"{check_exports.EMITTERS}/emit.cc", 'print("#include \\"structtensor/core/decode/abi/fields.h\\"\\n");\n')
        self.assertEqual(len(check_exports.check(self.root)), 1)
        check_exports.check(self.root, fix=True)
        self.assertIn(check_exports.PUSH, path.read_text())
        (self.root / check_exports.EMITTERS / "emit.cc").unlink()
        self.assertEqual(len(check_exports.check(self.root)), 1)

    def test_static_only_library_exports_nothing(self):
        self.write("runtime/structtensor/app/scan/scan.h", HEADER.format("Scan"))
        self.assertEqual(check_exports.check(self.root), [])


if __name__ == "__main__":
    unittest.main()

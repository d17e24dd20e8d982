"""Shows that check_contract.py sees changes of code, and only those."""

import pathlib
import tempfile
import unittest

import check_contract

PLAN = "runtime/structtensor/core/plan/plan.h"
FIELDS = "runtime/structtensor/core/decode/abi/fields.h"


class CheckContractTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        self.write(PLAN, "inline constexpr int kContractVersion = 3;\n")
        self.write(f"{check_contract.EMITTERS}/emit.cc", 'print("#include \\"structtensor/core/decode/abi/fields.h\\"\\n");\n')
        self.write(FIELDS, '#include "structtensor/core/plan/plan.h"\nint Read(int tag);  // reads\n')
        self.write("runtime/structtensor/core/decode/decoder.h", "int Decode();\n")
        self.write(check_contract.CONTRACT, "")
        self.assertEqual(check_contract.main([str(self.root), "--update"]), 0)

    def write(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def test_comments_and_other_headers_do_not_matter(self):
        self.write(FIELDS, '#include "structtensor/core/plan/plan.h"\n// A comment.\n\nint  Read(int tag);\n')
        self.write("runtime/structtensor/core/decode/decoder.h", "int Decode(int);\n")
        self.assertEqual(check_contract.check(self.root), "")

    def test_code_matters(self):
        self.write(FIELDS, '#include "structtensor/core/plan/plan.h"\nint Read(long tag);\n')
        self.assertIn("increase kContractVersion", check_contract.check(self.root))
        self.write(PLAN, "inline constexpr int kContractVersion = 4;\n")
        self.assertIn("kContractVersion is 4", check_contract.check(self.root))
        self.assertEqual(check_contract.main([str(self.root), "--update"]), 0)
        self.assertEqual(check_contract.check(self.root), "")

    def test_what_the_headers_include_matters(self):
        self.write(PLAN, "inline constexpr int kContractVersion = 3;\nint x;\n")
        self.assertIn("increase kContractVersion", check_contract.check(self.root))

    def test_a_new_header_matters(self):
        self.write(f"{check_contract.EMITTERS}/more.cc", 'R"(\n#include "structtensor/core/decode/decoder.h"\n)"')
        self.assertNotEqual(check_contract.check(self.root), "")


if __name__ == "__main__":
    unittest.main()

"""Shows that check_python_imports.py finds circles, in small trees."""

import pathlib
import tempfile
import unittest

import check_python_imports


class CheckPythonImportsTest(unittest.TestCase):
    def problems(self, changed):
        tree = {f"{package}/__init__.py": "" for package in check_python_imports.PACKAGES} | changed
        with tempfile.TemporaryDirectory() as folder:
            for name, text in tree.items():
                path = pathlib.Path(folder, name)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text)
            return check_python_imports.check(pathlib.Path(folder))

    def test_finds_nothing_without_a_circle(self):
        tree = {"python/structtensor/_a.py": "from ._b import c\n", "python/structtensor/_b.py": ""}
        self.assertEqual(self.problems(tree), [])

    def test_finds_a_circle_also_inside_functions(self):
        found = self.problems({
            "python/structtensor/_a.py": "from . import _b\n",
            "python/structtensor/_b.py": "def f():\n    from ._a import g\n    return g\n",
        })
        self.assertEqual(len(found), 1)
        self.assertIn("python/structtensor: modules import each other in a circle", found[0])

    def test_finds_a_circle_through_a_folder(self):
        found = self.problems({
            "integrations/tensorflow/python/_a.py": "from .s2t import path\n",
            "integrations/tensorflow/python/s2t/path.py": "from .. import _a\n",
        })
        self.assertEqual(len(found), 1)

    def test_finds_a_package_that_does_not_exist(self):
        with tempfile.TemporaryDirectory() as folder:
            self.assertEqual(len(check_python_imports.check(pathlib.Path(folder))), len(check_python_imports.PACKAGES))


if __name__ == "__main__":
    unittest.main()

"""Shows that check_messages.py finds messages in both languages, and what is wrong with their form."""

import unittest

import check_messages


class CheckMessagesTest(unittest.TestCase):
    def test_finds_messages_of_cpp(self):
        text = """
          // return absl::InternalError("a comment is no message");
          return absl::NotFoundError(absl::StrCat("s3://x: no field ", name, "; the fields are ", Names(fields)));
          return Invalid(found ? "the field is there twice" : "the field is missing");
        """
        self.assertEqual(
            list(check_messages._of_cpp(text)),
            [(3, "s3://x: no field …; the fields are …"), (4, " | the field is there twice | the field is missing")],
        )

    def test_finds_messages_of_python(self):
        text = 'raise TypeError(f"axis: expected an integer, found {axis!r}" + advice)\nraise KeyError(name)\nraise error\n'
        self.assertEqual(list(check_messages._of_python(text)), [(1, "axis: expected an integer, found ……")])

    def test_says_what_is_wrong(self):
        for message, problem in (
            ("no field …; the fields are …", None),
            ("the text '; ; Not.' is no path", None),
            ("no field; it is missing; add it", "more than two clauses"),
            ("a; b | c; d", None),
            ("No field of this name", "begins with a capital letter"),
            ("DuckDB is not installed", None),
            ("there is no field.", "ends with a full stop"),
            ("a word and " * 50, "more than 400 characters"),
        ):
            self.assertEqual(check_messages.problem_of(message), problem, message)


if __name__ == "__main__":
    unittest.main()

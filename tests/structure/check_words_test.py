"""Shows that check_words.py finds retired words, and only whole ones."""

import unittest

import check_words


class CheckWordsTest(unittest.TestCase):
    def found(self, text):
        return [(line, word) for line, word, _ in check_words.places(text)]

    def test_finds_words_with_their_lines(self):
        text = "The tag stands before the value.\n// Nobody reads what lies behind it\nconst char* texts;\n"
        self.assertEqual(self.found(text), [(1, "stands"), (2, "Nobody"), (2, "lies"), (2, "behind"), (3, "texts")])

    def test_says_what_to_write(self):
        self.assertEqual(list(check_words.places("a sound message")), [(1, "sound", "valid, well-formed")])

    def test_leaves_other_words_alone(self):
        self.assertEqual(self.found("a standard believer's soundtrack, file.tell(), TextsColumns, of whichever"), [])


if __name__ == "__main__":
    unittest.main()

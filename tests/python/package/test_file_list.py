"""Lists of files in little memory."""

import random

from structtensor import _file_list


def test_a_list_has_the_paths_that_were_added():
    dice = random.Random(4)
    files, paths = _file_list.FileList(), []
    for i in range(500):
        paths.append(dice.choice(["a/", "a/b/", "", "/é\udcff/", "s3://b/k/"]) + dice.choice(["x", "é", "\udcff"]) * (i % 5))
        files.add_path(paths[-1], i)
    assert len(files) == 500
    assert files.sizes.tolist() == list(range(500))
    for _ in range(500):
        first = dice.randrange(501)
        last = dice.randrange(first, 501)
        assert files.paths(first, last) == paths[first:last]
        piece = _file_list.FileRange(files, first, last)
        assert (len(piece), list(piece)) == (last - first, paths[first:last])

"""Lists of very many files, in little memory."""

import array
import os


class FileList:
    """Files with their sizes, in the order of add().

    A Python path takes 50 bytes and one byte for each character. Here, the files of a folder share its name, and the rest of
    their names are stored one after the other: a file takes its name and 16 bytes. Paths are made when they are asked for.
    """

    def __init__(self):
        self._folders = []
        self._firsts = array.array("q")  # for each folder, its first file
        self._names = bytearray()
        self._ends = array.array("q", [0])  # in _names: the name of file i is from _ends[i] to _ends[i + 1]
        self.sizes = array.array("q")

    def __len__(self):
        return len(self.sizes)

    def add(self, folder, name, size):
        """Adds the file folder + name at the end. Both are texts."""
        if not self._folders or self._folders[-1] != folder:
            self._folders.append(folder)
            self._firsts.append(len(self.sizes))
        self._names += os.fsencode(name)
        self._ends.append(len(self._names))
        self.sizes.append(size)

    def add_path(self, path, size):
        """Adds a path at the end."""
        cut = path.rfind("/") + 1
        self.add(path[:cut], path[cut:], size)

    def paths(self, first, last):
        """The paths of files [first, last)."""
        paths = []
        low, high = 0, len(self._firsts)  # finds the folder of the first file: the last folder that begins at or before it
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if self._firsts[middle] <= first else (low, middle)
        for i in range(first, last):
            while low + 1 < len(self._firsts) and self._firsts[low + 1] <= i:
                low += 1
            paths.append(self._folders[low] + os.fsdecode(bytes(self._names[self._ends[i] : self._ends[i + 1]])))
        return paths


class FileRange:
    """Some files of a list, one behind the other."""

    __slots__ = ("_files", "_first", "_last")

    def __init__(self, files, first, last):
        self._files, self._first, self._last = files, first, last

    def __len__(self):
        return self._last - self._first

    def __iter__(self):
        return iter(self._files.paths(self._first, self._last))

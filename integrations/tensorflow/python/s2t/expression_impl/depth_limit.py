"""Keeps the fields up to a depth."""

from .._tree import Tree
from ..expression import Expression


def limit_depth(expression, limit):
    """Removes the fields that are more than `limit` steps deep."""

    def cut(tree, depth):
        children = {} if depth == 0 else {name: cut(child, depth - 1) for name, child in tree.children.items()}
        # The value at a key is as deep as the map.
        entry = tree.map_entry and (lambda: [cut(child, depth) for child in tree.map_entry()])

        def extension(step):
            found = tree.extension(step)
            return found and cut(found, depth - 1)

        return Tree(tree.is_repeated, tree.type, children, entry, extension if tree.extension and depth > 0 else None)

    return Expression(cut(expression._tree, limit), lambda needed: expression._make(needed).limit_depth(limit))

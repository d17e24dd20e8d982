"""Fields of a few steps only."""

from .._tree import Tree
from ..expression import Expression


def limit_depth(expression, limit):
    """Without the fields that are more than so many steps deep."""

    def cut(tree, depth):
        children = {} if depth == 0 else {name: cut(child, depth - 1) for name, child in tree.children.items()}
        return Tree(tree.is_repeated, tree.type, children)

    return Expression(cut(expression._tree, limit), lambda needed: expression._make(needed).limit_depth(limit))

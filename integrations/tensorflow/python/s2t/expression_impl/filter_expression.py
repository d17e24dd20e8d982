"""Keeps the values for which a boolean is true."""


def filter_by_child(expression, path, child_field_name, new_field_name):
    """Adds the field `new_field_name` beside the structs at the path: the structs for which their boolean field is true."""
    names = expression._names(path)

    def change(structs, new):
        return structs.filter(new, [*new, child_field_name])

    expression._tree.at((*names, child_field_name))
    copied = expression._copied(names, new_field_name, change)
    make = copied._make
    new = (*names[:-1], new_field_name)
    copied._make = lambda needed: make({*needed, (*new, child_field_name)})
    return copied


def filter_by_sibling(expression, path, sibling_field_name, new_field_name):
    """Adds the field `new_field_name` beside the values at the path: the values for which the boolean beside them is true."""
    names = expression._names(path)
    sibling = (*names[:-1], sibling_field_name)
    expression._tree.at(sibling)
    new = (*names[:-1], new_field_name)

    def change(structs):
        return structs.with_updates({new: structs[names]}).filter(list(new), list(sibling))

    return expression._with_field(new, expression._tree.at(names), [names, sibling], change)

"""Cuts rows. The methods of Expression, under the names of struct2tensor's functions."""


def slice_expression(expr, p, new_field_name, begin, end):
    return expr.slice(p, new_field_name, begin, end)

"""Keeps some of the fields. The methods of Expression, under the names of struct2tensor's functions."""


def project(expr, paths):
    return expr.project(paths)

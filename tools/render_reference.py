"""Renders the pages of tools/reference, by pdoc, from the package that this Python imports.

Signatures are those of the stubs, docstrings those of the package. The bindings need help with both: pdoc takes their static methods for
variables, and the docstrings of their methods are signatures and no more.
"""

import importlib
import inspect
import pathlib
import re
import sys
import warnings

import pdoc.doc
import pdoc.render

MODULES = ["structtensor", "structtensor.nest"]
SIGNATURE = re.compile(r"^(Overloaded function|(\d+\. )?\w*\(.*\) -> )")


class Unsaid:
    """A default that only the bindings know."""

    def __repr__(self):
        return "..."


def as_function(binding):
    def function(*args, **kwargs):
        return binding(*args, **kwargs)

    function.__name__ = binding.__name__
    function.__doc__ = binding.__doc__
    return staticmethod(function)


def make_static_methods_functions(module):
    """For this process alone: what pdoc takes for a variable is a function of Python that calls it."""
    for owner in vars(module).values():
        if not inspect.isclass(owner):
            continue
        for name, member in list(vars(owner).items()):
            if type(member).__name__ == "nb_func":
                setattr(owner, name, as_function(member))


def defaults_of(function):
    """{parameter: default}, as far as the function itself says."""
    try:
        return {name: one.default for name, one in inspect.signature(function.obj).parameters.items()}
    except (TypeError, ValueError):
        return {}


def with_defaults(function):
    """Stubs write `...` for all defaults: the function's own ones where it has such."""
    defaults = defaults_of(function)
    parameters = []
    for one in function.signature.parameters.values():
        if one.default is Ellipsis:
            default = defaults.get(one.name, inspect.Parameter.empty)
            one = one.replace(default=Unsaid() if default in (inspect.Parameter.empty, Ellipsis) else default)
        parameters.append(one)
    function.signature = function.signature.replace(parameters=parameters)


def say_what_bindings_do_not(module):
    """Methods that are functions of the package, too, refer to these; signatures are no docstrings."""
    functions = {function.name for function in module.functions}
    for owner in module.classes:
        # In the stubs a class has the words of its base: a DType those of str.
        owner.docstring = inspect.cleandoc(owner.obj.__doc__ or "")
        for member in owner.members.values():
            if isinstance(member, pdoc.doc.Function):
                with_defaults(member)
            if SIGNATURE.match(member.docstring):
                member.docstring = ""
                if isinstance(member, pdoc.doc.Function) and member.name in functions:
                    member.docstring = f"`{module.modulename}.{member.name}` of this value."
    for function in module.functions:
        with_defaults(function)


def main():
    folder = pathlib.Path(sys.argv[1])
    # What stubs say of __hash__ and the like, which no page shows.
    warnings.filterwarnings("ignore", message="Error processing type stub for .*(__hash__|Spec)")
    pdoc.render.configure(docformat="markdown", show_source=False)
    modules = {}
    for name in MODULES:
        package = importlib.import_module(name)
        make_static_methods_functions(package)
        module = modules[name] = pdoc.doc.Module(package)
        say_what_bindings_do_not(module)
    for name, module in modules.items():
        page = folder / (name.replace(".", "/") + ".html")
        page.parent.mkdir(parents=True, exist_ok=True)
        page.write_text(pdoc.render.html_module(module, modules), encoding="utf-8")
    (folder / "index.html").write_text(pdoc.render.html_index(modules), encoding="utf-8")
    (folder / "search.js").write_text(pdoc.render.search_index(modules), encoding="utf-8")


if __name__ == "__main__":
    main()

"""Renders the pages of tools/reference with pdoc, from the package that this Python imports. The first argument is the folder
of the pages. The second argument is the address, relative to that folder, that the pages link back to, or "".

Signatures come from the stubs, docstrings from the package. pdoc needs help with both for the bindings: it takes their static
methods for variables, and the docstrings of their methods begin with signatures.
"""

import importlib
import inspect
import pathlib
import re
import sys
import warnings

import pdoc.doc
import pdoc.render

TEMPLATES = pathlib.Path(__file__).resolve().parents[1] / "docs" / "site" / "pdoc"
MODULES = ["structtensor"] + [
    f"structtensor.{name}" for name in ("bitwise", "dispatch", "io", "math", "nest", "ragged", "strings", "struct")
]
# The first line of a docstring of the bindings. For properties, it has no name.
SIGNATURE = re.compile(r"\A\w*\(.*\) -> .*\n*")


class Unsaid:
    """A default that only the bindings have."""

    def __repr__(self):
        return "..."


def as_function(binding):
    def function(*args, **kwargs):
        return binding(*args, **kwargs)

    function.__name__ = binding.__name__
    function.__doc__ = binding.__doc__
    return staticmethod(function)


def make_static_methods_functions(module):
    """Replaces static methods of the bindings, in this process only, by Python functions that call them. pdoc takes the static
    methods themselves for variables."""
    for owner in vars(module).values():
        if not inspect.isclass(owner):
            continue
        for name, member in list(vars(owner).items()):
            if type(member).__name__ == "nb_func":
                setattr(owner, name, as_function(member))


def defaults_of(function):
    """{parameter: default}, for the defaults that the function object has."""
    try:
        return {name: one.default for name, one in inspect.signature(function.obj).parameters.items()}
    except (TypeError, ValueError):
        return {}


def with_defaults(function):
    """Replaces the defaults `...`, which all stubs have, by the defaults of the function object, if it has any."""
    defaults = defaults_of(function)
    parameters = []
    for one in function.signature.parameters.values():
        if one.default is Ellipsis:
            default = defaults.get(one.name, inspect.Parameter.empty)
            one = one.replace(default=Unsaid() if default in (inspect.Parameter.empty, Ellipsis) else default)
        parameters.append(one)
    function.signature = function.signature.replace(parameters=parameters)


def own_words(owner, name):
    """The docstring in places where help() looks and pdoc does not: at the property itself, and in the dict __slots__."""
    slots = vars(owner).get("__slots__")
    if isinstance(slots, dict) and name in slots:
        return slots[name]
    return inspect.cleandoc(getattr(vars(owner).get(name), "__doc__", None) or "")


def say_signatures_once(module):
    """Removes the signatures from docstrings, because the page shows the signature of the stub above the docstring."""
    for owner in module.classes:
        # In the stubs, a class inherits the docstring of its base: a DType would show the docstring of str.
        owner.docstring = inspect.cleandoc(owner.obj.__doc__ or "")
        for member in owner.members.values():
            if isinstance(member, pdoc.doc.Function):
                with_defaults(member)
            words = (SIGNATURE.sub("", text) for text in (member.docstring, own_words(owner.obj, member.name)))
            member.docstring = next(filter(None, words), "")
    for function in module.functions:
        with_defaults(function)


def main():
    folder, home = pathlib.Path(sys.argv[1]), sys.argv[2]
    # Warnings about __hash__ and similar names in the stubs. No page shows them.
    warnings.filterwarnings("ignore", message="Error processing type stub for .*(__hash__|Spec)")
    pdoc.render.configure(docformat="markdown", show_source=False, template_directory=TEMPLATES)
    modules = {}
    for name in MODULES:
        package = importlib.import_module(name)
        make_static_methods_functions(package)
        module = modules[name] = pdoc.doc.Module(package)
        say_signatures_once(module)
    for name, module in modules.items():
        page = folder / (name.replace(".", "/") + ".html")
        page.parent.mkdir(parents=True, exist_ok=True)
        if home:
            pdoc.render.env.globals["home"] = "../" * name.count(".") + home
        page.write_text(pdoc.render.html_module(module, modules), encoding="utf-8")
    (folder / "index.html").write_text(pdoc.render.html_index(modules), encoding="utf-8")
    (folder / "search.js").write_text(pdoc.render.search_index(modules), encoding="utf-8")


if __name__ == "__main__":
    main()

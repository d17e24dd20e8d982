"""Lets functions of TensorFlow accept structs."""

import inspect

import tensorflow as tf


def for_structs(*apis, **structs):
    """Decorates a function that TensorFlow calls instead of `apis` when an argument is of a type for structs.

    structs: the types, by the names of the parameters. One argument of such a type is enough.

    The function gets the arguments of the call under the names that they have in TensorFlow. It may leave out parameters that
    mean nothing for structs, such as `name`: their arguments are dropped. Releases of TensorFlow differ in these.
    """

    def register(function):
        for api in apis:
            _register(api, function, structs)
        return function

    return register


def _register(api, function, structs):
    signature = inspect.signature(api)
    known = inspect.signature(function).parameters

    # TensorFlow compares the parameters of other functions with the API's, which are not the same in all releases.
    def call(*args, **kwargs):
        given = signature.bind(*args, **kwargs).arguments
        return function(**{name: value for name, value in given.items() if name in known})

    types = [{name: kind} for name, kind in structs.items()]
    tf.experimental.dispatch_for_api(api, *types)(call)

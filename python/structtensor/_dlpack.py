"""DLPack: dense tensors of numbers for torch, JAX, TensorFlow and NumPy, and theirs for us.

NumPy makes and reads the capsules. What is ours here is what may be in one: memory that nobody may write to, and that starts at
a multiple of 64 bytes, since TensorFlow and others expect it.
"""

import numpy as np

from . import _numpy

_ALIGNMENT_BYTES = 64
_CPU = (1, 0)  # kDLCPU, the first
# Before, its capsules could not say that an array is read-only.
_NUMPY_KNOWS_VERSIONS = np.lib.NumpyVersion(np.__version__) >= "2.1.0"


def is_aligned(array):
    return array.size == 0 or array.ctypes.data % _ALIGNMENT_BYTES == 0


def aligned_copy(array):
    """A copy that may be written to."""
    memory = np.empty(array.nbytes + _ALIGNMENT_BYTES, dtype=np.uint8)
    begin = -memory.ctypes.data % _ALIGNMENT_BYTES
    # Of NumPy's two names for integers of 64 bits, torch knows the one that the text "u8" stands for.
    copy = memory[begin : begin + array.nbytes].view(np.dtype(array.dtype.str)).reshape(array.shape)
    copy[...] = array
    return copy


def numbers_of(tensor):
    """The elements of a tensor that DLPack has a type for. Raises BufferError, which the protocol asks for, for others."""
    dtype = tensor.dtype
    if dtype in ("string", "bytes"):
        raise BufferError(f"DLPack has numbers only, not the dtype {dtype}")
    if dtype.startswith(("timestamp[", "duration[")):
        raise BufferError(f'DLPack has no {dtype}; cast("int64") makes numbers of the times')
    if dtype == "bfloat16":
        raise BufferError('NumPy, which makes the capsule, has no bfloat16; use cast("float")')
    if tensor.nullable:
        absent = tensor.size - np.count_nonzero(tensor.validity.to_numpy())
        if absent:
            raise BufferError(
                f"{absent} of {tensor.size} elements are absent, and DLPack has no word for that; "
                f"to_numpy(fill_value=...) fills them in"
            )
    return tensor.to_numpy()


def dlpack_device(self):
    """The processor's memory: (1, 0)."""
    return _CPU


def dlpack(self, *, stream=None, max_version=None, dl_device=None, copy=None):
    """DLPack's protocol: a capsule of the elements.

    max_version  the newest version that the consumer reads. From (1, 0) on, the capsule is versioned, shares the elements and
                 says that they are read-only. Without it, the capsule has no such word, so its elements are a copy.
    copy         True: always a copy; False: never one, if need be of memory that is not aligned; None: where the memory does
                 not start at a multiple of 64 bytes, or the capsule is not versioned
    stream, dl_device  there is only the processor's memory

    Raises BufferError for strings, times, bfloat16, absent elements, and copies that are needed and forbidden.
    """
    if stream is not None:
        raise BufferError("stream: tensors are in the processor's memory, which has no streams")
    if dl_device is not None and tuple(dl_device) != _CPU:
        raise BufferError(f"dl_device = {dl_device!r}: tensors are in the processor's memory, (1, 0)")
    if copy not in (None, True, False):
        raise TypeError(f"copy: expected True, False or None, found {copy!r}")
    versioned = max_version is not None and tuple(max_version) >= (1, 0) and _NUMPY_KNOWS_VERSIONS
    array = numbers_of(self)
    if copy is False:
        if not versioned:
            raise BufferError("copy=False: a capsule that is not versioned cannot say that the elements are read-only")
    elif copy or not versioned or not is_aligned(array):
        array = aligned_copy(array)
    return array.__dlpack__(max_version=tuple(max_version)) if versioned else array.__dlpack__()


def jax_array(self):
    """What functions of jax.numpy ask for, since they take no other arrays than their own and NumPy's."""
    import jax

    try:
        return jax.numpy.asarray(numbers_of(self))
    except BufferError as error:
        raise TypeError(f"jax: {error}") from error


def from_dlpack(array):
    """The tensor with the elements of an array of torch, JAX, TensorFlow, NumPy, ..., which are copied: they may change.

    Raises TypeError for objects without `__dlpack__`, and for what NumPy does not read: other devices, dtypes.
    """
    if not hasattr(array, "__dlpack__") or not hasattr(array, "__dlpack_device__"):
        raise TypeError(f"expected an array with __dlpack__, found {type(array).__name__}")
    try:
        numbers = np.from_dlpack(array)
    except (BufferError, RuntimeError) as error:
        raise TypeError(f"{type(array).__name__} gives no elements that NumPy reads: {error}") from error
    return _numpy.value_of_array(numbers)

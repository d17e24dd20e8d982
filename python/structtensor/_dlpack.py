"""DLPack: dense tensors of numbers to and from torch, JAX, TensorFlow and NumPy.

NumPy makes and reads the capsules. This module only sees to the memory in a capsule: it is read-only, and it starts at a
multiple of 64 bytes, which TensorFlow and other libraries expect.
"""

import numpy as np

from . import _numpy
from . import _signatures

_ALIGNMENT_BYTES = 64
_CPU = (1, 0)  # kDLCPU, device 0
# Capsules of older versions of NumPy cannot say that an array is read-only.
_NUMPY_KNOWS_VERSIONS = np.lib.NumpyVersion(np.__version__) >= "2.1.0"


def is_aligned(array):
    return array.size == 0 or array.ctypes.data % _ALIGNMENT_BYTES == 0


def aligned_copy(array):
    """A copy that is aligned and may be written to."""
    memory = np.empty(array.nbytes + _ALIGNMENT_BYTES, dtype=np.uint8)
    begin = -memory.ctypes.data % _ALIGNMENT_BYTES
    # NumPy has two types for 64-bit integers. torch knows only the one that "u8" names.
    copy = memory[begin : begin + array.nbytes].view(np.dtype(array.dtype.str)).reshape(array.shape)
    copy[...] = array
    return copy


def numbers_of(tensor):
    """The elements as an array, if DLPack has a type for them. Else raises BufferError, as the protocol requires."""
    dtype = tensor.dtype
    if dtype in ("string", "bytes"):
        raise BufferError(f"DLPack has numbers only, not the dtype {dtype}")
    if dtype.startswith(("timestamp[", "duration[")):
        raise BufferError(f'DLPack has no {dtype}; cast("int64") makes numbers of the times')
    if dtype == "bfloat16":
        raise BufferError('DLPack export uses NumPy, which has no bfloat16; use cast("float")')
    if tensor.nullable:
        absent = tensor.size - np.count_nonzero(tensor.validity.to_numpy())
        if absent:
            raise BufferError(
                f"{absent} of {tensor.size} elements are absent, which DLPack cannot represent; "
                f"fill them with to_numpy(fill_value=...)"
            )
    return tensor.to_numpy()


def dlpack_device(self):
    """The device, which is the memory of the CPU: (1, 0)."""
    return _CPU


def dlpack(self, *, stream=None, max_version=None, dl_device=None, copy=None):
    """DLPack's protocol: a capsule with the elements.

    max_version  the newest version that the consumer can read. From (1, 0) on, the capsule is versioned, shares the elements
                 and says that they are read-only. Without max_version, the capsule cannot say this, so its elements are a copy.
    copy         True: always copy. False: never copy, even if the memory is not aligned. None: copy if the memory does not
                 start at a multiple of 64 bytes, or the capsule is not versioned
    stream       must be None: the memory of the CPU has no streams
    dl_device    must be None or the CPU, (1, 0)

    Raises BufferError for strings, times, bfloat16, absent elements, and for copies that are needed but forbidden.
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
    """Functions of jax.numpy call this. They accept no other arrays than their own and NumPy's."""
    import jax

    try:
        return jax.numpy.asarray(numbers_of(self))
    except BufferError as error:
        raise TypeError(f"jax: {error}") from error


@_signatures.public
def from_dlpack(array):
    """The tensor with the elements of an array of torch, JAX, TensorFlow, NumPy, ... They are copied, because they may change.

    Raises TypeError for objects without `__dlpack__`, and for devices and dtypes that NumPy cannot read.
    """
    if not hasattr(array, "__dlpack__") or not hasattr(array, "__dlpack_device__"):
        raise TypeError(f"expected an array with __dlpack__, found {type(array).__name__}")
    try:
        numbers = np.from_dlpack(array)
    except (BufferError, RuntimeError) as error:
        raise TypeError(f"{type(array).__name__} gives no elements that NumPy reads: {error}") from error
    return _numpy.value_of_array(numbers)

"""Messages for the tests of TensorFlow's integration. Without TensorFlow, or without the package, there is nothing to test."""

import importlib.util
import os
import pathlib
import sys

import orders_of_a_shop
import pytest

REPOSITORY = pathlib.Path(__file__).resolve().parents[3]
for folder in ("tests/python", "tools/pydata"):
    sys.path.append(str(REPOSITORY / folder))

from real_data import pytest_runtest_setup  # noqa: E402, F401: a hook

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "-1")
MISSING = [name for name in ("tensorflow", "structtensor") if importlib.util.find_spec(name) is None]
collect_ignore_glob = ["test_*.py"] if MISSING else []
if not MISSING:
    import tensorflow as tf

    # MirroredStrategy needs two devices, and they are given before TensorFlow has looked for any.
    cpu = tf.config.list_physical_devices("CPU")[0]
    tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()] * 2)


def pytest_terminal_summary(terminalreporter):
    if MISSING:
        missing = " and no package ".join(MISSING)
        terminalreporter.write_line(f"structtensor.tf is not tested, because there is no package {missing}.")


@pytest.fixture(scope="session")
def order_class():
    return orders_of_a_shop.order_class()


@pytest.fixture(scope="session")
def orders(order_class):
    return orders_of_a_shop.make_orders(order_class, 24)


@pytest.fixture(scope="session")
def serialized(orders):
    return [order.SerializeToString() for order in orders]

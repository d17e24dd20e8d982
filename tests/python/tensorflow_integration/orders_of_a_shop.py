"""Messages of a shop, made by python-protobuf."""

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

F = descriptor_pb2.FieldDescriptorProto


def _file():
    file = descriptor_pb2.FileDescriptorProto(name="shop.proto", package="shop", syntax="proto2")
    item = file.message_type.add(name="Item")
    order = file.message_type.add(name="Order")

    def add(message, name, number, type_, repeated=False, type_name=None):
        label = F.LABEL_REPEATED if repeated else F.LABEL_OPTIONAL
        message.field.add(name=name, number=number, type=type_, label=label, type_name=type_name)

    add(item, "key", 1, F.TYPE_STRING)
    add(item, "price", 2, F.TYPE_FLOAT)
    add(item, "tags", 3, F.TYPE_BYTES, repeated=True)
    add(order, "id", 1, F.TYPE_INT64)
    add(order, "items", 2, F.TYPE_MESSAGE, repeated=True, type_name=".shop.Item")
    add(order, "best", 3, F.TYPE_MESSAGE, type_name=".shop.Item")
    add(order, "weights", 4, F.TYPE_DOUBLE, repeated=True)
    add(order, "paid", 5, F.TYPE_BOOL)
    add(order, "count", 6, F.TYPE_UINT32)
    add(order, "total", 7, F.TYPE_UINT64)
    file.message_type.add(name="Nothing")
    add(order, "nothing", 8, F.TYPE_MESSAGE, type_name=".shop.Nothing")
    return file


def order_class():
    """shop.Order of python-protobuf."""
    pool = descriptor_pool.DescriptorPool()
    pool.Add(_file())
    return message_factory.GetMessageClass(pool.FindMessageTypeByName("shop.Order"))


def make_orders(order_class, count):
    orders = []
    for i in range(count):
        order = order_class(id=i, weights=[0.5 * i + j for j in range(i % 3)])
        for j in range(i % 4):
            key = f"k{j}" if j % 2 else f"a key that is longer than the 22 bytes of a small string, {i}"
            order.items.add(key=key, price=i + 0.25 * j, tags=[b"\xff" * k for k in range((i + j) % 3)])
        if i % 2:
            order.best.key, order.paid, order.count = "best", i % 3 == 0, (1 << 32) - 1 - i
        if i % 5 == 0:
            order.total = (1 << 64) - 1 - i
            order.nothing.SetInParent()
        orders.append(order)
    return orders

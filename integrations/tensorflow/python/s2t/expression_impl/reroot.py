"""Makes structs the roots. The methods of Expression, under the names of struct2tensor's functions."""


def reroot(root, source_path):
    return root.reroot(source_path)


def create_proto_index_field(root, new_field_name):
    return root.create_proto_index(new_field_name)

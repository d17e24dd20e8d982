"""Compiles a set's C++ workers, one for each libprotobuf. The sources are worker.cc and the output of protoc, our plugin and
peer_columns.py."""

import concurrent.futures
import dataclasses
import hashlib
import os
import pathlib
import re
import shlex
import shutil
import subprocess

from google.protobuf import descriptor_pb2, descriptor_pool

import peer_columns

HERE = pathlib.Path(__file__).resolve().parent
REPOSITORY = HERE.parents[1]

# The flags of the preset `bench`, the same for all contenders.
FLAGS = ("-std=c++20", "-O3", "-DNDEBUG", "-w")
OUR_LIBRARIES = ("engine", "encode", "decode", "field_path", "column", "wire", "plan", "base")
OUR_PACKAGES = ("absl_status", "absl_statusor", "absl_strings", "absl_flat_hash_map")


# Files that come with protobuf. libprotobuf has their classes, and our library of well-known types has their columns. Other
# files below google/protobuf/ are treated like any file.
WELL_KNOWN = frozenset(
    f"google/protobuf/{name}.proto"
    for name in "any api descriptor duration empty field_mask source_context struct timestamp type wrappers".split()
)


class BuildError(Exception):
    pass


def call(command, **options):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False, **options)
    if done.returncode != 0:
        raise BuildError(f"{shlex.join(str(word) for word in command)}\n{done.stderr[-4000:]}")
    return done.stdout


@dataclasses.dataclass
class Protobuf:
    """A libprotobuf and its protoc."""

    label: str  # "3.21", "27"
    protoc: pathlib.Path
    compile_flags: list
    link_flags: list

    @classmethod
    def of_system(cls):
        flags = lambda kind: shlex.split(call(["pkg-config", kind, "protobuf"]))
        version = call(["pkg-config", "--modversion", "protobuf"]).strip()
        return cls(release(version), pathlib.Path(shutil.which("protoc")), flags("--cflags"), flags("--libs"))

    @classmethod
    def below(cls, prefix):
        environment = {**os.environ, "PKG_CONFIG_PATH": str(prefix / "lib" / "pkgconfig")}
        flags = lambda *kind: shlex.split(call(["pkg-config", *kind, "protobuf"], env=environment))
        version = call(["pkg-config", "--modversion", "protobuf"], env=environment).strip()
        return cls(release(version), prefix / "bin" / "protoc", flags("--cflags"), flags("--static", "--libs"))


def release(version):
    """The name of a release: 3.21.12 -> 3.21; 27.2.0 -> 27."""
    numbers = version.split(".")
    return ".".join(numbers[:2]) if numbers[0] == "3" else numbers[0]


@dataclasses.dataclass
class Schema:
    path: pathlib.Path
    files: descriptor_pb2.FileDescriptorSet
    pool: descriptor_pool.DescriptorPool

    @classmethod
    def read(cls, path):
        files = descriptor_pb2.FileDescriptorSet.FromString(path.read_bytes())
        pool = descriptor_pool.DescriptorPool()
        for file in files.file:
            pool.Add(file)
        return cls(path, files, pool)

    def message(self, name):
        try:
            return self.pool.FindMessageTypeByName(name)
        except KeyError:
            raise BuildError(f"{self.path} has no message type {name}") from None

    def names(self):
        """The schema's files without the files that come with protobuf."""
        return [file.name for file in self.files.file if file.name not in WELL_KNOWN]


def stem(name):
    return re.sub(r"\.proto(devel)?$", "", name)


def write_if_changed(path, text):
    if not path.exists() or path.read_text() != text:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def our_class(folder, message):
    """The class in our generated code for the type. It is read from the header."""
    text = (folder / f"{stem(message.file.name)}.structtensor.h").read_text()
    found = re.search(rf"^// The columns of {re.escape(message.full_name)}\.\n(?:\[.*\n)?class (\w+)", text, re.MULTILINE)
    if not found:
        raise BuildError(f"the generated code has no class for {message.full_name}")
    namespace = re.search(r"^namespace ([\w:]+) \{$", text, re.MULTILINE)
    return f"::{namespace[1]}::{found[1]}" if namespace and message.file.package else f"::{found[1]}"


class Builder:
    """Builds workers below `folder`, with the libraries and the plugin of the build tree `tree`."""

    def __init__(self, folder, tree, jobs):
        self.folder = folder
        self.tree = tree
        self.jobs = jobs
        self.compiler = shlex.split(os.environ.get("CXX", "g++"))
        if len(self.compiler) == 1 and shutil.which("ccache"):
            self.compiler = ["ccache", *self.compiler]
        self.plugin = tree / "bin" / "protoc-gen-structtensor"
        self.libraries = [*sorted((tree / "proto_schemas").glob("*.a"))]
        self.libraries += [tree / "runtime" / "structtensor" / name / f"libstructtensor_{name}.a" for name in OUR_LIBRARIES]
        self.libraries.append(tree / "libstructtensor_simdjson.a")
        self.well_known = tree / "proto_schemas" / "well_known"

    def worker(self, bench_set, protobuf, ours):
        """Returns the path of the worker. Builds it unless it is up to date."""
        schema = Schema.read(bench_set.descriptor_set)
        message = schema.message(bench_set.message)
        folder = self.folder / f"{bench_set.name}-{protobuf.label}"
        executable = folder / "worker"
        state = self.state(bench_set, protobuf, ours)
        stamp = folder / "built"
        if stamp.exists() and executable.exists() and stamp.read_text() == state:
            return executable
        stamp.unlink(missing_ok=True)
        self.generate(folder, schema, message, protobuf, ours)
        self.compile(folder, schema, executable, protobuf, ours)
        stamp.write_text(state)
        return executable

    def state(self, bench_set, protobuf, ours):
        """A text that changes with everything that goes into a worker."""
        digest = hashlib.sha256(bench_set.descriptor_set.read_bytes())
        digest.update(repr((bench_set.message, protobuf, ours, FLAGS, self.compiler)).encode())
        for path in sorted([*HERE.glob("*.h"), *HERE.glob("*.cc"), HERE / "peer_columns.py"]):
            digest.update(path.read_bytes())
        if ours:
            for path in sorted([self.plugin, *self.libraries, *(REPOSITORY / "runtime").rglob("*.h")]):
                status = path.stat()
                digest.update(f"{path} {status.st_size} {status.st_mtime_ns}\n".encode())
        return digest.hexdigest()

    def generate(self, folder, schema, message, protobuf, ours):
        names = schema.names()
        cpp = folder / "cpp"
        cpp.mkdir(parents=True, exist_ok=True)
        descriptors = f"--descriptor_set_in={schema.path}"
        if names:  # protoc fails if there is nothing to generate
            call([protobuf.protoc, descriptors, f"--cpp_out={cpp}", *names])
        headers = [f"{stem(name)}.pb.h" for name in sorted({*names, message.file.name})]
        write_if_changed(folder / "peer" / "columns.h", peer_columns.generate(schema.pool, message, headers))
        lines = ['#include "columns.h"']
        ours_alias = []
        if ours:
            (folder / "ours").mkdir(exist_ok=True)
            if names:
                call([protobuf.protoc, f"--plugin=protoc-gen-structtensor={self.plugin}", descriptors,
                      f"--structtensor_out={folder / 'ours'}", *names])  # fmt: skip
            lines.append(f'#include "{stem(message.file.name)}.structtensor.h"')
            columns = our_class(folder / "ours" if message.file.name in names else self.well_known, message)
            ours_alias = [f"inline const plan::MessagePlan& Plan() {{ return {columns}::plan(); }}"]
        lines += ["namespace structtensor::benchmark {", f"using Message = {peer_columns.class_name(message)};"]
        lines += [*ours_alias, "}  // namespace structtensor::benchmark", ""]
        write_if_changed(folder / "peer" / "schema.h", "\n".join(lines))

    def compile(self, folder, schema, executable, protobuf, ours):
        includes = [f"-I{HERE}", f"-I{folder / 'peer'}", f"-I{folder / 'cpp'}", *protobuf.compile_flags]
        defines = [f'-DSTRUCTTENSOR_BENCHMARK_LIBPROTOBUF="{protobuf.label}"']
        sources = [HERE / "worker.cc", *(folder / "cpp" / f"{stem(name)}.pb.cc" for name in schema.names())]
        link = [*protobuf.link_flags, "-pthread"]
        if ours:
            defines.append("-DSTRUCTTENSOR_BENCHMARK_OURS")
            includes.append(f"-I{folder / 'ours'}")
            includes += [f"-I{REPOSITORY / 'runtime'}", f"-I{self.well_known}"]
            sources += [folder / "ours" / f"{stem(name)}.structtensor.cc" for name in schema.names()]
            link = ["-Wl,--start-group", *self.libraries, "-Wl,--end-group",
                    *shlex.split(call(["pkg-config", "--libs", *OUR_PACKAGES])), *link]  # fmt: skip

        objects = [folder / "objects" / f"{index}.o" for index in range(len(sources))]
        (folder / "objects").mkdir(exist_ok=True)
        with concurrent.futures.ThreadPoolExecutor(self.jobs) as pool:
            compiled = [
                pool.submit(call, [*self.compiler, *FLAGS, *defines, *includes, "-c", source, "-o", target])
                for source, target in zip(sources, objects)
            ]
            for each in compiled:
                each.result()
        call([*self.compiler, *objects, "-o", executable, *link])

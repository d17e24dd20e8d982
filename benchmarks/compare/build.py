"""Compiles a set's C++ workers, one for each libprotobuf and compiler, from one source and from what protoc, our plugin and
peer_columns.py print."""

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
OUR_LIBRARIES = ("engine", "generated_api", "encode", "decode", "field_path", "column", "wire", "plan", "base")
OUR_PACKAGES = ("absl_status", "absl_statusor", "absl_strings", "absl_flat_hash_map")
WELL_KNOWN_COLUMNS = pathlib.Path("proto_schemas") / "well_known"
CLANG = "clang++-19"

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


def compiler_command(name):
    """Its command, with ccache if there is one."""
    words = shlex.split(name)
    return ["ccache", *words] if len(words) == 1 and shutil.which("ccache") else words


def compile_all(commands, jobs):
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        for each in [pool.submit(call, command) for command in commands]:
            each.result()


def built(folder, state, make):
    """The path of the worker in `folder`. make(path) is called unless the worker was built in this state."""
    executable, stamp = folder / "worker", folder / "built"
    if not (stamp.exists() and executable.exists() and stamp.read_text() == state):
        folder.mkdir(parents=True, exist_ok=True)
        stamp.unlink(missing_ok=True)
        make(executable)
        stamp.write_text(state)
    return executable


@dataclasses.dataclass
class Protobuf:
    """A libprotobuf with its protoc, and the compiler of its workers."""

    label: str  # "3.21", "35", "35-clang"
    protoc: pathlib.Path
    compile_flags: list
    link_flags: list
    compiler: list

    @classmethod
    def of_system(cls):
        flags = lambda kind: shlex.split(call(["pkg-config", kind, "protobuf"]))
        version = call(["pkg-config", "--modversion", "protobuf"]).strip()
        gcc = compiler_command(os.environ.get("CXX", "g++"))
        return cls(release(version), pathlib.Path(shutil.which("protoc")), flags("--cflags"), flags("--libs"), gcc)

    @classmethod
    def below(cls, prefix):
        """An installation of tools/protobuf. It has static libraries, with all of Abseil in one of them."""
        protoc = prefix / "bin" / "protoc"
        version = call([protoc, "--version"]).split()[-1]  # libprotoc 35.1
        # CMake calls the library libprotobuf, so its file may be liblibprotobuf.a.
        libraries = [archive(prefix / "lib", name) for name in ("*libprotobuf.a", "libabsl_all.a")]
        gcc = compiler_command(os.environ.get("CXX", "g++"))
        return cls(release(version), protoc, [f"-I{prefix / 'include'}"], [*map(str, libraries), "-lrt"], gcc)

    def by_clang(self):
        return dataclasses.replace(self, label=f"{self.label}-clang", compiler=compiler_command(CLANG))

    @property
    def suffix(self):
        """What the names of our contenders end with."""
        return "-clang" if self.compiler[-1] == CLANG else ""


def release(version):
    """The name of a release: 3.21.12 -> 3.21; 35.1 -> 35."""
    numbers = version.split(".")
    return ".".join(numbers[:2]) if numbers[0] == "3" else numbers[0]


def archive(folder, pattern):
    """The path of the one static library in `folder` that matches `pattern`."""
    found = list(folder.glob(pattern))
    if len(found) != 1:
        raise BuildError(f"{folder}: expected one file {pattern}, found {len(found)}")
    return found[0]


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


def our_libraries(tree):
    libraries = [tree / "runtime" / "structtensor" / "core" / name / f"libstructtensor_{name}.a" for name in OUR_LIBRARIES]
    return [*sorted((tree / "proto_schemas").glob("*.a")), *libraries, tree / "libstructtensor_simdjson.a"]


class Builder:
    """Builds workers below `folder`, with our plugin from the build tree `tree`."""

    def __init__(self, folder, tree, jobs):
        self.folder = folder
        self.jobs = jobs
        self.plugin = tree / "bin" / "protoc-gen-structtensor"

    def worker(self, bench_set, protobuf, ours=None):
        """Returns the path of the worker, which is built unless it is up to date. `ours`: the build tree with our libraries, or
        None for a worker without our contenders."""
        schema = Schema.read(bench_set.descriptor_set)
        message = schema.message(bench_set.message)
        folder = self.folder / f"{bench_set.name}-{protobuf.label}"

        def make(executable):
            self.generate(folder, schema, message, protobuf, ours)
            self.compile(folder, schema, executable, protobuf, ours)

        return built(folder, self.state(bench_set, protobuf, ours), make)

    def state(self, bench_set, protobuf, ours):
        """A text that changes with everything that goes into a worker."""
        digest = hashlib.sha256(bench_set.descriptor_set.read_bytes())
        digest.update(repr((bench_set.message, protobuf, ours, FLAGS)).encode())
        for path in sorted([*HERE.glob("*.h"), HERE / "worker.cc", HERE / "peer_columns.py"]):
            digest.update(path.read_bytes())
        if ours:
            for path in sorted([self.plugin, *our_libraries(ours), *(REPOSITORY / "runtime").rglob("*.h")]):
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
            columns = our_class(folder / "ours" if message.file.name in names else ours / WELL_KNOWN_COLUMNS, message)
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
            defines.append(f'-DSTRUCTTENSOR_BENCHMARK_OURS="{protobuf.suffix}"')
            includes.append(f"-I{folder / 'ours'}")
            includes += [f"-I{REPOSITORY / 'runtime'}", f"-I{ours / WELL_KNOWN_COLUMNS}"]
            sources += [folder / "ours" / f"{stem(name)}.structtensor.cc" for name in schema.names()]
            link = ["-Wl,--start-group", *our_libraries(ours), "-Wl,--end-group",
                    *shlex.split(call(["pkg-config", "--libs", *OUR_PACKAGES])), *link]  # fmt: skip

        objects = [folder / "objects" / f"{index}.o" for index in range(len(sources))]
        (folder / "objects").mkdir(exist_ok=True)
        compile_all(
            [
                [*protobuf.compiler, *FLAGS, *defines, *includes, "-c", source, "-o", target]
                for source, target in zip(sources, objects)
            ],
            self.jobs,
        )
        call([*protobuf.compiler, *objects, "-o", executable, *link])

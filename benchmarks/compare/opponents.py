"""Opponents that come from package registries and are compiled for the benchmark: upb, by clang 19, and the Rust crates."""

import hashlib
import os
import pathlib
import shutil
import sys

import build
import environments
import flat_schema
import workers

HERE = pathlib.Path(__file__).resolve().parent

# The package whose source distribution contains a recent upb with its fast decoder. protobuf's own packages leave the fast
# decoder out, and tools/protobuf does not build upb.
UPB_PACKAGE = "grpcio==1.85.3 --hash=sha256:8e18f15d1b09b8771edbf59d634b26cbe4903bc2577cb667264934a6655eb8b4"
UPB_FOLDERS = ("base", "hash", "lex", "mem", "message", "mini_descriptor", "mini_table", "reflection", "wire")
UPB_FLAGS = ("-O3", "-DNDEBUG", "-DUPB_ENABLE_FASTTABLE", "-w")
CRATE = HERE / "rust_worker"
CRATES = {"prost": ("prost", "prost-clear"), "quick-protobuf": ("quick-protobuf",)}  # features of CRATE: their contenders


def digest_of(paths, *more):
    digest = hashlib.sha256(repr(more).encode())
    for path in paths:
        digest.update(path.read_bytes())
    return digest.hexdigest()


def upb_worker(folder, jobs, note):
    """The path of upb's worker, which serves all sets."""
    version = build.call([build.CLANG, "--version"])
    key = repr((UPB_PACKAGE, UPB_FOLDERS, UPB_FLAGS, version)).encode()
    upb = environments.made_once("upb", key, "upb's library", lambda to: make_upb_library(to, jobs), note)
    sources = [HERE / "upb_worker.cc", HERE / "worker.h", HERE / "digest.h"]
    flags = [*build.FLAGS, *UPB_FLAGS, *upb_includes(upb)]
    command = [*build.compiler_command(build.CLANG), *flags, sources[0], upb / "libupb.a", "-o"]
    return build.built(folder / "upb", digest_of(sources, command), lambda executable: build.call([*command, executable]))


def upb_includes(folder):
    third_party = folder / "third_party"
    return [f"-I{third_party / name}" for name in ("upb", "upb/upb/reflection/cmake", "utf8_range")]


def make_upb_library(folder, jobs):
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    requirements = folder / "requirements.txt"
    requirements.write_text(UPB_PACKAGE)
    pip = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps"]
    build.call([*pip, "--no-binary", "grpcio", "--require-hashes", "--requirement", requirements, "--dest", folder])
    (archive,) = folder.glob("*.tar.gz")
    parts = ["*/LICENSE", "*/third_party/upb", "*/third_party/utf8_range"]
    build.call(["tar", "-xzf", archive, "-C", folder, "--strip-components=1", "--wildcards", *parts])
    archive.unlink()
    sources = [folder / "third_party" / "utf8_range" / "utf8_range.c"]
    for name in UPB_FOLDERS:
        below = (folder / "third_party" / "upb" / "upb" / name).rglob("*.c")
        sources += [path for path in sorted(below) if "stage0" not in path.parts]
    objects = [folder / f"{index}.o" for index in range(len(sources))]
    compiler = [build.CLANG.replace("clang++", "clang"), *UPB_FLAGS, *upb_includes(folder)]
    build.compile_all([[*compiler, "-c", source, "-o", to] for source, to in zip(sources, objects)], jobs)
    build.call(["ar", "rcs", folder / "libupb.a", *objects])
    for path in objects:
        path.unlink()


def rust_worker(folder, bench_set, feature, jobs):
    """The path of the worker of a set and a crate. Raises WorkerError if the crate cannot have one."""
    files = flat_schema.flatten(build.Schema.read(bench_set.descriptor_set).message(bench_set.message))
    own = folder / f"{bench_set.name}-{feature}"
    own.mkdir(parents=True, exist_ok=True)
    schema = own / ("schema.pb" if feature == "prost" else "schema.proto")
    schema.write_bytes(files.SerializeToString() if feature == "prost" else flat_schema.text(files).encode())

    def make(executable):
        target = folder / "rust"
        cargo = ["cargo", "build", "--quiet", "--release", "--locked", "--jobs", jobs, "--features", feature]
        environment = {**os.environ, "STRUCTTENSOR_BENCHMARK_SCHEMA": str(own), "CARGO_TARGET_DIR": str(target)}
        build.call([*cargo, "--manifest-path", CRATE / "Cargo.toml"], env=environment)
        shutil.copy(target / "release" / "rust_worker", executable)

    crate = [CRATE / name for name in ("Cargo.toml", "Cargo.lock", "build.rs", "src/main.rs")]
    try:
        return build.built(own, digest_of([schema, *crate], build.call(["cargo", "--version"])), make)
    except build.BuildError as error:
        problem = [line for line in str(error).splitlines() if line.startswith("error")] or [str(error)]
        raise workers.WorkerError(f"it cannot be built: {problem[0]}") from None

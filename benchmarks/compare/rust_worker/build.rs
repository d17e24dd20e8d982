//! Generates the crate's code for the schema that flat_schema.py has written: schema.pb, a FileDescriptorSet, for prost;
//! schema.proto for quick-protobuf. Maps are BTreeMaps, which are faster than HashMaps where a map has few entries.

use std::{env, path::PathBuf};

fn main() {
    println!("cargo:rerun-if-env-changed=STRUCTTENSOR_BENCHMARK_SCHEMA");
    let folder = PathBuf::from(env::var("STRUCTTENSOR_BENCHMARK_SCHEMA").unwrap());
    println!("cargo:rerun-if-changed={}", folder.display());
    generate(folder);
}

#[cfg(feature = "prost")]
fn generate(folder: PathBuf) {
    let bytes = std::fs::read(folder.join("schema.pb")).unwrap();
    let files = prost::Message::decode(bytes.as_slice()).unwrap();
    prost_build::Config::new().btree_map(["."]).compile_fds(files).unwrap();
}

#[cfg(feature = "quick-protobuf")]
fn generate(folder: PathBuf) {
    let schema = folder.join("schema.proto");
    let output = PathBuf::from(env::var("OUT_DIR").unwrap()).join("schema.rs");
    let builder = pb_rs::ConfigBuilder::new(&[schema], Some(&output), None, &[folder]).unwrap();
    let configs = builder.headers(false).single_module(true).nostd(true).build();
    pb_rs::types::FileDescriptor::run(&configs).unwrap();
}

//! A worker with one crate's contenders. ../worker.h has the commands.

use std::io::{BufRead, Write};
use std::time::Instant;

extern crate alloc; // what pb-rs prints with `nostd` takes BTreeMap from there

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

#[cfg(feature = "prost")]
mod contender {
    use prost::Message;
    use std::hint::black_box;

    include!(concat!(env!("OUT_DIR"), "/_.rs"));

    pub const NAMES: &str = "prost prost-clear";

    /// `prost` makes a message each time, `prost-clear` clears the last one, which keeps some of its memory.
    pub fn run(name: &str, passes: usize, messages: &[&[u8]]) -> super::Outcome<()> {
        let mut cleared = Message0::default();
        for _ in 0..passes {
            for bytes in messages {
                if name == "prost" {
                    black_box(&Message0::decode(*bytes)?);
                } else {
                    cleared.clear();
                    cleared.merge(*bytes)?;
                    black_box(&cleared);
                }
            }
        }
        Ok(())
    }

    pub fn dump(bytes: &[u8], out: &mut Vec<u8>) -> super::Outcome<()> {
        Ok(Message0::decode(bytes)?.encode_length_delimited(out)?)
    }
}

#[cfg(feature = "quick-protobuf")]
mod contender {
    use quick_protobuf::{BytesReader, MessageRead, Writer};
    use std::hint::black_box;

    mod schema {
        #![allow(non_camel_case_types, non_snake_case, unused, clippy::all)]
        include!(concat!(env!("OUT_DIR"), "/schema.rs"));
    }

    pub const NAMES: &str = "quick-protobuf";

    fn parse(bytes: &[u8]) -> quick_protobuf::Result<schema::Message0<'_>> {
        schema::Message0::from_reader(&mut BytesReader::from_bytes(bytes), bytes)
    }

    pub fn run(_name: &str, passes: usize, messages: &[&[u8]]) -> super::Outcome<()> {
        for _ in 0..passes {
            for bytes in messages {
                black_box(&parse(bytes)?);
            }
        }
        Ok(())
    }

    pub fn dump(bytes: &[u8], out: &mut Vec<u8>) -> super::Outcome<()> {
        Ok(Writer::new(out).write_message(&parse(bytes)?)?)
    }
}

fn load(path: &str, at_least: usize) -> Outcome<Vec<&'static [u8]>> {
    let mut rest: &'static [u8] = std::fs::read(path)?.leak();
    let mut messages = Vec::new();
    while !rest.is_empty() {
        let (mut size, mut shift) = (0, 0);
        loop {
            let byte = rest[0] as usize;
            rest = &rest[1..];
            size |= (byte & 0x7f) << shift;
            shift += 7;
            if byte < 0x80 {
                break;
            }
        }
        messages.push(&rest[..size]);
        rest = &rest[size..];
    }
    for i in 0..at_least.saturating_sub(messages.len()) {
        messages.push(messages[i]);
    }
    Ok(messages)
}

fn obey(line: &str, messages: &mut Vec<&'static [u8]>) -> Outcome<String> {
    let words: Vec<&str> = line.splitn(4, ' ').collect();
    match words[..] {
        ["load", _, at_least, path] => {
            *messages = load(path, at_least.parse()?)?;
            let size: usize = messages.iter().map(|bytes| bytes.len()).sum();
            Ok(format!("messages {} {size}", messages.len()))
        }
        ["contenders"] => Ok(format!("contenders {}", contender::NAMES)),
        ["run", name, passes] => {
            let (begin, passes) = (Instant::now(), passes.parse()?);
            contender::run(name, passes, messages)?;
            Ok(format!("ran {}", begin.elapsed().as_nanos()))
        }
        ["dump", _, path] => {
            let mut out = Vec::new();
            for bytes in messages {
                contender::dump(bytes, &mut out)?;
            }
            std::fs::write(path, out)?;
            Ok("dumped".to_string())
        }
        _ => Err(format!("unknown command: {line}").into()),
    }
}

fn main() -> Outcome<()> {
    let mut messages = Vec::new();
    for line in std::io::stdin().lock().lines() {
        let answer = obey(&line?, &mut messages).unwrap_or_else(|problem| format!("error {problem}"));
        println!("{}", answer.replace('\n', " "));
        std::io::stdout().flush()?;
    }
    Ok(())
}

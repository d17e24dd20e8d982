# Runs on a bare system on which the package structtensor was just installed, and nothing else: no protoc, no Python.
set -eu
cd "$(dirname "$0")"
structtensor --version
printf '\n\005toast\n\003egg' >one.bin # field 1 twice: toast, egg
cat >note.proto <<'END'
syntax = "proto3";
message Note { repeated string words = 1; }
END
structtensor convert --proto note.proto --message Note --from message one.bin --output notes.parquet --quiet
# The command has a protobuf that supports editions.
cat >edition.proto <<'END'
edition = "2024";
export message Note { string text = 1; }
END
structtensor schema --proto edition.proto --message Note | grep -q 'text: string'
structtensor convert notes.parquet --from parquet --proto note.proto --message Note --to rows --output - --quiet | grep -q '"toast","egg"'

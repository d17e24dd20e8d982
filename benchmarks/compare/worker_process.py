"""The commands of worker.h for contenders that are written in Python."""

import sys
import time


def read_messages(path, at_least):
    data = open(path, "rb").read()
    messages = []
    position = 0
    while position < len(data):
        size = shift = 0
        while True:
            byte = data[position]
            position += 1
            size |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                break
        messages.append(data[position : position + size])
        position += size
    return messages + [messages[i % len(messages)] for i in range(at_least - len(messages))]


def serve(name, make, one_batch=False):
    """Executes commands until standard input ends. make(batches) returns an object with decode(batch) and digest()."""
    contender = None
    for line in sys.stdin:
        command, *words = line.rstrip("\n").split(" ", 3)
        try:
            if command == "load":
                batch, at_least, path = int(words[0]), int(words[1]), " ".join(words[2:])
                messages = read_messages(path, at_least)
                batch = len(messages) if one_batch else batch
                batches = [messages[i : i + batch] for i in range(0, len(messages), batch)]
                contender = make(batches)
                answer = f"messages {len(messages)} {sum(map(len, messages))}"
            elif command == "contenders":
                answer = f"contenders {name}"
            elif command == "digest":
                answer = "digest" + contender.digest()
            else:
                decode, passes = contender.decode, int(words[1])
                begin = time.perf_counter_ns()
                for _ in range(passes):
                    for each in batches:
                        decode(each)
                answer = f"ran {time.perf_counter_ns() - begin}"
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # a panic of Rust is not an Exception
            answer = f"error {error}"
        print(" ".join(answer.split("\n")), flush=True)

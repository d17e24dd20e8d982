// Counts the messages of a file, which may be compressed. Argument: the file.
#include <iostream>
#include <limits>

#include "structtensor/io/records/record_reader.h"

int main(int, char** argv) {
  const auto reader = structtensor::RecordReader::Create({argv[1]});
  if (!reader.ok()) return std::cerr << reader.status() << "\n", 1;
  structtensor::RecordBatch batch;
  size_t count = 0;
  for (;;) {
    const auto more = (*reader)->NextBatch(1000, std::numeric_limits<size_t>::max(), &batch);
    if (!more.ok()) return std::cerr << more.status() << "\n", 1;
    count += batch.messages().size();
    if (!*more) break;
  }
  std::cout << count << " messages\n";
}

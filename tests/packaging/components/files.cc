// Writes a Parquet file and reads it back. Argument: the file.
#include <fcntl.h>
#include <unistd.h>

#include <iostream>

#include "structtensor/io/column_files/column_file.h"
#include "structtensor/io/column_files/column_file_reader.h"
#include "structtensor/tensor/values/constant.h"
#include "structtensor/tensor/values/text.h"

int main(int, char** argv) {
  using Dict = structtensor::NestedValue::Dict;
  using List = structtensor::NestedValue::List;
  const auto rows =
      structtensor::Constant(List{Dict{{"title", "egg"}, {"minutes", 6}}, Dict{{"title", "toast"}, {"minutes", 3}}});
  if (!rows.ok()) return std::cerr << rows.status() << "\n", 1;
  const structtensor::StructuredTensor& table = *rows->structured();
  const int fd = open(argv[1], O_WRONLY | O_CREAT | O_TRUNC, 0600);
  const auto writer = structtensor::OpenColumnFile(structtensor::FileFormat::kParquet, fd, table.spec());
  if (!writer.ok()) return std::cerr << writer.status() << "\n", 1;
  if (!(*writer)->Write(table).ok() || !(*writer)->Close().ok()) return 1;
  close(fd);
  const auto reader = structtensor::ColumnFileReader::Open(argv[1]);
  if (!reader.ok()) return std::cerr << reader.status() << "\n", 1;
  const auto again = (*reader)->Next();
  if (!again.ok() || !again->has_value()) return 1;
  std::cout << structtensor::ToJson(**again) << "\n";
}

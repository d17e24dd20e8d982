// One of two types with one name.
namespace structtensor {

struct Rows {
  int begin;
};

int BeginOfA(Rows rows) { return rows.begin; }

}  // namespace structtensor

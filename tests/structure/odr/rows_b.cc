// One of two types with one name.
namespace structtensor {

struct Rows {
  long begin;
};

long BeginOfB(Rows rows) { return rows.begin; }

}  // namespace structtensor

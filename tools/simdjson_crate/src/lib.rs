//! Empty. cargo needs a library that has the dependency.

//! The anyrig program.
fn main() {}

//! The library against a validator that others wrote.

mod soundness;

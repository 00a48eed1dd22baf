//! The tree from outside: sets of entries against what the operations say of them.

mod damage;
mod properties;
mod refusals;
mod sets;
mod shape;

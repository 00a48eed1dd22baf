//! Stories on the real database, with the extensions and without.

mod building;
mod faults;
mod searching;
mod world;

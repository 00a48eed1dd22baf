//! Pointers on the real binary: names that lead to a manifest, who sees them, who may move them, and what is left of a move.

mod crashes;
mod doors;
mod levels;
mod library;
mod mounted;
mod promoting;
mod refused;
mod writers;

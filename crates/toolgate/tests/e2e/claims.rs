//! Claims on the real binary with its engine: evidence that is checked, decisions that are bound to it, and exports that others read.

mod deciding;
mod evidence;
mod exporting;
mod office;
mod pages;

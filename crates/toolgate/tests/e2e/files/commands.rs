//! `toolgate files`.

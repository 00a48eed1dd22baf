//! Stories of calls with files, against a real store and a real folder.

mod inward;
mod kit;
mod outward;
mod text;

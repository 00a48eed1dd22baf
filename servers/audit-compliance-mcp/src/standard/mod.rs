//! PDF/UA-1 and PDF/A-2b, clause by clause.
//!
//! The rules are written from ISO 14289-1 and ISO 19005-2, numbered by clause. A test number tells rules of
//! one clause apart. What no program here decides is listed with every answer.

mod annotations;
mod checker;
mod cid_fonts;
mod cmap;
mod color;
mod document;
mod font_names;
mod font_program;
mod font_use;
mod fonts;
mod graphics;
mod images;
mod intents;
mod kinds;
mod language;
mod marks;
mod output;
mod rules;
mod run;
mod states;
mod structure;
mod syntax;
mod tables;
mod tree;
mod type1;
mod xmp;
mod xmp_extension;
mod xmp_kinds;
mod xmp_node;

pub use kinds::{CheckError, Standard, Verdict};
pub use run::check;
pub(crate) use run::metadata;

//! Schemas of OpenAPI as JSON Schema 2020-12. References stay references: what they lead to moves into `$defs`.
//!
//! A schema that is not understood, or that leads nowhere, becomes one that allows more, never less.

mod assemble;
mod convert;
mod definitions;
mod keywords;
mod pattern;
mod side;

pub(crate) use assemble::{SchemaRoot, assemble};
pub(crate) use convert::{ConvertedSchema, SchemaDraft};
pub(crate) use definitions::SchemaDefinitions;
pub(crate) use keywords::beginning;
pub(crate) use side::SchemaSide;

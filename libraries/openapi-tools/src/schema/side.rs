//! The two sides of a schema.

/// The side that a schema is for. Properties that only the other side may send are left out.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum SchemaSide {
    Input,
    Output,
}

//! An instance stands alone, or has others beside it.

/// The size of a fleet: one member or several.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum FleetSize {
    Alone,
    Others,
}

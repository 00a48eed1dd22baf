//! The meaning of a tool beyond its effects, for the levels of care.

/// A property of a tool that policy templates gate. Policies read it as `resource.traits.contains("promotion")`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum ToolTrait {
    /// Decides on a claim.
    ClaimDecision,
    /// Writes only into the record that its caller keeps of its own work. No level of care keeps an agent from saying what it did.
    OwnRecord,
    /// Moves a pointer that its holders move freely.
    PointerMove,
    /// Moves something to a place that others rely on.
    Promotion,
    /// Changes the form of data.
    SchemaChange,
}

impl ToolTrait {
    pub const fn as_str(self) -> &'static str {
        match self {
            ToolTrait::ClaimDecision => "claim",
            ToolTrait::OwnRecord => "own_record",
            ToolTrait::PointerMove => "pointer_move",
            ToolTrait::Promotion => "promotion",
            ToolTrait::SchemaChange => "schema",
        }
    }
}

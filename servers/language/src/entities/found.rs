//! The kinds of entities, and one that was found.

use std::ops::Range;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The kind of an entity.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum EntityKind {
    Email,
    Url,
    IpAddress,
    Iban,
    CreditCard,
    Phone,
    Date,
    Money,
    Percentage,
    Quantity,
    Person,
    Organization,
    Place,
}

/// A finding, before it is reported.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct EntityFinding {
    pub(super) kind: EntityKind,
    pub(super) place: Range<usize>,
    pub(super) value: Option<String>,
    pub(super) confidence: f64,
}

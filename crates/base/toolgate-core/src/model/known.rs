//! A model in force, and the way to it.

use std::sync::Arc;

use super::definition::ModelDefinition;
use crate::address::Reach;
use crate::egress::Egress;

#[derive(Clone, PartialEq, Debug)]
pub struct KnownModel {
    pub definition: ModelDefinition,
    /// Anywhere for a model of the operator's file; within the rules for one of the settings, as servers have it.
    pub reach: Reach,
    pub egress: Arc<Egress>,
}

impl KnownModel {
    /// True if the operator's file defines it, and not a setting.
    pub fn is_of_file(&self) -> bool {
        self.reach == Reach::Anywhere
    }
}

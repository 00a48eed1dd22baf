//! The call that takes an action back.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

/// A call of another action of the same connector.
#[derive(Clone, PartialEq, Debug)]
pub struct UndoCall {
    pub action: String,
    pub arguments: Map<String, Value>,
}

/// Names the action, and for each of its arguments the pointer into the result of the first.
pub(crate) struct UndoRule {
    pub(crate) action: String,
    pub(crate) arguments: BTreeMap<String, String>,
}

impl UndoRule {
    /// Nothing if the result lacks one of them.
    pub(crate) fn call(&self, data: &Value) -> Option<UndoCall> {
        let mut arguments = Map::new();
        for (name, pointer) in &self.arguments {
            arguments.insert(name.clone(), data.pointer(pointer)?.clone());
        }
        Some(UndoCall { action: self.action.clone(), arguments })
    }
}

//! Tools with their schemas, each written once in a process: a gateway needs its domains twice, as a list and with their states, and
//! schemas are a large part of a start.

use std::any::TypeId;
use std::collections::HashMap;
use std::sync::{Arc, LazyLock};

use parking_lot::Mutex;
use schemars::JsonSchema;
use serde_json::Value;
use toolgate_core::platform::PlatformTool;

use crate::definition::ToolDefinition;
use crate::schema;

pub(crate) struct DescribedTool {
    pub(crate) tool: Arc<PlatformTool>,
    pub(crate) input_schema: Value,
}

/// Two tools of one name differ in their types, or one of them is prepared.
type DescribedKey = (&'static str, TypeId, TypeId, bool);

/// The tool with the schemas of its arguments and its data.
pub(crate) fn once<A, O>(definition: &ToolDefinition, is_prepared: bool) -> Arc<DescribedTool>
where
    A: JsonSchema + 'static,
    O: JsonSchema + 'static,
{
    static DESCRIBED: LazyLock<Mutex<HashMap<DescribedKey, Arc<DescribedTool>>>> =
        LazyLock::new(Mutex::default);
    let key = (definition.name, TypeId::of::<A>(), TypeId::of::<O>(), is_prepared);
    let mut described = DESCRIBED.lock();
    let known = described.entry(key).or_insert_with(|| {
        let (input_schema, output) = (schema::of_arguments::<A>(), schema::of_output::<O>());
        let tool = schema::describe(definition, input_schema.clone(), output, is_prepared);
        Arc::new(DescribedTool { tool: Arc::new(tool), input_schema })
    });
    known.clone()
}

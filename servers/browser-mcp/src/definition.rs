//! The form of a tool of this server: a function of the room, the arguments and the call.

use std::future::Future;
use std::sync::Arc;

use capability_kit::{ResidentAnswer, ResidentCall, Tool, Trouble};
use schemars::{JsonSchema, Schema};
use serde::de::DeserializeOwned;

use crate::room::BrowserRoom;

pub(crate) fn define<A, F>(
    room: &Arc<BrowserRoom>,
    name: &'static str,
    title: &'static str,
    description: &'static str,
    run: impl Fn(Arc<BrowserRoom>, A, ResidentCall) -> F + Send + Sync + 'static,
) -> Tool
where
    A: DeserializeOwned + JsonSchema,
    F: Future<Output = Result<ResidentAnswer, Trouble>> + Send + 'static,
{
    let room = Arc::clone(room);
    Tool::resident(name, title, description, move |arguments, call| run(Arc::clone(&room), arguments, call))
}

/// Callers of other browser tools write `selector`, `ref` or `element` for `target`. Their arguments are read as well, so the
/// schema neither requires `target` nor closes the list.
pub(crate) fn open_to_other_names(schema: &mut Schema) {
    schema.remove("additionalProperties");
    schema.remove("required");
}

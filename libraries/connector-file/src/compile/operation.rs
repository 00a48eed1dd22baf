//! An operation of an imported document.

use openapi_tools::ApiTool;

use crate::error::BadConnectorFile;
use crate::words::Marked;

/// The operation of this id, or the tool of this name.
pub(super) fn find<'a>(
    text: &str,
    name: &Marked,
    tools: Option<&'a [ApiTool]>,
) -> Result<&'a ApiTool, BadConnectorFile> {
    let Some(tools) = tools else {
        let says = format!("`{name}` is an operation of a document, and none was given");
        return Err(BadConnectorFile::of(text, name, says));
    };
    let by_id = tools.iter().find(|tool| tool.operation_id.as_deref() == Some(name.get_ref()));
    let found = by_id.or_else(|| tools.iter().find(|tool| tool.name == *name.get_ref()));
    found.ok_or_else(|| BadConnectorFile::of(text, name, format!("the document has no operation `{name}`")))
}

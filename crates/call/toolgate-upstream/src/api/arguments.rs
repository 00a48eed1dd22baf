//! The parameters of a request as a value, with the contents of files in their places.

use futures_util::StreamExt;
use serde_json::{Map, Value};
use toolgate_core::RpcError;
use toolgate_core::port::{ServerError, ServerRequest, SourceError, TextInsert};

use crate::context::ServerContext;

/// The maximum size of all files of one call, as Base64. A request to an API is made in memory.
const FILES_BYTES_MAX: u64 = 64 << 20;

/// The name of a tool, and its arguments.
pub(super) struct CalledTool {
    pub(super) name: String,
    pub(super) arguments: Map<String, Value>,
}

/// Reads the parameters of `tools/call`.
pub(super) async fn called(ctx: &ServerContext, request: &ServerRequest) -> Result<CalledTool, ServerError> {
    let mut params = params(ctx, request).await?;
    let name = params.get("name").and_then(Value::as_str).map(str::to_owned);
    let name = name.ok_or_else(|| RpcError::invalid_params("`name` is missing"))?;
    let arguments = match params.remove("arguments") {
        Some(Value::Object(arguments)) => arguments,
        None | Some(Value::Null) => Map::new(),
        Some(_) => return Err(RpcError::invalid_params("`arguments` is not an object").into()),
    };
    Ok(CalledTool { name, arguments })
}

/// All parameters of a request.
pub(super) async fn params(
    ctx: &ServerContext,
    request: &ServerRequest,
) -> Result<Map<String, Value>, ServerError> {
    let text = whole_text(&request.params, &request.inserts).await.map_err(|error| ctx.unread(error))?;
    let malformed = |error: serde_json::Error| RpcError::invalid_params(error.to_string());
    Ok(serde_json::from_str(&text).map_err(malformed)?)
}

async fn whole_text(params: &str, inserts: &[TextInsert]) -> Result<String, SourceError> {
    let content: u64 = inserts.iter().map(|insert| insert.source.bytes()).sum();
    if content > FILES_BYTES_MAX {
        return Err(SourceError(format!(
            "the files of this call have {content} bytes as Base64, and calls of an API take at most {FILES_BYTES_MAX}"
        )));
    }
    let mut text = String::with_capacity(params.len() + usize::try_from(content).unwrap_or_default() + 2);
    text.push('{');
    let mut at = 0;
    for insert in inserts {
        text.push_str(&params[at..insert.at]);
        at = insert.at;
        read_into(&mut text, insert).await?;
    }
    text.push_str(&params[at..]);
    text.push('}');
    Ok(text)
}

async fn read_into(text: &mut String, insert: &TextInsert) -> Result<(), SourceError> {
    let mut left = insert.source.bytes();
    let mut stream = insert.source.open();
    while let Some(piece) = stream.next().await {
        let piece = piece?;
        left = left.checked_sub(piece.len() as u64).ok_or_else(changed)?;
        text.push_str(std::str::from_utf8(&piece).map_err(|_| changed())?);
    }
    if left == 0 { Ok(()) } else { Err(changed()) }
}

fn changed() -> SourceError {
    SourceError("the content does not have the size it was said to have".to_owned())
}

//! A stream of the file.

use std::sync::Arc;

use openapi_tools::ApiTool;

use super::action::{constants, single};
use super::operation;
use super::rules::pages;
use crate::error::BadConnectorFile;
use crate::form::{CursorForm, FileForm, StreamForm};
use crate::rules::ProviderRules;
use crate::step::{RequestStep, StepTarget};
use crate::stream::{ConnectorStream, CursorRule};
use crate::words::{AnswerKind, MethodWord, RequestPlace};

pub(super) fn compile(
    text: &str,
    file: &FileForm,
    stream: &StreamForm,
    rules: &Arc<ProviderRules>,
    tools: Option<&[ApiTool]>,
) -> Result<ConnectorStream, BadConnectorFile> {
    Ok(ConnectorStream {
        name: stream.name.get_ref().clone(),
        title: stream.title.clone(),
        description: stream.description.clone(),
        step: step(text, stream, tools)?,
        records: stream.records.get_ref().clone(),
        key: stream.key.get_ref().clone(),
        cursor: stream.cursor.as_ref().map(cursor),
        pages: stream.pagination.as_ref().and_then(|name| file.pagination.get(name)).map(pages),
        rules: Arc::clone(rules),
    })
}

/// Every request of a stream reads, whatever its method: a list that is asked for with `POST` is a list.
fn step(text: &str, stream: &StreamForm, tools: Option<&[ApiTool]>) -> Result<RequestStep, BadConnectorFile> {
    let arguments = stream.arguments.iter();
    if let Some(path) = &stream.path {
        let method = stream.method.as_ref().map_or(MethodWord::Get, |method| *method.get_ref());
        return Ok(single(method, path, AnswerKind::Json, true, arguments));
    }
    let Some(name) = &stream.operation else {
        return Err(BadConnectorFile::of(text, &stream.name, "a stream has a `path` or an `operation`"));
    };
    let tool = operation::find(text, name, tools)?;
    Ok(RequestStep {
        method: tool.method,
        target: StepTarget::Operation(Box::new(tool.plan.clone())),
        answer: AnswerKind::Json,
        is_read: true,
        take: Vec::new(),
        values: constants(arguments),
    })
}

fn cursor(form: &CursorForm) -> CursorRule {
    CursorRule {
        pointer: form.pointer.get_ref().clone(),
        parameter: form.parameter.clone(),
        place: form.place.unwrap_or(RequestPlace::Query),
        start: form.start.clone(),
        format: form.format,
        ascending: form.ascending,
    }
}

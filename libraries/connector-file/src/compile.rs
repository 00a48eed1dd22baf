//! A checked file becomes rules, actions and streams.

mod action;
mod operation;
mod rules;
mod schema;
mod stream;

use std::sync::Arc;

use openapi_tools::{ApiDocument, ApiTool};

use crate::action::ConnectorAction;
use crate::error::BadConnectorFile;
use crate::form::FileForm;
use crate::rules::ProviderRules;
use crate::stream::ConnectorStream;

pub(crate) use rules::{auth, rules};

pub(crate) fn actions(
    text: &str,
    form: &FileForm,
    rules: &Arc<ProviderRules>,
    document: Option<&ApiDocument>,
) -> Result<Vec<ConnectorAction>, BadConnectorFile> {
    let has_operations = form.actions.iter().any(|one| one.operation.is_some());
    let tools = tools(document.filter(|_| has_operations));
    form.actions.iter().map(|one| action::compile(text, form, one, rules, tools.as_deref())).collect()
}

pub(crate) fn streams(
    text: &str,
    form: &FileForm,
    rules: &Arc<ProviderRules>,
    document: Option<&ApiDocument>,
) -> Result<Vec<ConnectorStream>, BadConnectorFile> {
    let has_operations = form.streams.iter().any(|one| one.operation.is_some());
    let tools = tools(document.filter(|_| has_operations));
    form.streams.iter().map(|one| stream::compile(text, form, one, rules, tools.as_deref())).collect()
}

fn tools(document: Option<&ApiDocument>) -> Option<Vec<ApiTool>> {
    document.map(|document| document.tools().tools)
}

#[cfg(test)]
mod tests;

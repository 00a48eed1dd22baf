//! An action: one source of requests, arguments with a place, and a word on what happens if its answer is lost.

use super::basics::{Checked, is_header, must, pointer};
use super::places::{encoding, placed};
use super::step;
use crate::call::{LIMIT, PAGE};
use crate::error::BadConnectorFile;
use crate::form::{ActionForm, ArgumentForm, FileForm, IdempotencyForm};
use crate::words::{AnswerKind, EffectsWord, Marked, RequestPlace};

const ARGUMENTS_MAX: usize = 100;

pub(super) fn check(text: &str, file: &FileForm, action: &ActionForm) -> Checked {
    source(text, action)?;
    must(action.arguments.len() <= ARGUMENTS_MAX, text, &action.name, "an action has at most 100 arguments")?;
    must(
        !action.description.trim().is_empty(),
        text,
        &action.name,
        "`description` is not empty: agents read it",
    )?;
    for (name, argument) in &action.arguments {
        shape(text, name, argument)?;
        if action.operation.is_some() {
            over_operation(text, name, argument)?;
        }
    }
    if let Some(path) = &action.path {
        placed(text, path, action.arguments.iter())?;
    }
    step::check(text, action)?;
    action.result.iter().try_for_each(|one| pointer(text, one))?;
    idempotency(text, action)?;
    pages(text, file, action)?;
    undo(text, file, action)
}

/// The effects as the file says them; over an operation, the document may know.
pub(super) fn is_read(action: &ActionForm) -> bool {
    if let Some(effects) = action.effects {
        return effects == EffectsWord::Read;
    }
    let steps = action.steps.iter().map(|step| step.effects.unwrap_or(step.method.get_ref().effects()));
    let own = action.method.iter().map(|method| method.get_ref().effects());
    own.chain(steps).all(|effects| effects == EffectsWord::Read)
}

fn source(text: &str, action: &ActionForm) -> Checked {
    let kinds = [action.operation.is_some(), action.path.is_some(), !action.steps.is_empty()];
    let says = "an action has `method` and `path`, or an `operation`, or `[[actions.steps]]`";
    must(kinds.iter().filter(|one| **one).count() == 1, text, &action.name, says)?;
    must(action.path.is_some() == action.method.is_some(), text, &action.name, says)
}

fn shape(text: &str, name: &Marked, argument: &ArgumentForm) -> Checked {
    let asks = argument.required || argument.default.is_some() || argument.schema.is_some();
    let says = "a `constant` is not asked for: it has no `schema`, `default` or `required`";
    must(argument.constant.is_none() || !asks, text, name, says)?;
    must(
        !(argument.required && argument.default.is_some()),
        text,
        name,
        "what has a `default` is not `required`",
    )?;
    if let Some(schema) = &argument.schema {
        must(schema.is_object(), text, name, "`schema` is a JSON Schema, as a table")?;
    }
    argument.pointer.iter().try_for_each(|one| pointer(text, one))?;
    let is_pointed = argument.pointer.is_none() || argument.place == Some(RequestPlace::Body);
    must(is_pointed, text, name, "`pointer` is for the place `body`")?;
    encoding(text, name, argument.place, argument.encode)
}

fn over_operation(text: &str, name: &Marked, argument: &ArgumentForm) -> Checked {
    let is_bare = argument.place.is_none() && argument.name.is_none() && argument.encode.is_none();
    must(is_bare, text, name, "the document says where an argument of an operation goes")
}

fn idempotency(text: &str, action: &ActionForm) -> Checked {
    let Some(form) = &action.idempotency else {
        let is_silent =
            is_read(action) && action.operation.is_none() || action.effects == Some(EffectsWord::Read);
        let says = "an action that changes something says what happens if its answer is lost: `idempotency`";
        return must(is_silent, text, &action.name, says);
    };
    let says = "`idempotency` is \"ledger\", `{ header = \"…\" }` or `{ natural = [arguments] }`";
    match form.get_ref() {
        IdempotencyForm::Word(word) => must(word == "ledger", text, form, says),
        IdempotencyForm::Table(table) => {
            let is_one = table.header.is_some() == table.natural.is_empty();
            must(is_one && table.header.as_deref().is_none_or(is_header), text, form, says)?;
            let is_argument = |name: &String| action.arguments.keys().any(|one| one.get_ref() == name);
            let are_arguments = action.operation.is_some() || table.natural.iter().all(is_argument);
            must(are_arguments, text, form, "`natural` has names of arguments of the action")
        }
    }
}

fn pages(text: &str, file: &FileForm, action: &ActionForm) -> Checked {
    let Some(name) = &action.pagination else { return Ok(()) };
    must(file.pagination.contains_key(name), text, name, &format!("there is no `[pagination.{name}]`"))?;
    must(is_read(action), text, name, "only an action that reads has pages")?;
    must(action.steps.is_empty(), text, name, "an action of several steps has no pages")?;
    must(action.answer == AnswerKind::Json, text, name, "pages are JSON")?;
    must(
        action.result.is_some(),
        text,
        name,
        "an action with pages has a `result`: the pointer to the list",
    )?;
    let is_free = |one: &Marked| ![PAGE, LIMIT].contains(&one.get_ref().as_str());
    must(
        action.arguments.keys().all(is_free),
        text,
        name,
        "an action with pages has `page` and `limit` already",
    )
}

fn undo(text: &str, file: &FileForm, action: &ActionForm) -> Checked {
    let Some(undo) = &action.undo else { return Ok(()) };
    let Some(other) = file.actions.iter().find(|one| one.name.get_ref() == undo.action.get_ref()) else {
        return Err(BadConnectorFile::of(
            text,
            &undo.action,
            format!("there is no action `{}`", undo.action),
        ));
    };
    undo.arguments.values().try_for_each(|one| pointer(text, one))?;
    let is_argument = |name: &String| other.arguments.keys().any(|one| one.get_ref() == name);
    let fits = other.operation.is_some() || undo.arguments.keys().all(is_argument);
    must(fits, text, &undo.action, &format!("`{}` has no such argument", undo.action))
}

//! The steps of an action that needs several requests.

use std::collections::BTreeSet;

use super::basics::{Checked, must, pointer};
use super::places::{check_places, encoding};
use crate::error::BadConnectorFile;
use crate::form::{ActionForm, StepForm, ValueForm};
use crate::words::Marked;

const STEPS_MAX: usize = 5;

pub(super) fn check(text: &str, action: &ActionForm) -> Checked {
    must(action.steps.len() <= STEPS_MAX, text, &action.name, "an action has at most 5 steps")?;
    if action.steps.is_empty() {
        return Ok(());
    }
    for (name, argument) in &action.arguments {
        let is_asked = argument.schema.is_some() && argument.place.is_none() && argument.constant.is_none();
        must(
            is_asked,
            text,
            name,
            "an argument of an action with steps has a `schema`; its place is in the steps",
        )?;
    }
    let mut taken = BTreeSet::new();
    for step in &action.steps {
        target(text, action, step, &taken)?;
        for (name, value) in &step.values {
            source(text, action, name, value, &taken)?;
        }
        step.take.values().try_for_each(|one| pointer(text, one))?;
        taken.extend(step.take.keys().cloned());
    }
    Ok(())
}

fn target(text: &str, action: &ActionForm, step: &StepForm, taken: &BTreeSet<String>) -> Checked {
    match (&step.path, &step.address) {
        (Some(path), None) => {
            let provider = |(name, value)| {
                let (name, value): (&Marked, &ValueForm) = (name, value);
                value.name.as_ref().unwrap_or(name.get_ref())
            };
            let places: Vec<_> = step.values.iter().map(|one| (one.0, one.1.place, provider(one))).collect();
            check_places(text, path, &places)
        }
        (None, Some(address)) => {
            let is_known = taken.contains(address.get_ref());
            must(is_known, text, address, &format!("no step before takes `{address}`"))
        }
        _ => Err(BadConnectorFile::of(
            text,
            &action.name,
            "each step has a `path`, or an `address` that was taken",
        )),
    }
}

fn source(
    text: &str,
    action: &ActionForm,
    name: &Marked,
    value: &ValueForm,
    taken: &BTreeSet<String>,
) -> Checked {
    let sources = [&value.argument, &value.taken, &value.length_of].into_iter().flatten().count();
    let sources = sources + usize::from(value.constant.is_some());
    must(sources == 1, text, name, "a value has one of `argument`, `taken`, `constant` and `length_of`")?;
    for argument in [&value.argument, &value.length_of, &value.file_name].into_iter().flatten() {
        let is_argument = action.arguments.keys().any(|one| one.get_ref() == argument);
        must(is_argument, text, name, &format!("the action has no argument `{argument}`"))?;
    }
    if let Some(one) = &value.taken {
        must(taken.contains(one), text, name, &format!("no step before takes `{one}`"))?;
    }
    value.pointer.iter().try_for_each(|one| pointer(text, one))?;
    encoding(text, name, Some(value.place), value.encode)
}

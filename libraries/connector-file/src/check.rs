//! A file that reads is not yet a file that makes sense: names that lead somewhere, sources that are one, places that fit.

mod action;
mod basics;
mod pagination;
mod places;
mod step;
mod stream;

use std::collections::BTreeSet;

use crate::error::BadConnectorFile;
use crate::form::{FileForm, RetryForm};
use crate::rules::{TRIES_MAX, WAIT_S_MAX};
use crate::words::Marked;
use basics::{Checked, is_header, is_secret_header, name, pointer};

const ACTIONS_MAX: usize = 200;
const STREAMS_MAX: usize = 50;

pub(crate) fn check(text: &str, form: &FileForm) -> Checked {
    name(text, &form.provider, "a provider")?;
    if form.version.trim().is_empty() || form.title.trim().is_empty() {
        return Err(BadConnectorFile::of(text, &form.provider, "`title` and `version` are not empty"));
    }
    addresses(text, form)?;
    headers(text, form)?;
    retry(text, &form.retry)?;
    let pointers = [&form.error.says, &form.error.code].into_iter().flatten();
    pointers.chain(form.ok.iter().map(|ok| &ok.pointer)).try_for_each(|one| pointer(text, one))?;
    form.pagination.iter().try_for_each(|(name, one)| pagination::check(text, name, one))?;
    counts(text, form)?;
    unique(text, form.actions.iter().map(|action| &action.name), "an action")?;
    unique(text, form.streams.iter().map(|stream| &stream.name), "a stream")?;
    form.actions.iter().try_for_each(|one| action::check(text, form, one))?;
    form.streams.iter().try_for_each(|one| stream::check(text, form, one))?;
    probe(text, form)
}

fn counts(text: &str, form: &FileForm) -> Checked {
    if form.actions.len() > ACTIONS_MAX || form.streams.len() > STREAMS_MAX {
        let says = format!("a file has at most {ACTIONS_MAX} actions and {STREAMS_MAX} streams");
        return Err(BadConnectorFile::of(text, &form.provider, says));
    }
    Ok(())
}

fn addresses(text: &str, form: &FileForm) -> Checked {
    if let Some(base) = &form.base_url {
        let is_address = ["https://", "http://"].iter().any(|scheme| base.get_ref().starts_with(scheme));
        if !is_address || base.get_ref().contains(['?', '#', '@', ' ']) {
            return Err(BadConnectorFile::of(
                text,
                base,
                "`base_url` is `https://HOST` with an optional path",
            ));
        }
    }
    let is_host =
        |host: &str| !host.is_empty() && host.chars().all(|c| c.is_ascii_alphanumeric() || "-.".contains(c));
    match form.hosts.iter().find(|host| !is_host(host.get_ref())) {
        Some(host) => {
            Err(BadConnectorFile::of(text, host, "`hosts` has names of hosts, such as `files.slack.com`"))
        }
        None => Ok(()),
    }
}

/// Secrets come from the vault, so none stands in a file that people share.
fn headers(text: &str, form: &FileForm) -> Checked {
    for (name, value) in &form.headers {
        if is_secret_header(name.get_ref()) {
            let says = format!("`{name}` is a secret: `[auth]` names it, and the vault has it");
            return Err(BadConnectorFile::of(text, name, says));
        }
        if !is_header(name.get_ref()) || value.chars().any(char::is_control) {
            return Err(BadConnectorFile::of(text, name, format!("`{name}` is no header")));
        }
    }
    Ok(())
}

fn retry(text: &str, retry: &RetryForm) -> Checked {
    if let Some(tries) = &retry.tries
        && !(1..=TRIES_MAX).contains(tries.get_ref())
    {
        return Err(BadConnectorFile::of(text, tries, format!("`tries` is 1 to {TRIES_MAX}")));
    }
    match &retry.wait_s_max {
        Some(wait) if *wait.get_ref() > WAIT_S_MAX => {
            Err(BadConnectorFile::of(text, wait, format!("`wait_s_max` is at most {WAIT_S_MAX}")))
        }
        _ => Ok(()),
    }
}

fn probe(text: &str, form: &FileForm) -> Checked {
    let Some(probe) = &form.probe else { return Ok(()) };
    let Some(action) = form.actions.iter().find(|action| action.name.get_ref() == probe.get_ref()) else {
        return Err(BadConnectorFile::of(text, probe, format!("there is no action `{probe}`")));
    };
    let asks = action.arguments.values().any(|argument| argument.required);
    if asks || !action::is_read(action) {
        return Err(BadConnectorFile::of(text, probe, "`probe` reads, and needs no argument"));
    }
    Ok(())
}

fn unique<'a>(text: &str, names: impl Iterator<Item = &'a Marked>, article: &str) -> Checked {
    let mut seen = BTreeSet::new();
    for one in names {
        name(text, one, article)?;
        if !seen.insert(one.get_ref()) {
            return Err(BadConnectorFile::of(
                text,
                one,
                format!("the name of {article} is there twice: `{one}`"),
            ));
        }
    }
    Ok(())
}

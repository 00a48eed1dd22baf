//! `sandbox` of a server: the openings for its process, or no confinement at all.

use std::path::PathBuf;

use toolgate_core::server::{NetworkAccess, Sandbox, SandboxOpenings};
use toolgate_sandbox::hidden_in_home;

use super::super::problem::ConfigProblems;
use super::super::section::{ConfigSection, Located};
use super::super::value::TableValues;
use super::ServerReader;

pub(crate) const KEYS: &[&str] = &["write", "read", "network", "user"];

/// The words in the place of a table.
#[derive(Clone, Copy)]
enum SandboxWord {
    Default,
    Off,
}

const WORDS: [(&str, SandboxWord); 2] = [("default", SandboxWord::Default), ("off", SandboxWord::Off)];
const HINT: &str = "`sandbox = { write = [\"…\"] }` opens a folder, `sandbox = \"off\"` everything; \
                    leave the key out to have the default";

impl ServerReader<'_> {
    pub(super) fn sandbox(&self, problems: &mut ConfigProblems) -> Sandbox {
        if self.section.is_text("sandbox") {
            return match self.section.word("sandbox", &WORDS, HINT, problems) {
                Some(SandboxWord::Off) => Sandbox::Off,
                Some(SandboxWord::Default) | None => Sandbox::default(),
            };
        }
        let title = format!("`sandbox` of {}", self.section.title());
        let Some(section) = self.section.section("sandbox", &title, problems) else {
            return Sandbox::default();
        };
        section.refuse_unknown_keys(KEYS, &[], problems);
        Sandbox::On(SandboxOpenings {
            write: self.opened(&section, "write", problems),
            read: self.opened(&section, "read", problems),
            network: match section.boolean("network", problems).is_none_or(|network| network.value) {
                true => NetworkAccess::Open,
                false => NetworkAccess::Closed,
            },
            user: user(&section, problems),
        })
    }

    fn opened(&self, section: &ConfigSection<'_>, key: &str, problems: &mut ConfigProblems) -> Vec<PathBuf> {
        let values = TableValues { section, source: self.values.source, references: self.values.references };
        let mut opened = Vec::new();
        for path in section.strings(key, problems) {
            let Some(expanded) = values.path_text(key, &path, problems) else { continue };
            if values.is_kept(path.value) {
                opened.push(expanded.into());
            } else if is_opened_whole(section, key, &path, &expanded, problems) {
                opened.push(self.folder.join(expanded));
            }
        }
        opened
    }
}

/// A hidden folder is covered as a whole, so a part of it cannot be opened.
fn is_opened_whole(
    section: &ConfigSection<'_>,
    key: &str,
    path: &Located<&str>,
    expanded: &str,
    problems: &mut ConfigProblems,
) -> bool {
    const EXPECTED: &str = "paths, absolute or from the folder of this file";
    let title = section.title();
    if expanded.trim().is_empty() {
        let what = format!("a path in `{key}` in {title} is empty");
        problems.add(path.span.clone(), what, EXPECTED, "`.` is the folder of this file");
        return false;
    }
    let inside = |hidden: &&&str| expanded.contains(&format!("/{hidden}/"));
    let Some(hidden) = hidden_in_home().iter().find(inside) else { return true };
    let what = format!("`{key}` in {title} names a part of {hidden:?}, which is hidden as a whole");
    let end = expanded.find(&format!("/{hidden}/")).map_or(0, |at| at + hidden.len() + 1);
    problems.add(path.span.clone(), what, EXPECTED, format!("open all of it: {:?}", &expanded[..end]));
    false
}

fn user(section: &ConfigSection<'_>, problems: &mut ConfigProblems) -> Option<String> {
    let user = section.string("user", problems)?;
    if user.value.is_empty() || user.value.contains(['\0', ':', '/']) {
        let what = format!("`user` in {} cannot be the name of a user", section.title());
        problems.add(user.span, what, "the name of a user of this machine", "`id -un` prints one's own");
        return None;
    }
    Some(user.value.to_owned())
}

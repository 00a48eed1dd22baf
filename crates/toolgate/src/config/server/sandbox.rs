//! `sandbox` of a server: the openings for its process, or no confinement at all.

use std::path::PathBuf;

use toolgate_core::server::{Network, Openings, Sandbox};
use toolgate_sandbox::hidden_in_home;

use super::super::problem::Problems;
use super::super::section::{At, Section};
use super::super::value::Values;
use super::Reader;

pub(crate) const KEYS: [&str; 4] = ["write", "read", "network", "user"];

/// The words in the place of a table.
#[derive(Clone, Copy)]
enum Word {
    Default,
    Off,
}

const WORDS: [(&str, Word); 2] = [("default", Word::Default), ("off", Word::Off)];
const HINT: &str = "`sandbox = { write = [\"…\"] }` opens a folder, `sandbox = \"off\"` everything; \
                    leave the key out to have the default";

impl Reader<'_> {
    pub(super) fn sandbox(&self, problems: &mut Problems) -> Sandbox {
        if self.section.is_text("sandbox") {
            return match self.section.word("sandbox", &WORDS, HINT, problems) {
                Some(Word::Off) => Sandbox::Off,
                Some(Word::Default) | None => Sandbox::default(),
            };
        }
        let title = format!("`sandbox` of {}", self.section.title());
        let Some(section) = self.section.section("sandbox", &title, problems) else {
            return Sandbox::default();
        };
        section.refuse_unknown_keys(&KEYS, &[], problems);
        Sandbox::On(Openings {
            write: self.opened(&section, "write", problems),
            read: self.opened(&section, "read", problems),
            network: match section.boolean("network", problems).is_none_or(|network| network.value) {
                true => Network::Open,
                false => Network::Closed,
            },
            user: user(&section, problems),
        })
    }

    fn opened(&self, section: &Section<'_>, key: &str, problems: &mut Problems) -> Vec<PathBuf> {
        let values = Values { section, source: self.values.source, references: self.values.references };
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
    section: &Section<'_>,
    key: &str,
    path: &At<&str>,
    expanded: &str,
    problems: &mut Problems,
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

fn user(section: &Section<'_>, problems: &mut Problems) -> Option<String> {
    let user = section.string("user", problems)?;
    if user.value.is_empty() || user.value.contains(['\0', ':', '/']) {
        let what = format!("`user` in {} cannot be the name of a user", section.title());
        problems.add(user.span, what, "the name of a user of this machine", "`id -un` prints one's own");
        return None;
    }
    Some(user.value.to_owned())
}

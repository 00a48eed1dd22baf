//! The structure tree: types, nesting, headings, alternative texts and notes.

use std::collections::BTreeSet;

use crate::cos::{Dict, PdfValue};

use super::checker::Checker;
use super::kinds::Standard;
use super::syntax;
use super::tree::is_standard;

pub(super) fn check<'a>(c: &mut Checker<'a>) {
    for index in 0..c.tree.elements.len() {
        let dict: &'a Dict = c.tree.elements[index].dict;
        syntax::utf8_name(c, dict.get("S"));
    }
    if c.standard != Standard::Ua1 {
        return;
    }
    document(c);
    roles(c);
    for index in 0..c.tree.elements.len() {
        nesting(c, index);
        texts(c, index);
    }
    headings(c);
    notes(c);
}

fn document<'a>(c: &mut Checker<'a>) {
    let marks = c.at(c.catalogue, "MarkInfo").dict();
    let flag = |c: &Checker<'a>, key: &str| marks.is_some_and(|it| c.at(it, key) == &PdfValue::Bool(true));
    if !flag(c, "Marked") {
        c.u("6.2-1", "MarkInfo has no Marked");
    }
    if flag(c, "Suspects") {
        c.u("7.1-4", "Suspects is true");
    }
    if !c.tree.exists {
        c.u("7.1-11", "no StructTreeRoot");
    }
    let preferences = c.at(c.catalogue, "ViewerPreferences").dict();
    let shows = preferences.is_some_and(|it| c.at(it, "DisplayDocTitle") == &PdfValue::Bool(true));
    if !shows {
        c.u("7.1-10", "DisplayDocTitle is not true");
    }
}

fn roles<'a>(c: &mut Checker<'a>) {
    let mut unknown = BTreeSet::new();
    for element in &c.tree.elements {
        if !is_standard(&element.kind) {
            unknown.insert(element.kind.clone());
        }
    }
    let roles: Option<&'a Dict> = c.tree.roles;
    for kind in unknown {
        if is_circle(c, roles, &kind) {
            c.u("7.1-6", kind);
        } else {
            c.u("7.1-5", kind);
        }
    }
    for (key, value) in roles.into_iter().flat_map(Dict::iter) {
        let key = String::from_utf8_lossy(key).into_owned();
        if is_standard(&key) && !c.get(value).is_name(&key) {
            c.u("7.1-7", key);
        }
    }
}

fn is_circle<'a>(c: &Checker<'a>, roles: Option<&'a Dict>, kind: &str) -> bool {
    let mut met = BTreeSet::from([kind.to_owned()]);
    let mut kind = kind.to_owned();
    while let Some(next) = roles.and_then(|it| c.at(it, &kind).name()) {
        if !met.insert(next.to_owned()) {
            return true;
        }
        kind = next.to_owned();
    }
    false
}

/// Which types may be where.
fn nesting(c: &mut Checker<'_>, index: usize) {
    let element = &c.tree.elements[index];
    let kind = element.kind.clone();
    let parent = element.parent.map(|it| c.tree.elements[it].kind.clone()).unwrap_or_default();
    let within: Option<(&str, &[&str])> = match kind.as_str() {
        "TR" => Some(("7.2-4", &["Table", "THead", "TBody", "TFoot"])),
        "THead" => Some(("7.2-5", &["Table"])),
        "TBody" => Some(("7.2-6", &["Table"])),
        "TFoot" => Some(("7.2-7", &["Table"])),
        "TH" => Some(("7.2-8", &["TR"])),
        "TD" => Some(("7.2-9", &["TR"])),
        "LI" => Some(("7.2-17", &["L"])),
        "LBody" => Some(("7.2-18", &["LI"])),
        "TOCI" => Some(("7.2-26", &["TOC"])),
        _ => None,
    };
    if let Some((rule, allowed)) = within
        && !allowed.contains(&parent.as_str())
    {
        c.u(rule, format!("{kind} inside {parent}"));
    }
    let inside: Option<(&str, &[&str])> = match kind.as_str() {
        "Table" => Some(("7.2-3", &["TR", "THead", "TBody", "TFoot", "Caption"])),
        "TR" => Some(("7.2-10", &["TH", "TD"])),
        "L" => Some(("7.2-19", &["L", "LI", "Caption"])),
        "LI" => Some(("7.2-20", &["Lbl", "LBody"])),
        "TOC" => Some(("7.2-27", &["TOC", "TOCI", "Caption"])),
        "THead" => Some(("7.2-36", &["TR"])),
        "TBody" => Some(("7.2-37", &["TR"])),
        "TFoot" => Some(("7.2-38", &["TR"])),
        _ => None,
    };
    let children = kinds(c, index);
    if let Some((rule, allowed)) = inside {
        for child in children.iter().filter(|it| !allowed.contains(&it.as_str())) {
            c.u(rule, format!("{child} inside {kind}"));
        }
    }
    captions(c, &kind, &children);
    if kind == "Table" {
        groups(c, &children);
    }
}

fn kinds(c: &Checker<'_>, index: usize) -> Vec<String> {
    let children = &c.tree.elements[index].children;
    children.iter().map(|it| c.tree.elements[*it].kind.clone()).filter(|it| it != "NonStruct").collect()
}

fn captions(c: &mut Checker<'_>, kind: &str, children: &[String]) {
    let places: Vec<usize> = (0..children.len()).filter(|it| children[*it] == "Caption").collect();
    match kind {
        "Table" => {
            if places.len() > 1 {
                c.u("7.2-39", "two Captions");
            }
            if places.iter().any(|at| *at != 0 && *at + 1 != children.len()) {
                c.u("7.2-16", "Caption in the middle");
            }
        }
        "L" if places.iter().any(|at| *at != 0) => c.u("7.2-40", "Caption is not first"),
        "TOC" if places.iter().any(|at| *at != 0) => c.u("7.2-28", "Caption is not first"),
        _ => {}
    }
}

fn groups(c: &mut Checker<'_>, children: &[String]) {
    let count = |kind: &str| children.iter().filter(|it| *it == kind).count();
    if count("THead") > 1 {
        c.u("7.2-11", "two THeads");
    }
    if count("TFoot") > 1 {
        c.u("7.2-12", "two TFoots");
    }
    if count("TFoot") > 0 && count("TBody") == 0 {
        c.u("7.2-13", "TFoot without TBody");
    }
    if count("THead") > 0 && count("TBody") == 0 {
        c.u("7.2-14", "THead without TBody");
    }
}

/// Alternative texts.
fn texts(c: &mut Checker<'_>, index: usize) {
    let element = &c.tree.elements[index];
    let has = |key: &str| c.file.at(element.dict, key).bytes().is_some_and(|it| !it.is_empty());
    let has_text = has("Alt") || element.dict.has("ActualText");
    match element.kind.as_str() {
        "Figure" if !has_text => c.u("7.3-1", "a Figure"),
        "Form" if element.objects.len() > 1 => c.u("7.18.4-2", "a Form with several widgets"),
        "Formula" if !has_text => c.u("7.7-1", "a Formula"),
        _ => {}
    }
}

fn headings(c: &mut Checker<'_>) {
    let (mut last, mut numbered, mut plain, mut skipped) = (0, false, false, None);
    let mut doubled = false;
    for element in &c.tree.elements {
        match element.kind.as_str() {
            "H" => plain = true,
            kind => {
                let level = kind.strip_prefix('H').and_then(|it| it.parse::<u32>().ok());
                if let Some(level) = level.filter(|it| (1..=6).contains(it)) {
                    numbered = true;
                    if level > last + 1 && skipped.is_none() {
                        skipped = Some(format!("{kind} after H{last}"));
                    }
                    last = level;
                }
            }
        }
        let heads = element.children.iter().filter(|it| c.tree.elements[**it].kind == "H").count();
        doubled |= heads > 1;
    }
    if let Some(evidence) = skipped {
        c.u("7.4.2-1", evidence.replace("after H0", "is the first heading"));
    }
    if doubled {
        c.u("7.4.4-1", "two H in one node");
    }
    if numbered && plain {
        c.u("7.4.4-2", "H and H1");
        c.u("7.4.4-3", "H and H1");
    }
}

fn notes(c: &mut Checker<'_>) {
    let mut ids = BTreeSet::new();
    let notes: Vec<Option<Vec<u8>>> = c
        .tree
        .elements
        .iter()
        .filter(|it| it.kind == "Note")
        .map(|it| c.file.at(it.dict, "ID").bytes().filter(|id| !id.is_empty()).map(<[u8]>::to_vec))
        .collect();
    for note in notes {
        match note {
            None => c.u("7.9-1", "a Note"),
            Some(id) => {
                let text = String::from_utf8_lossy(&id).into_owned();
                if !ids.insert(id) {
                    c.u("7.9-2", text);
                }
            }
        }
    }
}

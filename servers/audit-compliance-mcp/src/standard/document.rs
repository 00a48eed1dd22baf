//! The whole document in order: its bytes, its catalogue, its pages, its fonts.

use std::collections::BTreeSet;

use crate::cos::{Dict, PdfValue};

use super::checker::Checker;
use super::graphics::Walk;
use super::{annotations, fonts, intents, language, structure, syntax, tables, xmp};

/// Objects whose actions are followed.
const BOX_KEYS: [&str; 5] = ["MediaBox", "CropBox", "BleedBox", "TrimBox", "ArtBox"];

pub(super) fn check(c: &mut Checker<'_>) {
    syntax::check(c);
    encryption(c);
    if c.file.is_encrypted() {
        return;
    }
    intents::check(c);
    xmp::check(c);
    catalogue(c);
    layers(c);
    objects(c);
    structure::check(c);
    tables::check(c);
    language::check(c);
    for (index, number) in c.file.pages().into_iter().enumerate() {
        c.page = Some(index as u32 + 1);
        if let Some(page) = c.file.objects.get(&number).and_then(PdfValue::dict) {
            one_page(c, page);
        }
    }
    c.page = None;
    annotations::form(c);
    fonts::check(c);
}

/// Assistive technology may read an encrypted file if bit 10 is set.
fn encryption(c: &mut Checker<'_>) {
    let Some(encrypt) = c.file.get(c.file.trailer.get("Encrypt")).dict() else { return };
    let permissions = encrypt.get("P").int().unwrap_or(0);
    if permissions & (1 << 9) == 0 {
        c.u("7.16-1", format!("P is {permissions}"));
    }
}

fn catalogue<'a>(c: &mut Checker<'a>) {
    let catalogue: &'a Dict = c.catalogue;
    if catalogue.has("AA") {
        c.a("6.5.2-1", "the catalogue has AA");
    }
    if catalogue.has("Requirements") {
        c.a("6.11-1", "the catalogue has Requirements");
    }
    if catalogue.has("NeedsRendering") && c.at(catalogue, "NeedsRendering") == &PdfValue::Bool(true) {
        c.a("6.4.2-2", "NeedsRendering is true");
    }
    let names = c.at(catalogue, "Names").dict();
    if names.is_some_and(|names| names.has("AlternatePresentations")) {
        c.a("6.10-1", "the names have AlternatePresentations");
    }
    if let Some(permissions) = c.at(catalogue, "Perms").dict() {
        for (key, _) in permissions.iter() {
            if key != b"UR3" && key != b"DocMDP" {
                c.a("6.1.12-1", String::from_utf8_lossy(key));
            }
        }
        if let Some(signature) = c.at(permissions, "DocMDP").dict() {
            signature_references(c, signature);
        }
    }
}

fn signature_references<'a>(c: &mut Checker<'a>, signature: &'a Dict) {
    for reference in c.at(signature, "Reference").list() {
        let Some(reference) = c.get(reference).dict() else { continue };
        for key in ["DigestLocation", "DigestMethod", "DigestValue"] {
            if reference.has(key) {
                c.a("6.1.12-2", key);
            }
        }
    }
}

/// Optional content.
fn layers<'a>(c: &mut Checker<'a>) {
    let Some(properties) = c.at(c.catalogue, "OCProperties").dict() else { return };
    let all: BTreeSet<u32> = c.at(properties, "OCGs").list().iter().filter_map(PdfValue::reference).collect();
    let mut names = BTreeSet::new();
    let mut configurations: Vec<&'a PdfValue> = vec![c.at(properties, "D")];
    configurations.extend(c.at(properties, "Configs").list().iter().map(|it| c.get(it)));
    for dict in configurations.iter().filter_map(|it| it.dict()) {
        let name = c.at(dict, "Name").text().unwrap_or_default();
        if name.is_empty() {
            c.both("6.9-1", "7.10-1", "a layer configuration has no Name");
        } else if !names.insert(name.clone()) {
            c.a("6.9-2", name);
        }
        if dict.has("AS") {
            c.both("6.9-4", "7.10-2", "a layer configuration has AS");
        }
        if dict.has("Order") {
            let mut listed = BTreeSet::new();
            gather(c, c.at(dict, "Order"), 0, &mut listed);
            if !all.is_subset(&listed) {
                c.a("6.9-3", format!("{} of {} layers", listed.intersection(&all).count(), all.len()));
            }
        }
    }
}

/// References in arrays inside each other.
fn gather<'a>(c: &Checker<'a>, value: &'a PdfValue, depth: usize, into: &mut BTreeSet<u32>) {
    for one in value.list().iter().filter(|_| depth < 32) {
        into.extend(one.reference());
        gather(c, c.get(one), depth + 1, into);
    }
}

/// Rules about objects wherever they are.
fn objects<'a>(c: &mut Checker<'a>) {
    let file = c.file;
    for value in file.objects.values() {
        inside(c, value, 0);
    }
}

fn inside<'a>(c: &mut Checker<'a>, value: &'a PdfValue, depth: usize) {
    if depth > 64 {
        return;
    }
    syntax::limits(c, value);
    match value {
        PdfValue::List(list) => list.iter().for_each(|one| inside(c, one, depth + 1)),
        PdfValue::Dict(dict) => {
            dictionary(c, dict);
            dict.iter().for_each(|(_, one)| inside(c, one, depth + 1));
        }
        PdfValue::Stream(stream) => {
            syntax::stream(c, stream);
            dictionary(c, &stream.dict);
            stream.dict.iter().for_each(|(_, one)| inside(c, one, depth + 1));
        }
        _ => {}
    }
}

fn dictionary<'a>(c: &mut Checker<'a>, dict: &'a Dict) {
    action(c, dict);
    let kind = c.at(dict, "Type");
    if kind.is_name("Filespec") || kind.is_name("F") || dict.has("EF") {
        file_specification(c, dict);
    }
    let is_rendition_clip = kind.is_name("MediaClip") || (dict.has("CT") && c.at(dict, "S").is_name("MCD"));
    if is_rendition_clip && c.at(dict, "S").is_name("MCD") {
        if !dict.has("CT") {
            c.u("7.18.6.2-1", "a media clip has no CT");
        }
        if !dict.has("Alt") {
            c.u("7.18.6.2-2", "a media clip has no Alt");
        }
    }
    if dict.has("HalftoneType") || kind.is_name("Halftone") {
        super::color::halftone(c, dict);
    }
    if kind.is_name("Group") || (dict.has("CS") && c.at(dict, "S").is_name("Transparency")) {
        super::color::group(c, dict);
    }
}

fn file_specification<'a>(c: &mut Checker<'a>, dict: &'a Dict) {
    if dict.has("EF") && !(dict.has("F") && dict.has("UF")) {
        c.both("6.8-1", "7.11-1", "a file specification lacks F or UF");
    }
}

/// Actions are dictionaries with a type of their own, or the values of certain keys.
fn action<'a>(c: &mut Checker<'a>, dict: &'a Dict) {
    const FORBIDDEN: [&str; 12] = [
        "Launch",
        "Sound",
        "Movie",
        "ResetForm",
        "ImportData",
        "Hide",
        "SetOCGState",
        "Rendition",
        "Trans",
        "GoTo3DView",
        "JavaScript",
        "SetState",
    ];
    let is_action = c.at(dict, "Type").is_name("Action");
    let mut candidates: Vec<&'a Dict> =
        ["A", "OpenAction", "Next"].iter().filter_map(|key| c.at(dict, key).dict()).collect();
    if is_action {
        candidates.push(dict);
    }
    for one in candidates {
        let kind = c.at(one, "S").name().unwrap_or_default();
        if FORBIDDEN.contains(&kind) || kind.eq_ignore_ascii_case("noop") || kind == "no-op" {
            c.a("6.5.1-1", format!("the action {kind}"));
        }
        let named = c.at(one, "N").name().unwrap_or_default();
        if kind == "Named" && !["NextPage", "PrevPage", "FirstPage", "LastPage"].contains(&named) {
            c.a("6.5.1-2", format!("the named action {named}"));
            c.a("6.5.1-1", format!("the named action {named}"));
        }
    }
}

fn one_page<'a>(c: &mut Checker<'a>, page: &'a Dict) {
    if page.has("AA") {
        c.a("6.5.2-1", "the page has AA");
    }
    if page.has("PresSteps") {
        c.a("6.10-1", "the page has PresSteps");
    }
    for key in BOX_KEYS {
        let sides: Vec<f64> =
            c.file.inherited(page, key).list().iter().filter_map(|it| c.get(it).number()).collect();
        let [left, bottom, right, top] = sides[..] else { continue };
        let (width, height) = ((right - left).abs(), (top - bottom).abs());
        if !(3.0..=14_400.0).contains(&width) || !(3.0..=14_400.0).contains(&height) {
            c.a("6.1.13-11", format!("{key} has {width} by {height} units"));
        }
    }
    Walk::page(c, page);
    annotations::of_page(c, page);
}

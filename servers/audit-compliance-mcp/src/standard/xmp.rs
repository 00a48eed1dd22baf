//! Metadata: XML with namespaces, the properties in it, and how the file identifies itself.

use crate::cos::{Dict, PdfValue, decoded};

use super::checker::Checker;
use super::kinds::Standard;
use super::xmp_extension::Extensions;
use super::xmp_kinds;
use super::xmp_node::{XmpNode, parse, properties};

const DC: &str = "http://purl.org/dc/elements/1.1/";
const PDFAID: &str = "http://www.aiim.org/pdfa/ns/id/";
const PDFUAID: &str = "http://www.aiim.org/pdfua/ns/id/";

pub(super) fn check<'a>(c: &mut Checker<'a>) {
    let value = c.at(c.catalogue, "Metadata");
    let Some(stream) = value.stream() else {
        c.both("6.6.2.1-1", "7.1-8", "no Metadata");
        c.u("5-1", "no Metadata");
        return;
    };
    let bytes = decoded(c.file, stream);
    packet_header(c, &bytes);
    let Some(root) = parse(&bytes) else {
        c.both("6.6.2.1-3", "7.1-8", "the metadata cannot be read");
        return;
    };
    let properties = properties(&root);
    match c.standard {
        Standard::A2b => {
            identified_a(c, &properties);
            let extensions = Extensions::read(c, &properties);
            xmp_kinds::check(c, &properties, &extensions);
            others(c, &extensions);
        }
        Standard::Ua1 => {
            identified_ua(c, &properties);
            title(c, &properties);
        }
    }
}

/// Metadata of pages, pictures and other parts.
fn others<'a>(c: &mut Checker<'a>, extensions: &Extensions) {
    let main: Option<&'a PdfValue> = Some(c.at(c.catalogue, "Metadata"));
    let file = c.file;
    for value in file.objects.values() {
        let Some(stream) = value.stream() else { continue };
        let is_metadata = stream.dict.get("Type").is_name("Metadata");
        if !is_metadata || main.is_some_and(|main| std::ptr::eq(main, value)) {
            continue;
        }
        let bytes = decoded(file, stream);
        packet_header(c, &bytes);
        match parse(&bytes) {
            Some(root) => {
                let own = properties(&root);
                let more = Extensions::read(c, &own);
                xmp_kinds::check(c, &own, &more.with(extensions));
            }
            None => c.a("6.6.2.1-3", "metadata of a part cannot be read"),
        }
    }
}

fn packet_header(c: &mut Checker<'_>, bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let header = text.split_once("<?xpacket").and_then(|(_, it)| it.split_once("?>")).map(|(it, _)| it);
    for attribute in ["bytes=", "encoding="] {
        if header.is_some_and(|it| it.contains(attribute)) {
            c.a("6.6.2.1-2", attribute.trim_end_matches('='));
        }
    }
    if std::str::from_utf8(bytes).is_err() {
        c.a("6.6.2.1-3", "the metadata is not UTF-8");
    }
}

fn find<'p>(properties: &'p [XmpNode], space: &str, name: &str) -> Option<&'p XmpNode> {
    properties.iter().find(|it| it.is(space, name))
}

fn identified_a(c: &mut Checker<'_>, properties: &[XmpNode]) {
    let part = find(properties, PDFAID, "part");
    c.claimed = part.is_some();
    let good =
        |node: &XmpNode, wanted: &[&str]| node.prefix == "pdfaid" && wanted.contains(&node.text.trim());
    if !part.is_some_and(|it| good(it, &["2"])) {
        c.a("6.6.4-1", "pdfaid:part is not 2");
    }
    let conformance = find(properties, PDFAID, "conformance");
    if !conformance.is_some_and(|it| good(it, &["A", "B", "U"])) {
        c.a("6.6.4-2", "pdfaid:conformance");
    }
    for name in ["amd", "corr", "rev"] {
        if find(properties, PDFAID, name).is_some_and(|it| it.prefix != "pdfaid") {
            c.a("6.6.4-1", format!("the prefix of {name}"));
        }
    }
}

fn identified_ua(c: &mut Checker<'_>, properties: &[XmpNode]) {
    let Some(part) = find(properties, PDFUAID, "part") else {
        c.u("5-1", "no pdfuaid:part");
        return;
    };
    c.claimed = true;
    if part.text.trim() != "1" {
        c.u("5-2", part.text.trim());
    }
    for (name, rule) in [("part", "5-3"), ("amd", "5-4"), ("corr", "5-5")] {
        if let Some(node) = find(properties, PDFUAID, name).filter(|it| it.prefix != "pdfuaid") {
            c.u(rule, node.prefix.clone());
        }
    }
}

/// The title is there, and texts in several languages have one to fall back to.
fn title(c: &mut Checker<'_>, properties: &[XmpNode]) {
    let title = find(properties, DC, "title");
    let items = title.map(XmpNode::items).unwrap_or_default();
    let has_text = title.is_some_and(|it| !it.text.trim().is_empty())
        || items.iter().any(|it| !it.text.trim().is_empty());
    if !has_text {
        c.u("7.1-9", "no dc:title");
    }
    let alternatives =
        properties.iter().filter(|it| matches!(it.name.as_str(), "title" | "description" | "rights"));
    for property in alternatives.filter(|it| it.space == DC) {
        let items = property.items();
        let only_default =
            !items.is_empty() && items.iter().all(|it| matches!(it.language(), None | Some("x-default")));
        if only_default && c.language.is_none() {
            c.u("7.2-33", format!("dc:{}", property.name));
        }
    }
}

/// Simple properties of a file's metadata, by name.
pub(super) fn simple_properties(file: &crate::cos::PdfFile, catalogue: &Dict) -> Vec<(String, String)> {
    let stream = file.at(catalogue, "Metadata").stream();
    let all = stream.and_then(|it| parse(&decoded(file, it))).map(|it| properties(&it)).unwrap_or_default();
    let value = |it: &XmpNode| match it.items().first() {
        Some(first) => first.text.trim().to_owned(),
        None => it.text.trim().to_owned(),
    };
    let named = all.iter().map(|it| (format!("{}:{}", it.prefix, it.name), value(it)));
    named.filter(|(_, value)| !value.is_empty()).take(100).collect()
}

//! Annotations and forms.

use crate::cos::{Dict, PdfValue};
use crate::report::Spot;

use super::checker::Checker;
use super::kinds::Standard;
use super::language;

const ALLOWED: &[&str] = &[
    "Text",
    "Link",
    "FreeText",
    "Line",
    "Square",
    "Circle",
    "Polygon",
    "PolyLine",
    "Highlight",
    "Underline",
    "Squiggly",
    "StrikeOut",
    "Stamp",
    "Caret",
    "Ink",
    "Popup",
    "FileAttachment",
    "Widget",
    "PrinterMark",
    "TrapNet",
    "Watermark",
    "Redact",
];
/// Fields inside fields.
const FIELD_DEPTH_MAX: usize = 64;

/// Flags of annotations.
const INVISIBLE: i64 = 1;
const HIDDEN: i64 = 2;
const PRINT: i64 = 4;
const NO_VIEW: i64 = 32;
const TOGGLE_NO_VIEW: i64 = 256;

/// One annotation with what several rules ask for.
struct AnnotationView<'a> {
    dict: &'a Dict,
    kind: &'a str,
    spot: Spot,
    flags: i64,
    element: Option<usize>,
}

pub(super) fn of_page<'a>(c: &mut Checker<'a>, page: &'a Dict) {
    let list = c.at(page, "Annots").list();
    let mut any = false;
    for value in list {
        let Some(dict) = c.get(value).dict() else { continue };
        any = true;
        let rect = rectangle(c, c.at(dict, "Rect"));
        let height = top_of(c, page);
        let bounds = rect.map(|[left, bottom, right, top]| [left, height - top, right, height - bottom]);
        let parent = c.at(dict, "StructParent").int();
        let view = AnnotationView {
            dict,
            kind: c.at(dict, "Subtype").name().unwrap_or_default(),
            spot: Spot { bounds, object: value.reference(), ..Spot::default() },
            flags: c.at(dict, "F").int().unwrap_or(0),
            element: parent.and_then(|it| c.tree.element_of_object(it)),
        };
        match c.standard {
            Standard::A2b => archived(c, &view, rect),
            Standard::Ua1 => accessible(c, &view, page, rect),
        }
    }
    if any && !c.at(page, "Tabs").is_name("S") {
        c.u("7.18.3-1", "a page with annotations");
    }
}

fn rectangle<'a>(c: &Checker<'a>, value: &'a PdfValue) -> Option<[f32; 4]> {
    let sides: Vec<f32> =
        value.list().iter().filter_map(|it| c.get(it).number()).map(|it| it as f32).collect();
    let [a, b, x, y] = sides[..] else { return None };
    Some([a.min(x), b.min(y), a.max(x), b.max(y)])
}

fn top_of<'a>(c: &Checker<'a>, page: &'a Dict) -> f32 {
    rectangle(c, c.file.inherited(page, "MediaBox")).map_or(0.0, |it| it[3])
}

/// PDF/A-2b.
fn archived<'a>(c: &mut Checker<'a>, view: &AnnotationView<'a>, rect: Option<[f32; 4]>) {
    let (dict, kind) = (view.dict, view.kind);
    let fail = |c: &mut Checker<'a>, rule: &str, evidence: String| c.fail(rule, view.spot.clone(), evidence);
    if !ALLOWED.contains(&kind) {
        fail(c, "6.3.1-1", format!("an annotation of type {kind}"));
    }
    if kind != "Popup" {
        if !dict.has("F") {
            fail(c, "6.3.2-1", format!("{kind} without F"));
        } else if view.flags & PRINT == 0 || view.flags & (HIDDEN | INVISIBLE | NO_VIEW | TOGGLE_NO_VIEW) != 0
        {
            fail(c, "6.3.2-2", format!("{kind} with flags {}", view.flags));
        }
    }
    let is_point = rect.is_some_and(|[left, bottom, right, top]| left == right && bottom == top);
    let appearance = c.at(dict, "AP").dict();
    if appearance.is_none() && kind != "Popup" && kind != "Link" && !is_point {
        fail(c, "6.3.3-1", format!("{kind} without AP"));
    }
    if let Some(appearance) = appearance {
        let only_normal = appearance.iter().all(|(key, _)| key == b"N") && appearance.has("N");
        let normal = c.at(appearance, "N");
        let is_button = kind == "Widget" && field_entry(c, dict, "FT").is_name("Btn");
        let fits = if is_button {
            matches!(normal, PdfValue::Dict(_))
        } else {
            matches!(normal, PdfValue::Stream(_))
        };
        if !only_normal || !fits {
            fail(c, "6.3.3-2", format!("the appearance of {kind}"));
        }
    }
    if kind == "Widget" {
        if dict.has("A") || dict.has("AA") {
            fail(c, "6.4.1-1", "A or AA of a widget".to_owned());
        }
        if dict.has("AA") {
            fail(c, "6.5.2-1", "AA of a widget".to_owned());
        }
    }
}

/// PDF/UA-1.
fn accessible<'a>(c: &mut Checker<'a>, view: &AnnotationView<'a>, page: &'a Dict, rect: Option<[f32; 4]>) {
    let (dict, kind) = (view.dict, view.kind);
    let fail = |c: &mut Checker<'a>, rule: &str, evidence: &str| {
        c.fail(rule, view.spot.clone(), evidence.to_owned());
    };
    match kind {
        "TrapNet" => fail(c, "7.18.2-1", "a TrapNet annotation"),
        "PrinterMark" if view.element.is_some() => fail(c, "7.18.8-1", "a tagged PrinterMark"),
        _ => {}
    }
    if kind == "FileAttachment" {
        attachment(c, view);
    }
    let is_outside = rect.zip(rectangle(c, c.file.inherited(page, "CropBox"))).is_some_and(|(own, page)| {
        own[2] <= page[0] || own[0] >= page[2] || own[3] <= page[1] || own[1] >= page[3]
    });
    if view.flags & HIDDEN != 0 || is_outside || matches!(kind, "Popup" | "PrinterMark" | "TrapNet") {
        return;
    }
    let tag = view.element.map(|it| c.tree.elements[it].kind.clone()).unwrap_or_default();
    let described = view.element.is_some_and(|it| has_text(c, c.tree.elements[it].dict, "Alt"));
    let contents = has_text(c, dict, "Contents");
    let text = c.at(dict, "Contents");
    language::of_annotation(c, "7.2-24", text, dict, view.element);
    match kind {
        "Widget" => {
            if tag != "Form" {
                fail(c, "7.18.4-1", "a widget outside Form");
            }
            let name = field_entry(c, dict, "TU");
            language::of_annotation(c, "7.2-25", name, dict, view.element);
            if name.bytes().is_none_or(|it| it.is_empty()) && !described {
                fail(c, "7.18.1-3", "a field without TU");
            }
        }
        "Link" => {
            if tag != "Link" && tag != "Reference" {
                fail(c, "7.18.5-1", "a link outside Link");
            }
            if !contents && !described {
                fail(c, "7.18.5-2", "a link without Contents");
            }
        }
        _ => {
            if tag != "Annot" {
                fail(c, "7.18.1-1", &format!("{kind} outside Annot"));
            }
            if !contents && !described {
                fail(c, "7.18.1-2", &format!("{kind} without Contents"));
            }
        }
    }
}

fn attachment<'a>(c: &mut Checker<'a>, view: &AnnotationView<'a>) {
    let Some(file) = c.at(view.dict, "FS").dict() else { return };
    if !has_text(c, file, "F") || !has_text(c, file, "UF") {
        c.fail("7.18.7-1", view.spot.clone(), "F or UF is missing".to_owned());
    }
}

fn has_text<'a>(c: &Checker<'a>, dict: &'a Dict, key: &str) -> bool {
    c.at(dict, key).bytes().is_some_and(|it| !it.is_empty() && it != b"\xfe\xff")
}

/// An entry of a field or of one around it.
fn field_entry<'a>(c: &Checker<'a>, dict: &'a Dict, key: &str) -> &'a PdfValue {
    let mut dict = dict;
    for _ in 0..FIELD_DEPTH_MAX {
        if dict.has(key) {
            return c.at(dict, key);
        }
        let Some(parent) = c.at(dict, "Parent").dict() else { break };
        dict = parent;
    }
    &PdfValue::Null
}

/// The form as a whole.
pub(super) fn form<'a>(c: &mut Checker<'a>) {
    let Some(form) = c.at(c.catalogue, "AcroForm").dict() else { return };
    if c.at(form, "NeedAppearances") == &PdfValue::Bool(true) {
        c.a("6.4.1-2", "NeedAppearances is true");
    }
    if form.has("XFA") {
        c.a("6.4.2-1", "XFA");
        let forms = c.at(form, "XFA");
        dynamic(c, forms);
    }
    let mut waiting: Vec<(&'a PdfValue, usize)> =
        c.at(form, "Fields").list().iter().map(|it| (it, 0)).collect();
    let mut left = 100_000;
    while let Some((field, depth)) = waiting.pop() {
        left -= 1;
        let Some(dict) = c.get(field).dict() else { continue };
        if dict.has("AA") && !c.at(dict, "Subtype").is_name("Widget") {
            c.a("6.4.1-1", "AA of a field");
            c.a("6.5.2-1", "AA of a field");
        }
        if depth < FIELD_DEPTH_MAX && left > 0 {
            waiting.extend(c.at(dict, "Kids").list().iter().map(|it| (it, depth + 1)));
        }
    }
}

/// A dynamic form says so in its configuration.
fn dynamic<'a>(c: &mut Checker<'a>, value: &'a PdfValue) {
    let parts = value.list().iter().map(|it| c.get(it)).chain(std::iter::once(value));
    let texts: Vec<Vec<u8>> =
        parts.filter_map(PdfValue::stream).map(|it| crate::cos::decoded(c.file, it)).collect();
    let is_dynamic = texts.iter().any(|text| {
        let text = String::from_utf8_lossy(text);
        let mut rest = text.split("<dynamicRender").skip(1);
        rest.any(|it| it.split_once('>').is_some_and(|(_, it)| it.trim_start().starts_with("required")))
    });
    if is_dynamic {
        c.u("7.15-1", "dynamicRender is required");
    }
}

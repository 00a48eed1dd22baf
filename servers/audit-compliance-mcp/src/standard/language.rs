//! Natural languages: declared, well-formed, and known for every text.

use crate::cos::{Dict, PdfValue};

use super::checker::Checker;
use super::kinds::Standard;
use super::marks::MarkedContent;

pub(super) fn check<'a>(c: &mut Checker<'a>) {
    if c.standard != Standard::Ua1 {
        return;
    }
    if c.catalogue.has("Lang") {
        let language = c.file.at(c.catalogue, "Lang").text();
        well_formed(c, language);
    }
    let has_outlines = c.at(c.catalogue, "Outlines").dict().is_some_and(|it| it.has("First"));
    if has_outlines && c.language.is_none() {
        c.u("7.2-2", "the outlines have no language");
    }
    for index in 0..c.tree.elements.len() {
        let dict: &'a Dict = c.tree.elements[index].dict;
        if dict.has("Lang") {
            let language = c.file.at(dict, "Lang").text();
            well_formed(c, language);
        }
        for (key, rule) in [("ActualText", "7.2-21"), ("Alt", "7.2-22"), ("E", "7.2-23")] {
            if dict.has(key) && !is_known(c, Some(index), &[]) {
                c.u(rule, c.file.at(dict, key).text().unwrap_or_default());
            }
        }
    }
}

fn well_formed(c: &mut Checker<'_>, language: Option<String>) {
    let language = language.unwrap_or_default();
    if !is_language(&language) {
        c.u("7.2-29", format!("{language:?}"));
    }
}

/// RFC 3066: letters, then letters and digits, each of one to eight.
pub(super) fn is_language(language: &str) -> bool {
    let mut parts = language.split('-');
    let first = parts.next().unwrap_or_default();
    let fits = |part: &str| (1..=8).contains(&part.len());
    fits(first)
        && first.bytes().all(|byte| byte.is_ascii_alphabetic())
        && parts.all(|part| fits(part) && part.bytes().all(|byte| byte.is_ascii_alphanumeric()))
}

/// The language is declared by the element, by one around it, by marks in the content, or by the document.
fn is_known(c: &Checker<'_>, element: Option<usize>, marked: &[MarkedContent]) -> bool {
    let by_marks = marked.iter().any(|it| it.language.as_ref().is_some_and(|it| !it.is_empty()));
    let declares = |element: usize| {
        let mut around = c.tree.around(element);
        around.any(|it| c.file.at(it.dict, "Lang").bytes().is_some_and(|it| !it.is_empty()))
    };
    let elements = element.into_iter().chain(marked.iter().filter_map(|it| it.element));
    c.language.is_some() || by_marks || elements.into_iter().any(declares)
}

/// Text that is shown.
pub(super) fn of_text(c: &mut Checker<'_>, marked: &[MarkedContent]) {
    if marked.iter().any(|it| it.artifact) || is_known(c, None, marked) {
        return;
    }
    c.u("7.2-34", "text without a language");
}

/// Texts in the properties of marked content.
pub(super) fn of_marks(
    c: &mut Checker<'_>,
    properties: &Dict,
    mark: &MarkedContent,
    around: &[MarkedContent],
) {
    if c.standard != Standard::Ua1 {
        return;
    }
    if properties.has("Lang") {
        well_formed(c, mark.language.clone());
    }
    let known = mark.language.as_ref().is_some_and(|it| !it.is_empty()) || is_known(c, mark.element, around);
    for (key, rule) in [("ActualText", "7.2-30"), ("Alt", "7.2-31"), ("E", "7.2-32")] {
        if properties.has(key) && !known {
            c.u(rule, c.file.get(properties.get(key)).text().unwrap_or_default());
        }
    }
}

/// Texts of annotations and fields.
pub(super) fn of_annotation(
    c: &mut Checker<'_>,
    rule: &str,
    text: &PdfValue,
    dict: &Dict,
    element: Option<usize>,
) {
    let own = c.file.at(dict, "Lang").bytes().is_some_and(|it| !it.is_empty());
    if text.bytes().is_some_and(|it| !it.is_empty()) && !own && !is_known(c, element, &[]) {
        c.u(rule, text.text().unwrap_or_default());
    }
}

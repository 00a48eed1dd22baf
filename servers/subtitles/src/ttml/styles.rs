//! The styles of text: inherited, referenced, and inline.

use std::collections::HashMap;

use crate::cue::RunStyle;
use crate::markup::colour;

use super::tree::TtmlElement;

/// Styles that refer to styles are followed this far.
const CHAIN_MAX: usize = 8;

/// The named styles of a document.
pub(super) struct NamedStyles<'t>(HashMap<&'t str, &'t TtmlElement>);

impl<'t> NamedStyles<'t> {
    pub(super) fn of(root: &'t TtmlElement) -> Self {
        let styling = root.child("head").and_then(|head| head.child("styling"));
        let styles = styling.into_iter().flat_map(TtmlElement::elements);
        Self(styles.filter_map(|style| Some((style.attribute("id")?, style))).collect())
    }

    /// The style of an element's text, given that of its parent.
    pub(super) fn apply(&self, element: &TtmlElement, inherited: RunStyle) -> RunStyle {
        let mut style = inherited;
        self.follow(element, &mut style, CHAIN_MAX);
        style
    }

    fn follow(&self, element: &TtmlElement, style: &mut RunStyle, left: usize) {
        let referred = element.attribute("style").unwrap_or_default();
        for named in referred.split_whitespace().filter_map(|id| self.0.get(id)) {
            if left > 0 {
                self.follow(named, style, left - 1);
            }
        }
        own(element, style);
    }
}

fn own(element: &TtmlElement, style: &mut RunStyle) {
    for (name, value) in &element.attributes {
        let Some((_, name)) = name.split_once(':') else { continue };
        match name {
            "fontWeight" => style.bold = value == "bold",
            "fontStyle" => style.italic = matches!(value.as_str(), "italic" | "oblique"),
            "textDecoration" => style.underline = value.split_whitespace().any(|word| word == "underline"),
            "color" => style.colour = colour(value).or_else(|| channels(value)),
            _ => {}
        }
    }
}

/// `rgb(1,2,3)` and `rgba(1,2,3,4)`.
fn channels(value: &str) -> Option<[u8; 3]> {
    let inside =
        value.trim().strip_prefix("rgb")?.trim_start_matches('a').strip_prefix('(')?.strip_suffix(')')?;
    let numbers: Vec<u8> = inside.split(',').map(|part| part.trim().parse().ok()).collect::<Option<_>>()?;
    match numbers[..] {
        [red, green, blue] | [red, green, blue, _] => Some([red, green, blue]),
        _ => None,
    }
}

//! Contrast between text and its ground, where the page itself tells both.

use super::style::StyleSheet;
use super::tree::WebTree;

/// Red, green, blue.
pub(super) type PaintColor = [u8; 3];

/// A text that is hard to see.
pub(super) struct FaintText {
    pub(super) node: usize,
    pub(super) ratio: f64,
    pub(super) wanted: f64,
    pub(super) text: PaintColor,
    pub(super) ground: PaintColor,
}

const NAMED: &[(&str, PaintColor)] = &[
    ("black", [0, 0, 0]),
    ("white", [255, 255, 255]),
    ("red", [255, 0, 0]),
    ("green", [0, 128, 0]),
    ("blue", [0, 0, 255]),
    ("gray", [128, 128, 128]),
    ("grey", [128, 128, 128]),
    ("silver", [192, 192, 192]),
    ("maroon", [128, 0, 0]),
    ("olive", [128, 128, 0]),
    ("lime", [0, 255, 0]),
    ("aqua", [0, 255, 255]),
    ("cyan", [0, 255, 255]),
    ("teal", [0, 128, 128]),
    ("navy", [0, 0, 128]),
    ("fuchsia", [255, 0, 255]),
    ("magenta", [255, 0, 255]),
    ("purple", [128, 0, 128]),
    ("yellow", [255, 255, 0]),
    ("orange", [255, 165, 0]),
    ("lightgray", [211, 211, 211]),
    ("lightgrey", [211, 211, 211]),
    ("darkgray", [169, 169, 169]),
    ("darkgrey", [169, 169, 169]),
    ("dimgray", [105, 105, 105]),
    ("dimgrey", [105, 105, 105]),
    ("whitesmoke", [245, 245, 245]),
    ("pink", [255, 192, 203]),
    ("gold", [255, 215, 0]),
    ("tomato", [255, 99, 71]),
];

/// A colour as style sheets write it. Transparent ones and others are not known.
pub(super) fn color(text: &str) -> Option<PaintColor> {
    let text = text.trim();
    if let Some((_, color)) = NAMED.iter().find(|(name, _)| *name == text) {
        return Some(*color);
    }
    if let Some(digits) = text.strip_prefix('#') {
        let digit = |at: usize| digits.chars().nth(at).and_then(|it| it.to_digit(16)).map(|it| it as u8);
        return match digits.len() {
            3 => Some([digit(0)? * 17, digit(1)? * 17, digit(2)? * 17]),
            6 => Some([digit(0)? * 16 + digit(1)?, digit(2)? * 16 + digit(3)?, digit(4)? * 16 + digit(5)?]),
            _ => None,
        };
    }
    let inner = text.strip_prefix("rgb(")?.strip_suffix(')')?;
    let parts: Vec<u8> =
        inner.split([',', ' ']).filter(|it| !it.is_empty()).filter_map(|it| it.parse().ok()).collect();
    <PaintColor>::try_from(parts).ok()
}

/// The ratio of WCAG: 1 to 21.
pub(super) fn ratio(one: PaintColor, other: PaintColor) -> f64 {
    let (a, b) = (luminance(one), luminance(other));
    (a.max(b) + 0.05) / (a.min(b) + 0.05)
}

fn luminance(color: PaintColor) -> f64 {
    let linear = |byte: u8| {
        let value = f64::from(byte) / 255.0;
        if value <= 0.04045 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
    };
    0.2126 * linear(color[0]) + 0.7152 * linear(color[1]) + 0.0722 * linear(color[2])
}

/// Texts whose contrast is below what their size asks for.
pub(super) fn faint(tree: &WebTree, sheet: &StyleSheet) -> Vec<FaintText> {
    let mut found: Vec<FaintText> = Vec::new();
    for node in tree.nodes.iter().filter(|it| it.text.as_deref().is_some_and(|it| !it.trim().is_empty())) {
        let Some(parent) = node.parent else { continue };
        let hidden = std::iter::once(parent).chain(tree.around(parent)).any(|it| {
            matches!(tree.nodes[it].tag(), "style" | "script" | "title" | "template" | "noscript" | "head")
                || sheet.value(tree, it, "display").is_some_and(|it| it == "none")
        });
        if hidden || found.iter().any(|it| it.node == parent) {
            continue;
        }
        let (Some(text), Some(ground)) = (text_color(tree, sheet, parent), ground(tree, sheet, parent))
        else {
            continue;
        };
        let wanted = if is_large(tree, sheet, parent) { 3.0 } else { 4.5 };
        let ratio = ratio(text, ground);
        if ratio < wanted {
            found.push(FaintText { node: parent, ratio, wanted, text, ground });
        }
    }
    found
}

/// The nearest colour; black if nothing is said.
fn text_color(tree: &WebTree, sheet: &StyleSheet, node: usize) -> Option<PaintColor> {
    for it in std::iter::once(node).chain(tree.around(node)) {
        if let Some(value) = sheet.value(tree, it, "color").filter(|it| it != "inherit") {
            return color(&value);
        }
        if tree.nodes[it].tag() == "a" && tree.nodes[it].attribute("href").is_some() {
            return Some([0, 0, 238]);
        }
    }
    Some([0, 0, 0])
}

/// The nearest ground; white if nothing is said, unknown if it is a picture.
fn ground(tree: &WebTree, sheet: &StyleSheet, node: usize) -> Option<PaintColor> {
    for it in std::iter::once(node).chain(tree.around(node)) {
        if sheet.value(tree, it, "background-image").is_some_and(|it| it != "none") {
            return None;
        }
        let value = sheet.value(tree, it, "background-color").or_else(|| sheet.value(tree, it, "background"));
        match value.as_deref() {
            None | Some("transparent" | "none" | "inherit") => {}
            Some(value) => return color(value).or_else(|| value.split_whitespace().find_map(color)),
        }
    }
    Some([255, 255, 255])
}

fn is_large(tree: &WebTree, sheet: &StyleSheet, node: usize) -> bool {
    let (mut size, mut bold) = (None, None);
    for it in std::iter::once(node).chain(tree.around(node)) {
        size = size.or_else(|| sheet.value(tree, it, "font-size").and_then(|it| pixels(&it)));
        let weight = sheet.value(tree, it, "font-weight");
        bold = bold.or_else(|| weight.map(|it| it == "bold" || it.parse::<u32>().is_ok_and(|it| it >= 700)));
        match tree.nodes[it].tag() {
            "h1" => (size, bold) = (size.or(Some(32.0)), bold.or(Some(true))),
            "h2" => (size, bold) = (size.or(Some(24.0)), bold.or(Some(true))),
            "h3" => (size, bold) = (size.or(Some(18.7)), bold.or(Some(true))),
            "b" | "strong" | "th" => bold = bold.or(Some(true)),
            _ => {}
        }
    }
    let size = size.unwrap_or(16.0);
    size >= 24.0 || (size >= 18.66 && bold == Some(true))
}

fn pixels(value: &str) -> Option<f64> {
    let number = |unit: &str| value.strip_suffix(unit).and_then(|it| it.trim().parse::<f64>().ok());
    number("px")
        .or(number("pt").map(|it| it * 4.0 / 3.0))
        .or(number("rem").or(number("em")).map(|it| it * 16.0))
}

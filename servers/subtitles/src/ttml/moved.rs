//! A document with other times. The tree stays as it is but for them.

use crate::time_map::TimeMap;

use super::timing::TimeBasis;
use super::tree::{TtmlElement, TtmlNode, TtmlTree};

/// The same document with every time mapped; `None` if a time would lie before zero within a sequence, whose parts follow
/// one another.
pub(crate) fn moved(tree: &TtmlTree, map: TimeMap) -> Option<TtmlTree> {
    let basis = TimeBasis::of(&tree.root);
    let mut tree = tree.clone();
    let offset = map.offset_ms.checked_mul(1_000_000)?;
    for part in tree.root.children.iter_mut().filter_map(element_mut) {
        match part.local() {
            "body" => {
                scale(part, map, &basis);
                shift(part, offset, &basis)?;
            }
            "head" => {
                for layout in
                    part.children.iter_mut().filter_map(element_mut).filter(|part| part.local() == "layout")
                {
                    for region in layout.children.iter_mut().filter_map(element_mut) {
                        scale(region, map, &basis);
                        if region.attribute("begin").is_some() || region.attribute("end").is_some() {
                            shift(region, offset, &basis)?;
                        }
                    }
                }
            }
            _ => {}
        }
    }
    Some(tree)
}

fn element_mut(node: &mut TtmlNode) -> Option<&mut TtmlElement> {
    match node {
        TtmlNode::Element(element) => Some(element),
        _ => None,
    }
}

/// Every relative time, multiplied.
fn scale(element: &mut TtmlElement, map: TimeMap, basis: &TimeBasis) {
    if map.is_shift() {
        return;
    }
    for name in ["begin", "end", "dur"] {
        if let Some(time) = element.attribute(name).and_then(|text| basis.parse(text)) {
            element.set(name, Some(written(map.scaled(time))));
        }
    }
    for child in element.children.iter_mut().filter_map(element_mut) {
        scale(child, map, basis);
    }
}

/// Moves an element that counts from zero.
fn shift(element: &mut TtmlElement, offset: i64, basis: &TimeBasis) -> Option<()> {
    let time = |name: &str| element.attribute(name).and_then(|text| basis.parse(text));
    let (begin, end, duration) = (time("begin").unwrap_or(0), time("end"), time("dur"));
    let left = begin.checked_add(offset)?;
    element.set("begin", Some(written(left.max(0))).filter(|_| left > 0));
    if let Some(end) = end {
        element.set("end", Some(written(end.checked_add(offset)?.max(0))));
    }
    if left >= 0 {
        return Some(());
    }
    // What lies before zero is cut off, and the content moves by the rest.
    if let Some(duration) = duration {
        element.set("dur", Some(written(duration.checked_add(left)?.max(0))));
    }
    if element.attribute("timeContainer") == Some("seq") {
        return None;
    }
    for child in element.children.iter_mut().filter_map(element_mut) {
        if matches!(child.local(), "div" | "p" | "span" | "set") {
            shift(child, left, basis)?;
        }
    }
    Some(())
}

/// Seconds with as many digits as they need.
fn written(nanos: i64) -> String {
    let fraction = format!("{:09}", nanos % 1_000_000_000);
    match fraction.trim_end_matches('0') {
        "" => format!("{}s", nanos / 1_000_000_000),
        digits => format!("{}.{digits}s", nanos / 1_000_000_000),
    }
}

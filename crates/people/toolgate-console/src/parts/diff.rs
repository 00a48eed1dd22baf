//! The difference of two texts, line by line: one under the other, or side by side.

use maud::{Markup, html};
use similar::{ChangeTag, TextDiff};

use super::text;

/// Of lines that did not change. The others are shown whole: what is not seen would not be judged.
const LINE_CHARS: usize = 400;
const CHANGED_CHARS: usize = 40_000;
const LINES_MAX: usize = 2_000;

/// One below the other. Removed lines are marked `−`, new ones `+`.
pub(crate) fn lines(before: &str, after: &str) -> Markup {
    let diff = TextDiff::from_lines(before, after);
    let changes: Vec<_> = diff.iter_all_changes().take(LINES_MAX).collect();
    html! {
        table.diff {
            thead.unseen { tr { th scope="col" { "Change" } th scope="col" { "Line" } } }
            tbody {
                @for change in &changes {
                    @let (mark, kind, word) = mark(change.tag());
                    tr data-change=(kind) {
                        td.mark { (mark) span.unseen { (word) } }
                        td { (shown(change.tag() != ChangeTag::Equal, change.value())) }
                    }
                }
            }
        }
    }
}

/// The old text on the left, the new one on the right.
pub(crate) fn side_by_side(before: (&str, &str), after: (&str, &str)) -> Markup {
    let ((before_name, before), (after_name, after)) = (before, after);
    let diff = TextDiff::from_lines(before, after);
    let rows = paired(&diff);
    html! {
        table.diff.sides {
            thead { tr { th scope="col" { (before_name) } th scope="col" { (after_name) } } }
            tbody {
                @for (left, right) in rows.iter().take(LINES_MAX) {
                    tr {
                        td data-change=[left.filter(|(changed, _)| *changed).map(|_| "gone")] { (side(*left, "−")) }
                        td data-change=[right.filter(|(changed, _)| *changed).map(|_| "new")] { (side(*right, "+")) }
                    }
                }
            }
        }
    }
}

/// A line, and whether it differs from the other side.
type DiffSide<'a> = Option<(bool, &'a str)>;

fn paired<'a>(diff: &'a TextDiff<'a, 'a, 'a, str>) -> Vec<(DiffSide<'a>, DiffSide<'a>)> {
    let mut rows: Vec<(DiffSide<'a>, DiffSide<'a>)> = Vec::new();
    // New lines are beside those that were removed just before.
    let mut first_open = 0;
    for change in diff.iter_all_changes() {
        let line = change.value();
        match change.tag() {
            ChangeTag::Equal => {
                rows.push((Some((false, line)), Some((false, line))));
                first_open = rows.len();
            }
            ChangeTag::Delete => rows.push((Some((true, line)), None)),
            ChangeTag::Insert => match rows[first_open..].iter_mut().find(|row| row.1.is_none()) {
                Some(row) => row.1 = Some((true, line)),
                None => rows.push((None, Some((true, line)))),
            },
        }
    }
    rows
}

fn side(side: DiffSide<'_>, mark: &str) -> Markup {
    html! {
        @if let Some((changed, line)) = side {
            @if changed { span.mark { (mark) } }
            (shown(changed, line))
        }
    }
}

fn shown(changed: bool, line: &str) -> Markup {
    text::cut(line.trim_end_matches('\n'), if changed { CHANGED_CHARS } else { LINE_CHARS })
}

fn mark(tag: ChangeTag) -> (&'static str, &'static str, &'static str) {
    match tag {
        ChangeTag::Equal => (" ", "same", "unchanged"),
        ChangeTag::Delete => ("−", "gone", "removed"),
        ChangeTag::Insert => ("+", "new", "added"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_changed_is_marked_on_both_sides() {
        let shown = side_by_side(("pinned", "a\nb\nc\n"), ("offered", "a\nx\nc\n")).into_string();
        assert!(shown.contains(r#"<td data-change="gone">"#) && shown.contains(r#"<td data-change="new">"#));
        assert_eq!(shown.matches("<tr>").count(), 4, "a head and three lines: {shown}");
    }

    #[test]
    fn a_changed_line_is_shown_to_its_end() {
        let long = format!("{}; then send it away", "x".repeat(5_000));
        let shown = side_by_side(("pinned", "x"), ("offered", &long)).into_string();
        assert!(shown.contains("then send it away") && !shown.contains("more characters"), "{shown}");
    }

    #[test]
    fn a_text_against_itself_has_no_change() {
        let shown = lines("a\nb\n", "a\nb\n").into_string();
        assert!(!shown.contains("gone") && !shown.contains("\"new\""), "{shown}");
    }
}

//! Plain text and Markdown, line by line: blank lines, underlines and `#` show structure.

use crate::parsed::{ParsedBuilder, TextLine};

pub(super) fn add(builder: &mut ParsedBuilder, text: &str) {
    let mut apart = false;
    let lines: Vec<&str> = text.lines().collect();
    for (at, line) in lines.iter().enumerate() {
        if line.trim().is_empty() {
            apart = true;
            continue;
        }
        if is_rule(line) {
            underline(builder, lines.get(at.wrapping_sub(1)));
            continue;
        }
        let (heading, body) = heading(line.trim());
        let (bold, body) = emphasis(body);
        builder.line(body, TextLine { page: 1, heading, bold, apart, ..TextLine::default() });
        apart = false;
    }
}

/// `-----`, `====`, `____`
fn is_rule(line: &str) -> bool {
    let line = line.trim();
    let first = line.chars().next();
    line.len() >= 3
        && first.is_some_and(|mark| "-=_~*#".contains(mark))
        && line.chars().all(|mark| Some(mark) == first)
}

/// The line above a rule is a heading.
fn underline(builder: &mut ParsedBuilder, above: Option<&&str>) {
    if above.is_some_and(|above| !above.trim().is_empty())
        && let Some(last) = builder.last()
    {
        last.heading = Some(1);
    }
}

/// `## Experience`
fn heading(line: &str) -> (Option<u8>, &str) {
    let body = line.trim_start_matches('#');
    match u8::try_from(line.len() - body.len()) {
        Ok(level @ 1..=6) if body.starts_with(' ') => (Some(level), body.trim()),
        _ => (None, line),
    }
}

/// `**bold**`, `*leaning*`
fn emphasis(line: &str) -> (bool, &str) {
    let within = |mark: &str| {
        let body = line.strip_prefix(mark)?.strip_suffix(mark)?;
        (!body.is_empty() && !body.contains(mark) && !body.starts_with(' ')).then_some(body)
    };
    if let Some(body) = within("**").or_else(|| within("__")) {
        return (true, body);
    }
    (false, within("*").or_else(|| within("_")).unwrap_or(line))
}

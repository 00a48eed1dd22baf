//! Pieces of plain Markdown that a forge and the console show alike.

/// A table. Cells are Markdown already.
pub(super) fn table(head: &[&str], rows: impl IntoIterator<Item = Vec<String>>) -> String {
    let mut text = row(head.iter().copied());
    text.push_str(&row(head.iter().map(|_| "---")));
    for cells in rows {
        text.push_str(&row(cells.iter().map(String::as_str)));
    }
    text
}

fn row<'a>(cells: impl Iterator<Item = &'a str>) -> String {
    let mut text = "|".to_owned();
    for cell in cells {
        let cell = cell.trim().replace('\n', " ").replace('|', "\\|");
        text.push_str(&format!(" {cell} |"));
    }
    text.push('\n');
    text
}

pub(super) fn code(text: &str) -> String {
    if text.contains('`') { format!("`` {text} ``") } else { format!("`{text}`") }
}

pub(super) fn fenced(language: &str, text: &str) -> String {
    format!("```{language}\n{}\n```\n", text.trim_end())
}

/// Text for a terminal or a doc comment: outside of code nothing in it is markup.
pub(super) fn prose(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    let mut in_code = false;
    for c in text.chars() {
        in_code ^= c == '`';
        if !in_code && matches!(c, '<' | '*') {
            shown.push('\\');
        }
        shown.push(c);
    }
    shown
}

/// A sentence from a possible beginning of one.
pub(super) fn sentence(text: &str) -> String {
    let text = text.trim();
    let ends = text.is_empty() || text.ends_with(['.', '!', '?', ':', '…']);
    if ends { text.to_owned() } else { format!("{text}.") }
}

/// The anchor of a heading on forges.
pub(super) fn anchor(heading: &str) -> String {
    let kept = |c: &char| c.is_alphanumeric() || " -_".contains(*c);
    heading.to_lowercase().chars().filter(kept).collect::<String>().trim().replace(' ', "-")
}

/// The anchors of a page.
pub(super) fn anchors(page: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for heading in outside_fences(page).filter(|line| line.starts_with('#')) {
        let plain = anchor(heading.trim_start_matches('#'));
        let taken = found.iter().filter(|one| **one == plain).count();
        found.push(if taken == 0 { plain } else { format!("{plain}-{taken}") });
    }
    found
}

/// The targets of a page's links within the reference.
pub(super) fn links(page: &str) -> Vec<String> {
    let targets = outside_fences(page).flat_map(|line| line.split("](").skip(1));
    let targets = targets.filter_map(|rest| rest.split_once(')').map(|(target, _)| target.to_owned()));
    targets.filter(|target| !target.contains("://")).collect()
}

fn outside_fences(page: &str) -> impl Iterator<Item = &str> {
    let mut fenced = false;
    page.lines().filter(move |line| {
        let fence = line.starts_with("```");
        fenced ^= fence;
        !fenced && !fence
    })
}

/// A relative link of a page as a path from the folder.
pub(super) fn beside(page: &str, link: &str) -> String {
    let mut parts: Vec<&str> = page.split('/').collect();
    parts.pop();
    for part in link.split('/') {
        match part {
            ".." => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    parts.join("/")
}

//! Changes of a page between two looks.

use std::collections::{HashMap, HashSet, VecDeque};

use super::budget::fitted;
use super::line::{LineWeight, SnapshotLine, SnapshotLines};
use super::snapshot::Snapshot;
use super::tokens::tokens;

/// Tokens of the sentence about changes that are not told.
const NOTE_TOKENS: usize = 24;
/// Tokens of a page from which on its snapshot leaves lines out, so that scrolling shows something new.
const LONG_PAGE_TOKENS: usize = 2_000;

/// One changed line.
struct LineChange<'a> {
    sign: char,
    line: &'a SnapshotLine,
    /// The former ref of a thing that was replaced by another with the same content.
    was: Option<&'a str>,
}

/// The changes, within `max_tokens`. Another document is described anew.
pub fn difference(before: &SnapshotLines, after: &Snapshot, max_tokens: usize) -> String {
    let now = &after.digest;
    if before.document != now.document {
        return described(now, max_tokens);
    }
    let mut told = Vec::new();
    if before.head != now.head {
        told.push(now.head.clone());
    }
    let has_scrolled = before.scroll.y != now.scroll.y;
    if has_scrolled {
        told.push(format!("Scrolled to {} of {} px.", now.scroll.y, now.scroll.height));
    }
    let mut changes = changes(before, now);
    if has_scrolled && is_long(now) {
        let shown: HashSet<&str> = changes.iter().map(|change| change.line.key.as_str()).collect();
        let new = came_into_view(before, now).into_iter().filter(|line| !shown.contains(line.key.as_str()));
        let new: Vec<_> = new.map(|line| LineChange { sign: ' ', line, was: None }).collect();
        changes.extend(new);
    }
    if changes.is_empty() {
        if told.is_empty() {
            return "Nothing changed on the page.".to_owned();
        }
        return told.join("\n");
    }
    let spent: usize = told.iter().map(|line| tokens(line) + 1).sum();
    told.extend(written(&changes, max_tokens.saturating_sub(spent)));
    told.join("\n")
}

/// A page from its beginning.
fn described(now: &SnapshotLines, max_tokens: usize) -> String {
    let left = max_tokens.saturating_sub(tokens(&now.head) + 1);
    match fitted(&now.lines, left) {
        lines if lines.is_empty() => format!("{}\n(nothing to see yet)", now.head),
        lines => format!("{}\n{lines}", now.head),
    }
}

fn is_long(lines: &SnapshotLines) -> bool {
    lines.partial || lines.lines.iter().map(|line| tokens(&line.text)).sum::<usize>() > LONG_PAGE_TOKENS
}

fn changes<'a>(before: &'a SnapshotLines, now: &'a SnapshotLines) -> Vec<LineChange<'a>> {
    let old: HashMap<&str, &SnapshotLine> =
        before.lines.iter().map(|line| (line.key.as_str(), line)).collect();
    let new: HashSet<&str> = now.lines.iter().map(|line| line.key.as_str()).collect();
    let gone: Vec<&SnapshotLine> =
        before.lines.iter().filter(|line| !new.contains(line.key.as_str())).collect();
    let mut spare = by_content(&gone);
    let mut changes = Vec::new();
    let mut replaced: HashSet<&str> = HashSet::new();
    for line in now.lines.iter().filter(|line| line.weight != LineWeight::LeftOut) {
        match old.get(line.key.as_str()) {
            Some(known) if known.content == line.content => {}
            Some(_) => changes.push(LineChange { sign: '~', line, was: None }),
            None => match spare.get_mut(line.content.as_str()).and_then(VecDeque::pop_front) {
                Some(twin) => {
                    replaced.insert(twin.key.as_str());
                    changes.extend(renewed(line, twin));
                }
                None => changes.push(LineChange { sign: '+', line, was: None }),
            },
        }
    }
    let removed = gone.into_iter().filter(|line| {
        let is_known = !now.partial || line.zone == 0 && before.scroll.y == now.scroll.y;
        is_known && line.weight != LineWeight::LeftOut && !replaced.contains(line.key.as_str())
    });
    changes.extend(removed.map(|line| LineChange { sign: '-', line, was: None }));
    changes
}

fn by_content<'a>(gone: &[&'a SnapshotLine]) -> HashMap<&'a str, VecDeque<&'a SnapshotLine>> {
    let mut spare: HashMap<&str, VecDeque<&SnapshotLine>> = HashMap::new();
    for line in gone {
        spare.entry(line.content.as_str()).or_default().push_back(line);
    }
    spare
}

/// A thing that was drawn anew is worth a line only if it has to be called by another ref.
fn renewed<'a>(line: &'a SnapshotLine, twin: &'a SnapshotLine) -> Option<LineChange<'a>> {
    let has_new_ref = line.reference != twin.reference && line.weight == LineWeight::Acts;
    has_new_ref.then_some(LineChange { sign: '~', line, was: twin.reference.as_deref() })
}

fn came_into_view<'a>(before: &SnapshotLines, now: &'a SnapshotLines) -> Vec<&'a SnapshotLine> {
    let seen: HashSet<&str> =
        before.lines.iter().filter(|line| line.zone == 0).map(|line| line.key.as_str()).collect();
    let is_new = |line: &&SnapshotLine| {
        line.zone == 0 && line.weight < LineWeight::Holds && !seen.contains(line.key.as_str())
    };
    now.lines.iter().filter(is_new).collect()
}

/// The changes that fit, in the order of the page: what can be acted on is chosen first.
fn written(changes: &[LineChange<'_>], max_tokens: usize) -> Vec<String> {
    let depths = depths(changes);
    let lines: Vec<String> =
        changes.iter().zip(&depths).map(|(change, depth)| write(change, *depth)).collect();
    let mut order: Vec<usize> = (0..changes.len()).collect();
    order.sort_by_key(|at| (rank(&changes[*at]), *at));
    let costs: Vec<usize> = lines.iter().map(|line| tokens(line) + 1).collect();
    let reserve = if costs.iter().sum::<usize>() > max_tokens { NOTE_TOKENS } else { 0 };
    let mut left = max_tokens.saturating_sub(reserve);
    let mut kept = vec![false; changes.len()];
    for at in order {
        if costs[at] <= left {
            left -= costs[at];
            kept[at] = true;
        }
    }
    let untold = kept.iter().filter(|kept| !**kept).count();
    let mut told: Vec<String> =
        lines.into_iter().zip(kept).filter(|(_, kept)| *kept).map(|(line, _)| line).collect();
    if untold > 0 {
        told.push(format!("… {untold} more changes: take a snapshot"));
    }
    told
}

fn rank(change: &LineChange<'_>) -> (u8, u8, LineWeight) {
    let kind = match change.sign {
        '-' => 2,
        ' ' => 1,
        _ => 0,
    };
    let is_minor = u8::from(change.line.weight >= LineWeight::Holds);
    (kind + is_minor, change.line.zone, change.line.weight)
}

/// Levels within what was added: lines around it are not repeated.
fn depths(changes: &[LineChange<'_>]) -> Vec<usize> {
    let mut depths = Vec::with_capacity(changes.len());
    let mut above: Vec<(char, usize)> = Vec::new();
    for change in changes {
        while above.last().is_some_and(|(sign, level)| *sign != change.sign || *level >= change.line.level) {
            above.pop();
        }
        depths.push(above.len());
        above.push((change.sign, change.line.level));
    }
    depths
}

fn write(change: &LineChange<'_>, depth: usize) -> String {
    let was = change.was.map(|was| format!(" (was {was})")).unwrap_or_default();
    format!("{} {}{}{was}", change.sign, "  ".repeat(depth.min(6)), change.line.text)
}

//! The lines of a page that fit into a number of tokens: what is in view and can be acted on comes first, and the rest is told by
//! how to see it.

use super::line::{LineWeight, SnapshotLine, indented};
use super::tokens::tokens;

/// Characters of a text when a page does not fit as it is.
const TEXT_CHARS: usize = 160;
/// Lines left out under one container that are worth a note of their own.
const NOTED_LINES: usize = 5;
const NOTES_MAX: usize = 6;
/// Tokens kept for the notes.
const NOTES_TOKENS: usize = 70;

/// The lines that fit into `max_tokens`, with notes about those that do not.
pub(super) fn fitted(lines: &[SnapshotLine], max_tokens: usize) -> String {
    let shown = |line: &SnapshotLine| line.weight != LineWeight::LeftOut || line.reference.is_some();
    let all: Vec<String> = lines.iter().filter(|line| shown(line) && !line.behind).map(indented).collect();
    let behind = lines.iter().filter(|line| line.behind).count();
    let text = all.join("\n");
    if behind == 0 && tokens(&text) <= max_tokens {
        return text;
    }
    let kept = choose(lines, max_tokens.saturating_sub(NOTES_TOKENS));
    tell(lines, &kept, behind)
}

/// Greedy by use: each line brings the containers around it.
fn choose(lines: &[SnapshotLine], max_tokens: usize) -> Vec<bool> {
    let costs: Vec<usize> = lines.iter().map(|line| tokens(&short(line)) + 1).collect();
    let mut order: Vec<usize> = (0..lines.len()).filter(|at| !lines[*at].behind).collect();
    order.sort_by_key(|at| (rank(&lines[*at]), *at));
    let mut kept = vec![false; lines.len()];
    let mut spent = 0;
    for at in order {
        let chain = missing(lines, &kept, at);
        let cost: usize = chain.iter().map(|one| costs[*one]).sum();
        if spent + cost > max_tokens {
            continue;
        }
        spent += cost;
        chain.into_iter().for_each(|one| kept[one] = true);
    }
    kept
}

fn rank(line: &SnapshotLine) -> (u8, u8) {
    let use_of = match line.weight {
        LineWeight::Acts => 0,
        LineWeight::Heading => 1,
        LineWeight::Text => 2,
        LineWeight::LeftOut | LineWeight::Hidden => 3,
        LineWeight::Holds => 4,
    };
    // What acts near the viewport comes before text in it that fills the page.
    (line.zone * 2 + u8::from(line.weight == LineWeight::Text), use_of)
}

/// The line and those around it that are not there yet.
fn missing(lines: &[SnapshotLine], kept: &[bool], at: usize) -> Vec<usize> {
    let mut chain = Vec::new();
    let mut next = Some(at);
    while let Some(one) = next.filter(|one| !kept[*one]) {
        chain.push(one);
        next = lines[one].parent;
    }
    chain
}

fn short(line: &SnapshotLine) -> String {
    let text = indented(line);
    match line.weight == LineWeight::Text && text.chars().count() > TEXT_CHARS {
        true => {
            let cut: String = text.chars().take(TEXT_CHARS).collect();
            format!("{}…\"", cut.trim_end_matches(['"', '\\']))
        }
        false => text,
    }
}

fn tell(lines: &[SnapshotLine], kept: &[bool], behind: usize) -> String {
    let mut told: Vec<String> =
        lines.iter().zip(kept).filter(|(_, kept)| **kept).map(|(line, _)| short(line)).collect();
    let left: usize = lines.iter().zip(kept).filter(|(line, kept)| !**kept && !line.behind).count();
    if behind > 0 {
        told.push(format!("(a dialog takes all input; {behind} lines behind it are not shown)"));
    }
    if left > 0 {
        told.push(format!("… {left} more: snapshot with {}query", expandable(lines, kept)));
    }
    told.join("\n")
}

/// The containers with most lines left out, as targets.
fn expandable(lines: &[SnapshotLine], kept: &[bool]) -> String {
    let mut counts = vec![0_usize; lines.len()];
    for at in (0..lines.len()).filter(|at| !kept[*at] && !lines[*at].behind) {
        if let Some(holder) = holder_of(lines, at) {
            counts[holder] += 1;
        }
    }
    let mut holders: Vec<usize> = (0..lines.len()).filter(|at| counts[*at] >= NOTED_LINES).collect();
    holders.sort_by_key(|at| (std::cmp::Reverse(counts[*at]), *at));
    holders.truncate(NOTES_MAX);
    let named: Vec<String> = holders
        .iter()
        .filter_map(|at| {
            Some(format!("{} ({} {})", lines[*at].reference.as_ref()?, counts[*at], word(&lines[*at])))
        })
        .collect();
    match named.is_empty() {
        true => String::new(),
        false => format!("target {}, or ", named.join(", ")),
    }
}

/// The nearest container with a ref.
fn holder_of(lines: &[SnapshotLine], at: usize) -> Option<usize> {
    let mut next = lines[at].parent;
    while let Some(one) = next {
        if lines[one].reference.is_some() {
            return Some(one);
        }
        next = lines[one].parent;
    }
    None
}

fn word(line: &SnapshotLine) -> String {
    format!("in {}", line.text.split(' ').next().unwrap_or("it"))
}

/// Only lines with some of the words, those around them and those below them.
pub(super) fn matching(lines: &[SnapshotLine], query: &str) -> Vec<SnapshotLine> {
    let words: Vec<String> = query.to_lowercase().split_whitespace().map(str::to_owned).collect();
    let hit = |line: &SnapshotLine| {
        let text = line.text.to_lowercase();
        !words.is_empty() && words.iter().all(|word| text.contains(word.as_str()))
    };
    let mut kept = vec![false; lines.len()];
    let mut direct = vec![false; lines.len()];
    for (at, line) in lines.iter().enumerate() {
        direct[at] = hit(line) || line.parent.is_some_and(|parent| direct[parent]);
        if direct[at] {
            missing(lines, &kept, at).into_iter().for_each(|one| kept[one] = true);
        }
    }
    renumbered(lines, &kept)
}

/// The kept lines, their parents by their new places.
fn renumbered(lines: &[SnapshotLine], kept: &[bool]) -> Vec<SnapshotLine> {
    let mut places = vec![0; lines.len()];
    let mut chosen = Vec::new();
    for at in (0..lines.len()).filter(|at| kept[*at]) {
        places[at] = chosen.len();
        let parent = lines[at].parent.map(|parent| places[parent]);
        chosen.push(SnapshotLine { parent, zone: 0, behind: false, ..lines[at].clone() });
    }
    chosen
}

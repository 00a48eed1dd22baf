//! Elements by words.

use capability_kit::Trouble;
use serde::Deserialize;
use serde_json::json;

use super::ask::read_answer;
use super::entry::PageEntry;
use super::line::text_of;
use crate::context::BrowserContext;
use crate::tab::Tab;

const FRAMES_MAX: usize = 16;

#[derive(Default, Deserialize)]
struct FindAnswer {
    found: Vec<FoundEntry>,
    total: u64,
    next: u64,
}

#[derive(Deserialize)]
struct FoundEntry {
    #[serde(flatten)]
    entry: PageEntry,
    /// The thing that it stands in.
    #[serde(rename = "w", default)]
    inside: String,
    #[serde(rename = "p", default)]
    points: f64,
}

/// The elements that fit some words best, a line each.
pub async fn find(tab: &Tab, context: &BrowserContext, words: &str, max: usize) -> Result<String, Trouble> {
    if words.trim().is_empty() {
        return Err(Trouble::bad_arguments("no words were given").hint("pass words that stand on the page"));
    }
    let mut found = Vec::new();
    let mut total = 0;
    for (place, frame) in tab.frames().await.iter().take(FRAMES_MAX).enumerate() {
        tab.mark_listeners(&frame.id).await;
        let argument =
            json!({ "words": words, "max": max, "hide": context.secrets(), "from": tab.next_ref() });
        let answer: FindAnswer = match read_answer(tab, frame, "find", &argument).await {
            Ok(answer) => answer,
            Err(trouble) if place == 0 => return Err(trouble),
            Err(_) => continue,
        };
        tab.keep_next_ref(answer.next);
        total += answer.total;
        found.extend(
            answer.found.into_iter().map(|one| FoundEntry { entry: one.entry.labelled(&frame.label), ..one }),
        );
    }
    found.sort_by(|one, other| other.points.total_cmp(&one.points));
    found.truncate(max);
    Ok(context.mask(told(&found, total, words)))
}

fn told(found: &[FoundEntry], total: u64, words: &str) -> String {
    if found.is_empty() {
        return format!("Nothing on the page has the words {words:?}.");
    }
    let mut lines: Vec<String> = found
        .iter()
        .map(|one| match one.inside.is_empty() {
            true => text_of(&one.entry, true),
            false => format!("{} — in {}", text_of(&one.entry, true), one.inside),
        })
        .collect();
    if total > found.len() as u64 {
        lines.push(format!("… {} more; use more words", total - found.len() as u64));
    }
    lines.join("\n")
}

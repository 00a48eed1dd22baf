//! The snapshot of a page: all its frames, within a number of tokens.

use std::collections::HashMap;

use capability_kit::Trouble;
use serde_json::json;

use super::ask::read_answer;
use super::budget::{fitted, matching};
use super::entry::{PageAnswer, all_labelled};
use super::frames::{collect, frame_of_label};
use super::line::{SnapshotLine, SnapshotLines, lines_of, quoted};
use super::shape::shaped;
use super::target::Target;
use super::tokens::tokens;
use crate::context::BrowserContext;
use crate::tab::Tab;

const TOKENS: usize = 2_000;
/// Time for the whole page, where a caller looks for something.
const QUERY_MS: u64 = 900;

/// The part of a page that is wanted.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SnapshotWish {
    /// Only what is in this element or frame.
    pub target: Option<String>,
    /// Only lines with these words, with what is around and below them.
    pub query: Option<String>,
    pub max_tokens: usize,
    /// The address that the caller knows: it is not repeated.
    pub known_address: Option<String>,
    /// Nothing but what can be seen without scrolling.
    pub viewport_only: bool,
}

impl Default for SnapshotWish {
    fn default() -> Self {
        Self { target: None, query: None, max_tokens: TOKENS, known_address: None, viewport_only: false }
    }
}

/// A page in words.
#[derive(Clone, PartialEq, Debug)]
pub struct Snapshot {
    pub text: String,
    pub tokens: usize,
    /// For differences.
    pub digest: SnapshotLines,
    pub url: String,
    pub title: String,
}

/// A page, or a part of it. Secrets are masked in the page and once more here.
pub async fn snapshot(tab: &Tab, context: &BrowserContext, wish: &SnapshotWish) -> Result<Snapshot, Trouble> {
    let answer = match &wish.target {
        Some(target) => part(tab, context, target).await?,
        None => {
            let whole = wish.query.is_some();
            collect(tab, &json!({ "hide": context.secrets(), "whole": whole, "milliseconds": whole.then_some(QUERY_MS) }))
                .await?
        }
    };
    Ok(composed(answer, wish, |text| context.mask(text)))
}

/// The entries of one element, or of one frame.
async fn part(tab: &Tab, context: &BrowserContext, target: &str) -> Result<PageAnswer, Trouble> {
    let parsed = Target::parse(target)?;
    let frame = frame_of_label(tab, parsed.label()).await?;
    tab.mark_listeners(&frame.id).await;
    let argument = json!({ "hide": context.secrets(), "from": tab.next_ref(), "target": parsed.within() });
    let mut answer: PageAnswer = read_answer(tab, &frame, "snapshot", &argument).await?;
    tab.keep_next_ref(answer.next);
    answer.entries = all_labelled(answer.entries, &frame.label);
    Ok(answer)
}

/// The text of an answer.
pub(super) fn composed(answer: PageAnswer, wish: &SnapshotWish, mask: impl Fn(String) -> String) -> Snapshot {
    let digest = digest_of(answer.clone());
    let is_known = !answer.title.is_empty() && wish.known_address.as_ref() == Some(&answer.url);
    let head = mask(if is_known { known_head(&answer.title) } else { digest.head.clone() });
    let left = wish.max_tokens.saturating_sub(tokens(&head) + 1);
    let mut lines = digest.lines.clone();
    if wish.viewport_only {
        lines.retain(|line| line.zone == 0);
        lines.iter_mut().for_each(|line| line.parent = None);
    }
    let body = match &wish.query {
        Some(query) => match matching(&lines, query) {
            found if found.is_empty() => {
                format!("(no line has the words {query:?}: use find, or fewer words)")
            }
            found => fitted(&found, left),
        },
        None if lines.is_empty() => "(nothing to see yet)".to_owned(),
        None => fitted(&lines, left),
    };
    let text = mask(format!("{head}\n{body}"));
    Snapshot {
        tokens: tokens(&text),
        text,
        digest: masked(digest, &mask),
        url: answer.url,
        title: answer.title,
    }
}

/// Everything that the answer says, as lines.
pub(super) fn digest_of(answer: PageAnswer) -> SnapshotLines {
    let mut lines = lines_of(&shaped(answer.entries));
    number_twins(&mut lines);
    SnapshotLines {
        document: answer.document,
        head: head(&answer.title, &answer.url),
        lines,
        partial: answer.partial,
        scroll: answer.scroll,
    }
}

/// Runs of text of one node have its key and a number.
fn number_twins(lines: &mut [SnapshotLine]) {
    let mut counts = HashMap::new();
    for line in lines {
        let count: &mut usize = counts.entry(line.key.clone()).or_default();
        *count += 1;
        if *count > 1 {
            line.key = format!("{}#{count}", line.key);
        }
    }
}

fn head(title: &str, url: &str) -> String {
    match title.is_empty() {
        true => format!("Page: {url}"),
        false => format!("Page: {title} ({url})"),
    }
}

/// The title alone is in quotes, so that none of its words can pass for the address.
fn known_head(title: &str) -> String {
    format!("Page: {}", quoted(title))
}

/// Differences are made of the lines, so these are masked too.
fn masked(mut digest: SnapshotLines, mask: &impl Fn(String) -> String) -> SnapshotLines {
    digest.head = mask(digest.head);
    for line in &mut digest.lines {
        line.text = mask(std::mem::take(&mut line.text));
        line.content = mask(std::mem::take(&mut line.content));
    }
    digest
}

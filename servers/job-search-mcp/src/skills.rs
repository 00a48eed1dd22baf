//! Skills and knowledge in advertisements: a sequence tagger that was trained on labelled advertisements, joined
//! with the list of well-known skills. The tagger reads English; other languages get the list alone.

mod features;
mod model;
mod tokens;

use std::collections::HashSet;
use std::sync::LazyLock;

use resume_profile_mcp::shared;
use schemars::JsonSchema;
use serde::Serialize;

use features::{LineContext, features, mark_known};
use model::{SkillModel, TokenTag};
use tokens::{Token, token_lines};

/// Skills are abilities and tasks; knowledge is what is learned: tools, methods, subjects, languages.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SkillKind {
    Skill,
    Knowledge,
}

/// A skill with its place in the text, in bytes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SkillSpan {
    pub kind: SkillKind,
    pub start: usize,
    pub end: usize,
}

static MODEL: LazyLock<SkillModel> =
    LazyLock::new(|| SkillModel::read(include_bytes!("../data/skills.model")));

/// The names of well-known skills as their words, for the features of the tagger.
static KNOWN: LazyLock<HashSet<String>> =
    LazyLock::new(|| shared::names_of_skills().map(str::to_owned).collect());

/// Ranges of tokens that are skills or knowledge. A document is a list of sentences, each a list of tokens.
pub fn tag_tokens(document: &[Vec<&str>], kind: SkillKind) -> Vec<Vec<(usize, usize)>> {
    let tagger = MODEL.tagger(kind);
    let mut context = LineContext::default();
    let mut found = Vec::with_capacity(document.len());
    for tokens in document {
        let known = mark_known(tokens, &KNOWN);
        let tags = tagger.decode(&features(tokens, &context, &known));
        found.push(ranges(&tags));
        context.pass(tokens);
    }
    found
}

fn ranges(tags: &[TokenTag]) -> Vec<(usize, usize)> {
    let mut ranges: Vec<(usize, usize)> = Vec::new();
    let mut open = false;
    for (at, tag) in tags.iter().enumerate() {
        match (tag, ranges.last_mut()) {
            (TokenTag::Inside, Some(last)) if open => last.1 = at + 1,
            (TokenTag::Outside, _) => open = false,
            _ => {
                ranges.push((at, at + 1));
                open = true;
            }
        }
    }
    ranges
}

/// Skills and knowledge in an English text, in its order.
pub fn find(text: &str) -> Vec<SkillSpan> {
    let lines = token_lines(text);
    let document: Vec<Vec<&str>> =
        lines.iter().map(|line| line.iter().map(|token| token.text(text)).collect()).collect();
    let known = find_known(text);
    let mut found = known.clone();
    for kind in [SkillKind::Knowledge, SkillKind::Skill] {
        for (line, ranges) in lines.iter().zip(tag_tokens(&document, kind)) {
            let spans = ranges.into_iter().flat_map(|(from, to)| spans(&line[from..to], kind));
            let telling = |span: &SkillSpan| text[span.start..span.end].chars().any(char::is_alphabetic);
            found.extend(spans.filter(|span| telling(span) && !is_known(&known, span)));
        }
    }
    found.sort_by_key(|span| (span.start, span.end, span.kind));
    found
}

/// Only the well-known skills, in any language and in the order of the text.
pub fn find_known(text: &str) -> Vec<SkillSpan> {
    let known = shared::skills_in(text).into_iter();
    known.map(|(_, start, end)| SkillSpan { kind: SkillKind::Knowledge, start, end }).collect()
}

/// Commas part knowledge: the tagger was trained on texts without them.
fn spans(tokens: &[Token], kind: SkillKind) -> Vec<SkillSpan> {
    let parts = tokens.split_inclusive(|token| token.comma && kind == SkillKind::Knowledge);
    let span = |part: &[Token]| Some(SkillSpan { kind, start: part.first()?.start, end: part.last()?.end });
    parts.filter_map(span).collect()
}

/// True if a known skill of the same kind overlaps. The known ones do not overlap each other.
fn is_known(known: &[SkillSpan], span: &SkillSpan) -> bool {
    let next = known.partition_point(|other| other.end <= span.start);
    known.get(next).is_some_and(|other| other.kind == span.kind && other.start < span.end)
}

#[cfg(test)]
mod tests;

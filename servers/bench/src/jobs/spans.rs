//! Skills and knowledge as spans of tokens.

use std::collections::HashSet;
use std::fs;
use std::path::Path;

use anyhow::Context;
use job_search_mcp::skills::{SkillKind, tag_tokens};
use resume_profile_mcp::shared;

use super::counts::AnswerCounts;

/// A sentence: tokens with their tags for skills and for knowledge.
type TaggedSentence = Vec<(String, char, char)>;
type Ranges = Vec<(usize, usize)>;

pub(super) fn run(folder: &Path) -> anyhow::Result<()> {
    let train = [read(folder, "house_train")?, read(folder, "tech_train")?];
    let dev = [read(folder, "house_dev")?, read(folder, "tech_dev")?];
    println!("\nskills (SkillSpan, development part, strict span F1)");
    println!(
        "{:<14}{:>14}{:>14}{:>18}{:>16}",
        "", "this project", "known skills", "training phrases", "partial, ours"
    );
    let mut totals = [AnswerCounts::default(); 4];
    for (name, kind) in [("skills", SkillKind::Skill), ("knowledge", SkillKind::Knowledge)] {
        let known: HashSet<String> = shared::names_of_skills().map(str::to_owned).collect();
        let phrases = phrases(&train, kind);
        let mut counts = [AnswerCounts::default(); 4];
        for document in &dev {
            let tokens: Vec<Vec<&str>> = document
                .iter()
                .map(|sentence| sentence.iter().map(|(token, ..)| token.as_str()).collect())
                .collect();
            let ours = tag_tokens(&tokens, kind);
            for ((sentence, tokens), found) in document.iter().zip(&tokens).zip(ours) {
                let wanted = truth(sentence, kind);
                let lists = [found.clone(), looked_up(tokens, &known), looked_up(tokens, &phrases)];
                for (count, found) in counts.iter_mut().zip(&lists) {
                    count.add(strict(found, &wanted));
                }
                counts[3].add(partial(&found, &wanted));
            }
        }
        print(name, &counts);
        totals.iter_mut().zip(counts).for_each(|(total, count)| total.add(count));
    }
    print("both", &totals);
    Ok(())
}

fn print(name: &str, counts: &[AnswerCounts; 4]) {
    let [ours, known, phrases, partial] = counts.map(AnswerCounts::f1);
    println!("{name:<14}{ours:>14.3}{known:>14.3}{phrases:>18.3}{partial:>16.3}");
}

fn read(folder: &Path, part: &str) -> anyhow::Result<Vec<TaggedSentence>> {
    let path = folder.join(format!("skillspan_{part}.conll"));
    let text = fs::read_to_string(&path).with_context(|| format!("{} cannot be read", path.display()))?;
    let mut sentences = vec![Vec::new()];
    for line in text.lines() {
        let mut columns = line.split('\t');
        match (columns.next().filter(|token| !token.trim().is_empty()), columns.next(), columns.next()) {
            (Some(token), Some(skill), Some(knowledge)) => {
                let first = |tag: &str| tag.chars().next().unwrap_or('O');
                if let Some(last) = sentences.last_mut() {
                    last.push((token.to_owned(), first(skill), first(knowledge)));
                }
            }
            _ => sentences.push(Vec::new()),
        }
    }
    sentences.retain(|sentence| !sentence.is_empty());
    Ok(sentences)
}

fn truth(sentence: &[(String, char, char)], kind: SkillKind) -> Ranges {
    let mut ranges: Ranges = Vec::new();
    let mut open = false;
    for (at, (_, skill, knowledge)) in sentence.iter().enumerate() {
        let tag = if kind == SkillKind::Skill { skill } else { knowledge };
        match (tag, ranges.last_mut()) {
            ('I', Some(last)) if open => last.1 = at + 1,
            ('O', _) => open = false,
            _ => {
                ranges.push((at, at + 1));
                open = true;
            }
        }
    }
    ranges
}

fn strict(found: &[(usize, usize)], wanted: &[(usize, usize)]) -> AnswerCounts {
    let right = found.iter().filter(|range| wanted.contains(range)).count();
    AnswerCounts { right, found: found.len(), wanted: wanted.len() }
}

/// A range that overlaps is right.
fn partial(found: &[(usize, usize)], wanted: &[(usize, usize)]) -> AnswerCounts {
    let mut left: Vec<&(usize, usize)> = wanted.iter().collect();
    let mut right = 0;
    for range in found {
        if let Some(at) = left.iter().position(|other| other.0 < range.1 && range.0 < other.1) {
            left.remove(at);
            right += 1;
        }
    }
    AnswerCounts { right, found: found.len(), wanted: wanted.len() }
}

/// Every phrase that the training part labels.
fn phrases(train: &[Vec<TaggedSentence>], kind: SkillKind) -> HashSet<String> {
    let mut phrases = HashSet::new();
    for sentence in train.iter().flatten() {
        for (from, to) in truth(sentence, kind) {
            let words: Vec<String> =
                sentence[from..to].iter().map(|(token, ..)| token.to_lowercase()).collect();
            phrases.insert(words.join(" "));
        }
    }
    phrases
}

/// The longest known phrases from the left.
fn looked_up(tokens: &[&str], known: &HashSet<String>) -> Ranges {
    const WORDS_MAX: usize = 12;
    let words: Vec<String> = tokens.iter().map(|token| token.to_lowercase()).collect();
    let mut ranges = Vec::new();
    let mut at = 0;
    while at < words.len() {
        let longest = WORDS_MAX.min(words.len() - at);
        match (1..=longest).rev().find(|count| known.contains(&words[at..at + count].join(" "))) {
            Some(count) => {
                ranges.push((at, at + count));
                at += count;
            }
            None => at += 1,
        }
    }
    ranges
}

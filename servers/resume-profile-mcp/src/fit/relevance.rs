//! The relevance of a text for a job: for the order, and for omissions.

use serde::Serialize;
use serde_json::Value;

use super::Importance;
use super::job::{JobDescription, RequirementKind};
use super::spell;
use crate::vocabulary;

pub(crate) struct Relevance {
    skills: Vec<(String, usize)>,
    stems: Vec<String>,
}

/// A required skill outweighs words that merely occur.
const MUST: usize = 6;
const NICE: usize = 3;
const WORD: usize = 1;

impl Relevance {
    pub(crate) fn of(job: &JobDescription) -> Self {
        let wanted = job.wanted.iter().filter(|requirement| requirement.wanted == RequirementKind::Skill);
        let weight = |importance: Importance| if importance == Importance::Must { MUST } else { NICE };
        let skills =
            wanted.map(|requirement| (requirement.text.clone(), weight(requirement.importance))).collect();
        let phrases = job
            .wanted
            .iter()
            .filter(|requirement| requirement.wanted == RequirementKind::Phrase)
            .map(|requirement| requirement.text.as_str());
        let words: Vec<&str> = phrases.chain(job.role.as_deref()).collect();
        Self { skills, stems: spell::stems(&words.join(" ")) }
    }

    pub(crate) fn of_text(&self, text: &str) -> usize {
        let mut named: Vec<&str> = vocabulary::mentions(text)
            .iter()
            .map(|mention| mention.name)
            .chain(vocabulary::canonical(text))
            .collect();
        named.sort_unstable();
        named.dedup();
        let lower = text.to_lowercase();
        let asked = self
            .skills
            .iter()
            .filter(|(skill, _)| named.contains(&skill.as_str()) || lower == skill.to_lowercase());
        let words = spell::stems(text).iter().filter(|stem| self.stems.contains(stem)).count() * WORD;
        asked.map(|(_, weight)| weight).sum::<usize>() + words
    }

    /// Of everything in an entry.
    pub(crate) fn of_json(&self, entry: &impl Serialize) -> usize {
        fn strings(value: &Value, found: &mut Vec<String>) {
            match value {
                Value::String(text) => found.push(text.clone()),
                Value::Array(values) => values.iter().for_each(|value| strings(value, found)),
                Value::Object(fields) => fields.values().for_each(|value| strings(value, found)),
                _ => {}
            }
        }
        let mut found = Vec::new();
        strings(&serde_json::to_value(entry).unwrap_or_default(), &mut found);
        found.iter().map(|text| self.of_text(text)).sum()
    }
}

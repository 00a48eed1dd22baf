//! A profile as statements that can be quoted, each with its path.

use serde_json::Value;

use super::Evidence;
use super::spell;
use crate::spoken;
use crate::vocabulary;
use crate::words::plain;

/// One string of the resume.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct ResumeStatement {
    pub(crate) path: String,
    pub(crate) text: String,
    pub(super) stems: Vec<String>,
    skills: Vec<&'static str>,
    plain: String,
}

/// The range of a value in the parsed text, in characters.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct ValueRange {
    pub(crate) path: String,
    pub(crate) start: usize,
    pub(crate) end: usize,
}

/// All statements of a profile.
pub(crate) struct ProfileFacts<'a> {
    pub(crate) resume: &'a Value,
    statements: Vec<ResumeStatement>,
    places: &'a [ValueRange],
}

/// The maximum number of quotes for a requirement.
const QUOTES_MAX: usize = 2;

impl<'a> ProfileFacts<'a> {
    pub(crate) fn of(resume: &'a Value, places: &'a [ValueRange]) -> Self {
        let mut statements = Vec::new();
        collect(resume, String::new(), &mut statements);
        statements.retain(|statement| !is_about_contact(&statement.path));
        Self { resume, statements, places }
    }

    pub(crate) fn statements(&self) -> &[ResumeStatement] {
        &self.statements
    }

    /// The skills that are listed as such.
    pub(crate) fn listed_skills(&self) -> Vec<String> {
        let listed = self.statements.iter().filter(|statement| is_listed(&statement.path));
        listed.map(|statement| statement.text.clone()).collect()
    }

    /// Quotes for a skill, those from the list of skills first.
    pub(super) fn of_skill(&self, name: &str) -> Vec<Evidence> {
        // Known names are distinguished from equal words: `Word`, and a word.
        let own =
            Some(plain(name)).filter(|own| vocabulary::canonical(name).is_none() && own.chars().count() > 2);
        let says = |statement: &&ResumeStatement| {
            let spelled = format!(" {} ", statement.plain);
            statement.skills.contains(&name)
                || own.as_ref().is_some_and(|own| spelled.contains(&format!(" {own} ")))
        };
        let mut found: Vec<&ResumeStatement> = self.statements.iter().filter(says).collect();
        found.sort_by_key(|statement| !is_listed(&statement.path));
        found.into_iter().take(QUOTES_MAX).map(|statement| self.quote(statement)).collect()
    }

    /// The statement that shares most words with a phrase.
    pub(super) fn nearest(&self, phrase: &str) -> Option<(f64, &ResumeStatement)> {
        let wanted = spell::stems(phrase);
        let shares =
            self.statements.iter().map(|statement| (spell::share(&wanted, &statement.stems), statement));
        shares.filter(|(share, _)| *share > 0.0).max_by(|(one, _), (other, _)| one.total_cmp(other))
    }

    pub(super) fn quote(&self, statement: &ResumeStatement) -> Evidence {
        self.evidence(&statement.path, &statement.text)
    }

    pub(super) fn evidence(&self, path: &str, quote: &str) -> Evidence {
        let place = self.places.iter().find(|place| place.path == path);
        Evidence {
            quote: quote.to_owned(),
            path: path.to_owned(),
            start: place.map(|place| place.start),
            end: place.map(|place| place.end),
        }
    }

    /// Name, level and path of each language.
    pub(super) fn languages(&self) -> Vec<(&'static str, Option<f32>, String, String)> {
        let entries = self.resume["languages"].as_array().map(Vec::as_slice).unwrap_or_default();
        let read = entries.iter().enumerate().filter_map(|(at, entry)| {
            let name = entry["language"].as_str()?;
            let code = spoken::code(name).or_else(|| spoken::named(name).first().map(|(code, ..)| *code))?;
            let fluency = entry["fluency"].as_str();
            let quote = fluency.map_or_else(|| name.to_owned(), |fluency| format!("{name} ({fluency})"));
            Some((code, fluency.and_then(spoken::level), quote, format!("/languages/{at}/language")))
        });
        read.collect()
    }
}

fn is_about_contact(path: &str) -> bool {
    path.starts_with("/basics/") && !path.starts_with("/basics/label") && !path.starts_with("/basics/summary")
}

fn is_listed(path: &str) -> bool {
    let grouped = path.starts_with("/skills/") && path.contains("/keywords/");
    grouped || (path.starts_with("/skills/") && path.ends_with("/name"))
}

fn collect(value: &Value, path: String, statements: &mut Vec<ResumeStatement>) {
    match value {
        Value::String(text) => statements.push(ResumeStatement {
            stems: spell::stems(text),
            skills: vocabulary::mentions(text)
                .into_iter()
                .map(|mention| mention.name)
                .chain(vocabulary::canonical(text))
                .collect(),
            plain: plain(text),
            text: text.clone(),
            path,
        }),
        Value::Array(values) => {
            for (at, value) in values.iter().enumerate() {
                collect(value, format!("{path}/{at}"), statements);
            }
        }
        Value::Object(fields) => {
            for (name, value) in fields {
                collect(value, format!("{path}/{name}"), statements);
            }
        }
        _ => {}
    }
}

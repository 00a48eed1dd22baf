//! The file of a profile: TOML with the profile, its corpus, and the documents and questions that it is measured by.

use std::collections::BTreeSet;

use engine_protocol::Profile;
use schemars::JsonSchema;
use serde::Deserialize;
use toolgate_core::{Digest, Refusal};

use crate::refusal::bad_profile;

/// A longer name does not fit into the name of an index.
const NAME_BYTES_MAX: usize = 64;
const DOCUMENTS_MAX: usize = 500;
pub(crate) const QUESTIONS_MAX: usize = 500;

/// The things that indexes of a profile are about.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ProfileCorpus {
    /// Files that pointers lead to.
    #[default]
    Pointers,
    /// Calls and runs of the ledger.
    Traces,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ProfileFile {
    profile: Profile,
    #[serde(default)]
    ingest_on_advance: bool,
    #[serde(default)]
    corpus: ProfileCorpus,
    #[serde(default)]
    documents: Vec<ProfileDocument>,
    #[serde(default)]
    questions: Vec<ProfileQuestion>,
}

/// A small document that questions are asked about.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ProfileDocument {
    pub(crate) path: String,
    pub(crate) text: String,
}

/// A question, and the documents that answer it.
#[derive(Clone, PartialEq, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ProfileQuestion {
    pub(crate) query: String,
    /// The documents that a good search finds
    pub(crate) relevant: Vec<JudgedDocument>,
}

/// A document that answers a question.
#[derive(Clone, PartialEq, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct JudgedDocument {
    pub(crate) path: String,
    /// 1, or more for one that answers it better
    #[serde(default = "grade_usual")]
    pub(crate) grade: u8,
}

fn grade_usual() -> u8 {
    1
}

/// One version of a profile.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct KnownProfile {
    pub(crate) profile: Profile,
    /// Of the profile alone: its questions may change.
    pub(crate) digest: Digest,
    pub(crate) ingest_on_advance: bool,
    pub(crate) corpus: ProfileCorpus,
    pub(crate) documents: Vec<ProfileDocument>,
    pub(crate) questions: Vec<ProfileQuestion>,
}

impl KnownProfile {
    /// Reads the text of a file; `file` is its name for people.
    pub(crate) fn read(file: &str, text: &str) -> Result<Self, Refusal> {
        let read: ProfileFile = toml::from_str(text).map_err(|error| bad_profile(file, error.to_string()))?;
        let ProfileFile { profile, ingest_on_advance, corpus, documents, questions } = read;
        if let Some(flaw) = flaw(&profile).or_else(|| flaw_of_questions(&documents, &questions)) {
            return Err(bad_profile(file, flaw));
        }
        let digest = Digest::of(serde_json::to_vec(&profile).expect("numbers and names are JSON"));
        Ok(Self { profile, digest, ingest_on_advance, corpus, documents, questions })
    }

    /// `docs.default@1`
    pub(crate) fn full_name(&self) -> String {
        format!("{}@{}", self.profile.name, self.profile.version)
    }
}

fn flaw(profile: &Profile) -> Option<String> {
    let is_plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_';
    let is_part =
        |part: &str| part.starts_with(|first: char| first.is_ascii_lowercase()) && part.bytes().all(is_plain);
    let name = &profile.name;
    let chunking = profile.chunking;
    let fields = profile.fields;
    if name.len() > NAME_BYTES_MAX || !name.split('.').all(is_part) {
        return Some(format!(
            "{name:?} is no name of a profile: parts of a-z, 0-9 and _ with dots between, {NAME_BYTES_MAX} bytes at most"
        ));
    }
    if profile.version == 0 {
        return Some("versions count from 1".to_owned());
    }
    if chunking.words_max == 0 || chunking.words_min > chunking.words_max {
        return Some("`words_max` is at least 1 and not below `words_min`".to_owned());
    }
    if profile.words.candidates == 0 || profile.meaning.is_some_and(|meaning| meaning.candidates == 0) {
        return Some("`candidates` is at least 1".to_owned());
    }
    let weights =
        [fields.title, fields.headings, fields.body, fields.path, profile.words.k1, profile.words.b];
    let is_weight = |weight: &f32| weight.is_finite() && *weight >= 0.0;
    (!weights.iter().all(is_weight)).then(|| "weights are numbers from 0".to_owned())
}

fn flaw_of_questions(documents: &[ProfileDocument], questions: &[ProfileQuestion]) -> Option<String> {
    if documents.len() > DOCUMENTS_MAX || questions.len() > QUESTIONS_MAX {
        return Some(format!("it has at most {DOCUMENTS_MAX} documents and {QUESTIONS_MAX} questions"));
    }
    let paths: BTreeSet<&str> = documents.iter().map(|document| document.path.as_str()).collect();
    if paths.len() < documents.len() {
        return Some("two of its documents have the same path".to_owned());
    }
    let judged = questions.iter().flat_map(|question| &question.relevant);
    let lost = judged.map(|one| one.path.as_str()).find(|path| !paths.contains(path));
    lost.map(|path| format!("a question names {path:?}, and there is no such document"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const LEAST: &str = r#"
        [profile]
        name = "docs.mine"
        version = 2
        chunking = { words_max = 100, words_min = 10, overlap_sentences = 0 }
        fields = { title = 1.0, headings = 1.0, body = 1.0, path = 0.0 }
        words = { k1 = 1.2, b = 0.75, stemming = "none", candidates = 10 }
        fusion = { kind = "ranks", k = 60.0, words = 1.0, meaning = 1.0 }
        snippet = { tokens = 10, tokens_all = 100 }
    "#;

    #[test]
    fn the_least_profile_has_no_questions_and_waits_for_ingest() {
        let known = KnownProfile::read("mine.toml", LEAST).expect("a profile");
        assert_eq!(known.full_name(), "docs.mine@2");
        assert!(!known.ingest_on_advance && known.questions.is_empty());
        assert_eq!(known.corpus, ProfileCorpus::Pointers);
        assert_eq!(known.profile.meaning, None);
    }

    #[test]
    fn a_changed_number_changes_the_digest_and_a_question_does_not() {
        let digest = |text: &str| KnownProfile::read("mine.toml", text).expect("a profile").digest;
        let asked = format!("{LEAST}\n[[documents]]\npath = \"a\"\ntext = \"b\"\n");
        assert_eq!(digest(LEAST), digest(&asked));
        assert_ne!(digest(LEAST), digest(&LEAST.replace("k1 = 1.2", "k1 = 0.9")));
    }

    #[test]
    fn a_flawed_profile_is_named_with_its_flaw() {
        for (from, to, flaw) in [
            ("docs.mine", "Docs mine", "no name of a profile"),
            ("version = 2", "version = 0", "versions count from 1"),
            ("words_max = 100", "words_max = 5", "words_max"),
            ("candidates = 10", "candidates = 0", "candidates"),
            ("title = 1.0", "title = -1.0", "weights"),
            ("[profile]", "[profile]\nknob = 1", "knob"),
        ] {
            let refused = KnownProfile::read("mine.toml", &LEAST.replace(from, to)).expect_err(to);
            assert!(refused.message.contains("mine.toml"), "{}", refused.message);
            assert!(refused.message.contains(flaw), "{flaw}: {}", refused.message);
        }
    }

    #[test]
    fn a_question_about_no_document_is_refused() {
        let text =
            format!("{LEAST}\n[[questions]]\nquery = \"what\"\nrelevant = [{{ path = \"gone.md\" }}]\n");
        let refused = KnownProfile::read("mine.toml", &text).expect_err("no such document");
        assert!(refused.message.contains("gone.md"), "{}", refused.message);
    }
}

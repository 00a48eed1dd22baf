//! The data of the product that keeps applications, as its answers have them.

use serde_json::Value;

/// The task of a run, from its goal: `Apply for the pending jobs of ada. At most 5 applications.`
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct ApplicantGoal {
    pub(super) user: String,
    pub(super) most: usize,
}

/// A job that the run has taken.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct TakenJob {
    pub(super) job: String,
    pub(super) application: String,
    pub(super) version: i64,
    pub(super) title: String,
    pub(super) url: String,
}

impl ApplicantGoal {
    pub(super) fn read(goal: &str) -> Self {
        let after = |words: &str| goal.split_once(words).map(|(_, rest)| word(rest));
        Self {
            user: after("pending jobs of ").unwrap_or_default().to_owned(),
            most: after("At most ").and_then(|count| count.parse().ok()).unwrap_or(usize::MAX),
        }
    }
}

/// The letters, digits and signs of an id at the beginning.
fn word(text: &str) -> &str {
    let end = text.find(|c: char| !c.is_ascii_alphanumeric() && c != '_' && c != '-').unwrap_or(text.len());
    &text[..end]
}

/// The job of an answer of `get_pending_jobs`; `None` if there is none any more.
pub(super) fn taken(answer: &Value) -> Option<TakenJob> {
    let one = answer["jobs"].get(0)?;
    Some(TakenJob {
        job: one["jobId"].as_str()?.to_owned(),
        application: one["applicationId"].as_str()?.to_owned(),
        version: one["version"].as_i64()?,
        title: one["title"].as_str().unwrap_or("a job").to_owned(),
        url: one["url"].as_str()?.to_owned(),
    })
}

/// A member of `basics` of a person's resume.
pub(super) fn basic<'a>(person: &'a Value, name: &str) -> &'a str {
    person["profile"]["basics"][name].as_str().unwrap_or_default()
}

/// The file of a person's resume.
pub(super) fn resume(person: &Value) -> Option<&str> {
    let documents = person["documents"].as_array()?;
    documents.iter().find(|one| one["name"] == "resume")?["ref"].as_str()
}

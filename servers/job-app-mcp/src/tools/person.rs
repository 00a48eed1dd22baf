//! `get_user_profile`, `get_credentials` and `save_answers`: what forms ask of a person.

use std::sync::Arc;

use capability_kit::{Caller, Effect, Tool, Trouble, TroubleCode};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use url::Url;

use super::shared;
use crate::records::text::{self, ID_CHARS_MAX, URL_CHARS_MAX};
use crate::records::{AnswerEntry, JobRecords, origin};

const ANSWERS_MAX: usize = 100;

pub(super) fn profile_tool(records: &Arc<JobRecords>) -> Tool {
    shared::tool(
        records,
        "get_user_profile",
        "Get a person's profile",
        "A person's resume (JSON Resume), answers to common questions of forms, and documents to upload by file_id.",
        profile,
    )
}

pub(super) fn credentials_tool(records: &Arc<JobRecords>) -> Tool {
    shared::tool(
        records,
        "get_credentials",
        "Get credentials for a site",
        "The handle of a person's credential for a site, never a value. Write secret, a dot and a field, such as \
         cred_….password, where a browser tool takes a secret: it fills the value in on pages of this origin alone.",
        credentials,
    )
}

pub(super) fn answers_tool(records: &Arc<JobRecords>) -> Tool {
    shared::tool(
        records,
        "save_answers",
        "Save answers to questions",
        "Keep what a person answered to questions of a form, for the next form. Never write a password here.",
        save_answers,
    )
    .effect(Effect::Write)
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct UserProfileArguments {
    user: String,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct UserProfileOutput {
    user: String,
    name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    email: Option<String>,
    /// JSON Resume.
    profile: Map<String, Value>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    answers: Vec<FormAnswer>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    documents: Vec<DocumentOut>,
    /// Sites that get_credentials has a handle for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    credentials_for: Vec<String>,
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct FormAnswer {
    question: String,
    answer: String,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct DocumentOut {
    name: String,
    #[serde(rename = "ref")]
    reference: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    media_type: Option<String>,
}

async fn profile(
    records: Arc<JobRecords>,
    caller: Caller,
    arguments: UserProfileArguments,
) -> Result<UserProfileOutput, Trouble> {
    let user = text::required("user", &arguments.user, ID_CHARS_MAX)?;
    let mut tx = records.begin(&caller).await?;
    let found = async {
        let person = tx.person(&user).await?;
        let (answers, documents) = (tx.answers(&user).await?, tx.documents(&user).await?);
        Ok((person, answers, documents, tx.credentials(&user).await?))
    };
    let found = Box::pin(found).await;
    let (person, answers, documents, credentials) = tx.finish(found).await?;
    let resume = person.resume.and_then(|resume| serde_json::from_str(&resume).ok());
    let answer = |entry: AnswerEntry| FormAnswer { question: entry.question, answer: entry.answer };
    let documents = documents.into_iter().map(|document| DocumentOut {
        name: document.name,
        reference: document.reference,
        media_type: document.media_type,
    });
    Ok(UserProfileOutput {
        name: person.name,
        email: person.email,
        profile: resume.unwrap_or_default(),
        answers: answers.into_iter().map(answer).collect(),
        documents: documents.collect(),
        credentials_for: credentials.into_iter().map(|entry| entry.origin).collect(),
        user,
    })
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct CredentialsArguments {
    user: String,
    /// The address of the site or of its sign-in page, or its host.
    site: String,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct CredentialsOutput {
    /// The handle. Add a dot and a field.
    secret: String,
    /// The only origin whose pages get the value.
    origin: String,
    fields: Vec<String>,
}

async fn credentials(
    records: Arc<JobRecords>,
    caller: Caller,
    arguments: CredentialsArguments,
) -> Result<CredentialsOutput, Trouble> {
    let user = text::required("user", &arguments.user, ID_CHARS_MAX)?;
    let site = text::required("site", &arguments.site, URL_CHARS_MAX)?;
    let mut tx = records.begin(&caller).await?;
    let found = async {
        tx.person(&user).await?;
        tx.credentials(&user).await
    };
    let found = Box::pin(found).await;
    let mut known = tx.finish(found).await?;
    let origins: Vec<String> = known.iter().map(|entry| entry.origin.clone()).collect();
    match known.iter().position(|entry| is_site(&entry.origin, &site)) {
        Some(at) => {
            let entry = known.swap_remove(at);
            Ok(CredentialsOutput { secret: entry.handle, origin: entry.origin, fields: entry.fields })
        }
        None => Err(no_credential(&user, &site, &origins)),
    }
}

/// The very origin, or its host where no scheme was said. A name below or above it is another site.
fn is_site(known: &str, site: &str) -> bool {
    match site.contains("://") {
        true => origin(site).is_some_and(|site| site == known),
        false => Url::parse(known).is_ok_and(|known| {
            let host = known.host_str().unwrap_or_default();
            let with_port = known.port().map(|port| format!("{host}:{port}"));
            let site = site.trim_end_matches('/').to_ascii_lowercase();
            site == host || Some(site) == with_port
        }),
    }
}

fn no_credential(user: &str, site: &str, origins: &[String]) -> Trouble {
    let trouble = Trouble::new(TroubleCode::Unavailable, format!("{user} has no credential for {site:?}"));
    match origins {
        [] => trouble.hint("a person adds one at the gateway, and its handle here with `job-app-mcp seed`"),
        origins => trouble.hint(format!("there are some for {}", origins.join(", "))),
    }
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct SaveAnswersArguments {
    user: String,
    /// At most 100. A question that is known gets the new answer.
    answers: Vec<FormAnswer>,
}

#[derive(Serialize, JsonSchema)]
struct SaveAnswersOutput {
    saved: usize,
}

async fn save_answers(
    records: Arc<JobRecords>,
    caller: Caller,
    arguments: SaveAnswersArguments,
) -> Result<SaveAnswersOutput, Trouble> {
    let user = text::required("user", &arguments.user, ID_CHARS_MAX)?;
    let count = arguments.answers.len();
    if !(1..=ANSWERS_MAX).contains(&count) {
        return Err(Trouble::bad_arguments(format!("{count} answers were passed"))
            .hint(format!("pass 1 to {ANSWERS_MAX} at a time")));
    }
    let entry =
        |answer: FormAnswer| AnswerEntry { question: answer.question, answer: answer.answer }.checked();
    let entries = arguments.answers.into_iter().map(entry).collect::<Result<Vec<_>, _>>()?;
    let mut tx = records.begin(&caller).await?;
    let saved = async {
        tx.person(&user).await?;
        for entry in &entries {
            tx.put_answer(&user, entry).await?;
        }
        Ok(SaveAnswersOutput { saved: entries.len() })
    };
    let saved = Box::pin(saved).await;
    tx.finish(saved).await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_site_is_its_own_origin_and_no_other() {
        for site in ["https://jobs.example/login", "https://jobs.example", "jobs.example", "JOBS.example/"] {
            assert!(is_site("https://jobs.example", site), "{site}");
        }
        for site in [
            "http://jobs.example",
            "https://jobs.example:444",
            "https://jobs.example.evil.example",
            "example",
            "https://a.jobs.example",
            "evil.jobs.example",
            "https://jobs.example@evil.example/",
        ] {
            assert!(!is_site("https://jobs.example", site), "{site}");
        }
        assert!(is_site("http://127.0.0.1:8080", "127.0.0.1:8080"));
    }
}

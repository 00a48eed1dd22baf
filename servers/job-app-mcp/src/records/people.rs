//! People: names, profiles, answers, documents, and handles of credentials.

use capability_kit::Trouble;
use serde::Deserialize;

use super::caller::CallerTransaction;
use super::text;
use crate::key::plain;

const PERSON: &str = "SELECT u.name, u.email, p.resume FROM users u
    LEFT JOIN profiles p ON p.user_id = u.id WHERE u.id = $1";
const ALL: &str = "SELECT id FROM users ORDER BY id";
const ANSWERS: &str =
    "SELECT question, answer FROM answers WHERE user_id = $1 ORDER BY question_key LIMIT 500";
const DOCUMENTS: &str =
    "SELECT name, reference, media_type FROM documents WHERE user_id = $1 ORDER BY name LIMIT 100";
const CREDENTIALS: &str =
    "SELECT origin, handle, fields FROM credentials WHERE user_id = $1 ORDER BY origin LIMIT 500";
const PUT_PERSON: &str = "INSERT INTO users (id, name, email, updated_at_ms) VALUES ($1, $2, $3, $4)
    ON CONFLICT (id) DO UPDATE SET name = excluded.name, email = excluded.email, updated_at_ms = excluded.updated_at_ms";
const PUT_PROFILE: &str = "INSERT INTO profiles (user_id, resume, updated_at_ms) VALUES ($1, $2, $3)
    ON CONFLICT (user_id) DO UPDATE SET resume = excluded.resume, updated_at_ms = excluded.updated_at_ms";
const PUT_ANSWER: &str =
    "INSERT INTO answers (user_id, question_key, question, answer, updated_at_ms) VALUES ($1, $2, $3, $4, $5)
    ON CONFLICT (user_id, question_key) DO UPDATE SET question = excluded.question, answer = excluded.answer,
        updated_at_ms = excluded.updated_at_ms";
const PUT_DOCUMENT: &str = "INSERT INTO documents (user_id, name, reference, media_type) VALUES ($1, $2, $3, $4)
    ON CONFLICT (user_id, name) DO UPDATE SET reference = excluded.reference, media_type = excluded.media_type";
const PUT_CREDENTIAL: &str =
    "INSERT INTO credentials (user_id, origin, handle, fields) VALUES ($1, $2, $3, $4)
    ON CONFLICT (user_id, origin) DO UPDATE SET handle = excluded.handle, fields = excluded.fields";
/// Questions are found by their words; keys are in an index.
const QUESTION_CHARS_MAX: usize = 400;
const ANSWER_CHARS_MAX: usize = 4_000;

pub(crate) struct PersonEntry {
    pub(crate) name: String,
    pub(crate) email: Option<String>,
    /// JSON Resume.
    pub(crate) resume: Option<String>,
}

/// An answer to a question of a form.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct AnswerEntry {
    pub(crate) question: String,
    pub(crate) answer: String,
}

/// A file to upload, by its id or ref at a gateway.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct DocumentEntry {
    pub(crate) name: String,
    #[serde(rename = "ref")]
    pub(crate) reference: String,
    #[serde(default)]
    pub(crate) media_type: Option<String>,
}

/// A handle of a gateway's credential. The values are there, never here.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct CredentialEntry {
    pub(crate) origin: String,
    pub(crate) handle: String,
    #[serde(default)]
    pub(crate) fields: Vec<String>,
}

impl AnswerEntry {
    pub(crate) fn checked(self) -> Result<Self, Trouble> {
        Ok(Self {
            question: text::required("question", &self.question, QUESTION_CHARS_MAX)?,
            answer: text::required("answer", &self.answer, ANSWER_CHARS_MAX)?,
        })
    }
}

impl CallerTransaction {
    pub(crate) async fn person(&mut self, user: &str) -> Result<PersonEntry, Trouble> {
        let found: Option<(String, Option<String>, Option<String>)> =
            self.tx.sql(PERSON).bind(user).fetch_optional().await?;
        let (name, email, resume) = found.ok_or_else(|| {
            Trouble::bad_arguments(format!("there is no user {user:?}"))
                .hint("the operator of the server adds people with `job-app-mcp seed`")
        })?;
        Ok(PersonEntry { name, email, resume })
    }

    pub(super) async fn everyone(&mut self) -> Result<Vec<String>, Trouble> {
        let ids: Vec<(String,)> = self.tx.sql(ALL).fetch_all().await?;
        Ok(ids.into_iter().map(|(id,)| id).collect())
    }

    pub(crate) async fn answers(&mut self, user: &str) -> Result<Vec<AnswerEntry>, Trouble> {
        let rows: Vec<(String, String)> = self.tx.sql(ANSWERS).bind(user).fetch_all().await?;
        Ok(rows.into_iter().map(|(question, answer)| AnswerEntry { question, answer }).collect())
    }

    pub(crate) async fn documents(&mut self, user: &str) -> Result<Vec<DocumentEntry>, Trouble> {
        let rows: Vec<(String, String, Option<String>)> =
            self.tx.sql(DOCUMENTS).bind(user).fetch_all().await?;
        let entry = |(name, reference, media_type)| DocumentEntry { name, reference, media_type };
        Ok(rows.into_iter().map(entry).collect())
    }

    pub(crate) async fn credentials(&mut self, user: &str) -> Result<Vec<CredentialEntry>, Trouble> {
        let rows: Vec<(String, String, String)> = self.tx.sql(CREDENTIALS).bind(user).fetch_all().await?;
        let entry = |(origin, handle, fields): (String, String, String)| {
            let fields = serde_json::from_str(&fields).unwrap_or_default();
            CredentialEntry { origin, handle, fields }
        };
        Ok(rows.into_iter().map(entry).collect())
    }

    pub(super) async fn put_person(
        &mut self,
        user: &str,
        name: &str,
        email: Option<&str>,
    ) -> Result<(), Trouble> {
        let put = self.tx.sql(PUT_PERSON).bind(user).bind(name).bind(email).bind(self.now_ms);
        put.execute().await.map(drop)
    }

    pub(super) async fn put_profile(&mut self, user: &str, resume: &str) -> Result<(), Trouble> {
        self.tx.sql(PUT_PROFILE).bind(user).bind(resume).bind(self.now_ms).execute().await.map(drop)
    }

    pub(crate) async fn put_answer(&mut self, user: &str, entry: &AnswerEntry) -> Result<(), Trouble> {
        let put = self.tx.sql(PUT_ANSWER).bind(user).bind(plain(&entry.question));
        put.bind(&entry.question).bind(&entry.answer).bind(self.now_ms).execute().await.map(drop)
    }

    pub(super) async fn put_document(&mut self, user: &str, entry: &DocumentEntry) -> Result<(), Trouble> {
        let put = self.tx.sql(PUT_DOCUMENT).bind(user).bind(&entry.name);
        put.bind(&entry.reference).bind(&entry.media_type).execute().await.map(drop)
    }

    pub(super) async fn put_credential(
        &mut self,
        user: &str,
        entry: &CredentialEntry,
    ) -> Result<(), Trouble> {
        let fields = serde_json::json!(entry.fields).to_string();
        let put = self.tx.sql(PUT_CREDENTIAL).bind(user).bind(&entry.origin);
        put.bind(&entry.handle).bind(fields).execute().await.map(drop)
    }
}

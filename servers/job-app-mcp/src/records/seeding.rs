//! Filling the database from data: people with their profiles, answers, documents and handles, and jobs. All of it or nothing.

use capability_kit::{Caller, Trouble};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use url::{Host, Url};

use super::caller::{CallerTransaction, JobRecords};
use super::jobs::ImportCounts;
use super::people::{AnswerEntry, CredentialEntry, DocumentEntry};
use super::text;
use crate::posting::{self, JobListing};

pub(crate) const JOBS_MAX: usize = 5_000;
const USERS_MAX: usize = 1_000;
const PROFILE_BYTES_MAX: usize = 256 << 10;
const NAME_CHARS_MAX: usize = 200;
const FIELDS_MAX: usize = 20;
const HANDLE_PREFIX: &str = "cred_";

/// What is to be in the database. Checked: only the database itself can refuse it.
#[derive(Debug, Default)]
pub struct SeedData {
    users: Vec<SeedUser>,
    jobs: Vec<SeedJob>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SeedFile {
    #[serde(default)]
    users: Vec<SeedUser>,
    #[serde(default)]
    jobs: Vec<Value>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct SeedUser {
    id: String,
    name: String,
    #[serde(default)]
    email: Option<String>,
    /// JSON Resume.
    #[serde(default)]
    profile: Option<Map<String, Value>>,
    #[serde(default)]
    answers: Vec<AnswerEntry>,
    #[serde(default)]
    documents: Vec<DocumentEntry>,
    #[serde(default)]
    credentials: Vec<CredentialEntry>,
}

#[derive(Debug)]
struct SeedJob {
    listing: JobListing,
    /// Nobody named: everybody of the same data, or of the database where the data name nobody.
    users: Vec<String>,
}

/// What was stored.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct SeedCounts {
    pub users: usize,
    pub new_jobs: usize,
    pub known_postings: usize,
    pub new_applications: usize,
}

impl SeedData {
    /// A file of ours (`users`, `jobs`), or any data with postings of schema.org in them.
    pub fn read(value: Value) -> Result<Self, Trouble> {
        let is_ours = value.get("users").is_some() || value.get("jobs").is_some_and(Value::is_array);
        let file = match is_ours {
            true => ours(value)?,
            false => SeedFile { users: Vec::new(), jobs: posting::collect(value, JOBS_MAX + 1) },
        };
        if file.jobs.len() > JOBS_MAX || file.users.len() > USERS_MAX {
            return Err(refused("there are more than 5000 jobs or 1000 users in it", "seed them in parts"));
        }
        if file.jobs.is_empty() && file.users.is_empty() {
            return Err(refused(
                "there are no users and no jobs in it",
                "it needs users, jobs, or JobPostings of schema.org",
            ));
        }
        let users = file.users.into_iter().enumerate();
        let users = users.map(|(at, user)| user.checked().map_err(|why| placed("users", at, &why)));
        let jobs = file.jobs.into_iter().enumerate();
        let jobs = jobs.map(|(at, job)| SeedJob::read(job).map_err(|why| placed("jobs", at, &why)));
        Ok(Self { users: users.collect::<Result<_, _>>()?, jobs: jobs.collect::<Result<_, _>>()? })
    }
}

fn ours(value: Value) -> Result<SeedFile, Trouble> {
    serde_path_to_error::deserialize(value).map_err(|error| {
        refused(
            format!("{}: {}", error.path(), error.inner()),
            "the server's README has the form of the file",
        )
    })
}

fn refused(what: impl Into<String>, hint: &str) -> Trouble {
    Trouble::bad_arguments(what).hint(hint)
}

fn placed(list: &str, at: usize, why: &str) -> Trouble {
    refused(format!("{list}[{at}]: {why}"), "correct it; nothing was stored")
}

impl SeedUser {
    fn checked(mut self) -> Result<Self, String> {
        let short =
            |name: &str, value: &str| text::required(name, value, NAME_CHARS_MAX).map_err(|why| why.message);
        self.id = short("id", &self.id)?;
        self.name = short("name", &self.name)?;
        self.email = self.email.map(|email| short("email", &email)).transpose()?;
        if self.profile.as_ref().is_some_and(|profile| json!(profile).to_string().len() > PROFILE_BYTES_MAX) {
            return Err(format!("its profile has more than {PROFILE_BYTES_MAX} bytes"));
        }
        let answers = std::mem::take(&mut self.answers).into_iter().map(AnswerEntry::checked);
        self.answers = answers.collect::<Result<_, _>>().map_err(|why| why.message)?;
        for document in &mut self.documents {
            document.name = short("documents: name", &document.name)?;
            document.reference = short("documents: ref", &document.reference)?;
        }
        let credentials = std::mem::take(&mut self.credentials).into_iter().map(checked_credential);
        self.credentials = credentials.collect::<Result<_, _>>()?;
        Ok(self)
    }
}

/// A handle and names alone: whatever does not look like them may be a value.
fn checked_credential(mut entry: CredentialEntry) -> Result<CredentialEntry, String> {
    let is_id = |text: &str| {
        !text.is_empty() && text.len() < 100 && text.bytes().all(|byte| byte.is_ascii_alphanumeric())
    };
    if !entry.handle.strip_prefix(HANDLE_PREFIX).is_some_and(is_id) {
        return Err(
            "credentials: handle is not like cred_…; values of credentials do not belong here".to_owned()
        );
    }
    let is_name = |field: &String| {
        let fits = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_';
        (1..=40).contains(&field.len()) && field.bytes().all(fits)
    };
    if entry.fields.len() > FIELDS_MAX || !entry.fields.iter().all(is_name) {
        return Err("credentials: fields are names such as username and password".to_owned());
    }
    entry.origin = origin(&entry.origin).ok_or("credentials: origin is not like https://jobs.example")?;
    Ok(entry)
}

/// The origin of an address; `None` if a secret must not go there.
pub(crate) fn origin(written: &str) -> Option<String> {
    let url = Url::parse(written.trim()).ok()?;
    let is_here = match url.host()? {
        Host::Domain(name) => name == "localhost" || name.ends_with(".localhost"),
        Host::Ipv4(address) => address.is_loopback(),
        Host::Ipv6(address) => address.is_loopback(),
    };
    let may_be = url.scheme() == "https" || (url.scheme() == "http" && is_here);
    may_be.then(|| url.origin().ascii_serialization())
}

impl SeedJob {
    fn read(mut job: Value) -> Result<Self, String> {
        let users = match job.as_object_mut().and_then(|job| job.remove("for")) {
            None => Vec::new(),
            Some(users) => Vec::<String>::deserialize(users).map_err(|_| "for is not a list of user ids")?,
        };
        Ok(Self { listing: posting::read(&job)?, users })
    }
}

impl JobRecords {
    /// Stores all of it in one transaction.
    pub async fn seed(&self, data: &SeedData) -> Result<SeedCounts, Trouble> {
        let mut begun = self.begin_quietly(&Caller::default()).await?;
        let counts = begun.seed(data).await?;
        begun.finish(Ok(counts)).await
    }
}

impl CallerTransaction {
    async fn seed(&mut self, data: &SeedData) -> Result<SeedCounts, Trouble> {
        for user in &data.users {
            self.put_user(user).await?;
        }
        let everyone = self.everyone().await?;
        let of_data: Vec<String> = data.users.iter().map(|user| user.id.clone()).collect();
        let usual = if of_data.is_empty() { &everyone } else { &of_data };
        let mut counts = ImportCounts::default();
        for (at, job) in data.jobs.iter().enumerate() {
            if let Some(unknown) = job.users.iter().find(|user| !everyone.contains(user)) {
                return Err(placed("jobs", at, &format!("for names {unknown:?}, who is no user")));
            }
            let users = if job.users.is_empty() { usual } else { &job.users };
            self.import(users, std::slice::from_ref(&job.listing), &mut counts).await?;
        }
        Ok(SeedCounts {
            users: data.users.len(),
            new_jobs: counts.new_jobs,
            known_postings: counts.known,
            new_applications: counts.new_applications,
        })
    }

    async fn put_user(&mut self, user: &SeedUser) -> Result<(), Trouble> {
        self.put_person(&user.id, &user.name, user.email.as_deref()).await?;
        if let Some(profile) = &user.profile {
            let resume = json!(profile).to_string().replace("\\u0000", "");
            self.put_profile(&user.id, &resume).await?;
        }
        for answer in &user.answers {
            self.put_answer(&user.id, answer).await?;
        }
        for document in &user.documents {
            self.put_document(&user.id, document).await?;
        }
        for credential in &user.credentials {
            self.put_credential(&user.id, credential).await?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(value: Value) -> String {
        SeedData::read(value).unwrap_err().to_string()
    }

    #[test]
    fn a_file_that_is_wrong_says_where() {
        let user = |more: Value| {
            let mut user = json!({ "id": "ada", "name": "Ada" });
            user.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            json!({ "users": [user] })
        };
        let credential = |handle: &str, origin: &str, field: &str| {
            user(json!({ "credentials": [{ "handle": handle, "origin": origin, "fields": [field] }] }))
        };
        for (value, said) in [
            (json!({}), "no users and no jobs"),
            (json!({ "users": [{ "id": "", "name": "x" }] }), "users[0]: id is empty"),
            (json!({ "jobs": [{ "title": "x" }] }), "jobs[0]: it has neither"),
            (json!({ "jobs": [{ "title": "x", "company": "y", "for": "ada" }] }), "for is not a list"),
            (user(json!({ "password": "hunter2" })), "unknown field `password`"),
            (user(json!({ "profile": [] })), "invalid type"),
            (credential("hunter2", "https://a.example", "password"), "handle is not like cred_"),
            (credential("cred_1", "http://a.example", "password"), "origin is not like"),
            (credential("cred_1", "https://a.example", "hunter2!"), "fields are names"),
        ] {
            let refused = refusal(value.clone());
            assert!(refused.contains(said), "{value}: {refused}");
            assert!(refused.contains("hint:"), "{refused}");
        }
    }

    #[test]
    fn no_refusal_repeats_what_may_be_a_password() {
        let value = json!({ "users": [{ "id": "a", "name": "A", "credentials": [{ "handle": "hunter2", "origin": "https://a.example" }] }] });
        assert!(!refusal(value).contains("hunter2"));
    }

    #[test]
    fn an_origin_is_what_the_gateway_calls_it() {
        assert_eq!(origin("https://Jobs.Example:443/login?x").as_deref(), Some("https://jobs.example"));
        assert_eq!(origin("http://127.0.0.1:8080/a").as_deref(), Some("http://127.0.0.1:8080"));
        assert_eq!(origin("http://jobs.example"), None);
        assert_eq!(origin("ftp://jobs.example"), None);
        assert_eq!(origin("jobs.example"), None);
    }
}

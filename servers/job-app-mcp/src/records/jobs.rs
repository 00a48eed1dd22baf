//! Jobs, as postings bring them: several postings of one advertisement become one job, and one application of each person.

use capability_kit::Trouble;

use super::application::{ApplicationRow, EvidenceFields};
use super::caller::CallerTransaction;
use crate::key::JobKey;
use crate::posting::JobListing;

const JOB_OF_KEY: &str = "SELECT job FROM job_keys WHERE key = $1";
const OTHER_ID_OF_HOST: &str = "SELECT key FROM job_keys WHERE job = $1 AND host = $2 LIMIT 1";
const PUT_JOB: &str = "INSERT INTO jobs
    (id, canonical_key, title, company, place, url, posting, valid_until_ms, created_at_ms)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)";
const PUT_KEY: &str =
    "INSERT INTO job_keys (key, job, host, url) VALUES ($1, $2, $3, $4) ON CONFLICT (key) DO NOTHING";
const LAST_LONGER: &str = "UPDATE jobs SET valid_until_ms = $2 WHERE id = $1 AND valid_until_ms < $2";
const PUT_APPLICATION: &str = "INSERT INTO applications
    (id, user_id, job, state, version, lease_until_ms, created_at_ms, updated_at_ms)
    VALUES ($1, $2, $3, 'pending', 1, 0, $4, $4) ON CONFLICT (user_id, job) DO NOTHING";
const APPLICATION: &str = "SELECT a.* FROM applications a WHERE a.id = $1";
const URLS: &str = "SELECT DISTINCT url FROM job_keys WHERE job = $1 AND url <> '' ORDER BY url LIMIT 20";
/// Two imports at once would both miss what the other one brings.
const IMPORT_LOCK: i64 = 0x6a61_0002;
const IMPORTED: &str = "imported";

/// What an import brought.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct ImportCounts {
    pub(crate) new_jobs: usize,
    /// Postings of jobs that were there before.
    pub(crate) known: usize,
    pub(crate) new_applications: usize,
    /// The job of each posting.
    pub(crate) jobs: Vec<String>,
}

impl CallerTransaction {
    /// Stores postings for these people.
    pub(crate) async fn import(
        &mut self,
        users: &[String],
        listings: &[JobListing],
        counts: &mut ImportCounts,
    ) -> Result<(), Trouble> {
        self.tx.alone(IMPORT_LOCK).await?;
        for listing in listings {
            let job = match self.known_job(&listing.keys).await? {
                Some(job) => {
                    counts.known += 1;
                    job
                }
                None => {
                    counts.new_jobs += 1;
                    self.put_job(listing).await?
                }
            };
            self.add_posting(&job, listing).await?;
            for user in users {
                counts.new_applications += usize::from(self.put_application(user, &job).await?);
            }
            counts.jobs.push(job);
        }
        Ok(())
    }

    /// The pages of a job.
    pub(crate) async fn urls(&mut self, job: &str) -> Result<Vec<String>, Trouble> {
        let urls: Vec<(String,)> = self.tx.sql(URLS).bind(job).fetch_all().await?;
        Ok(urls.into_iter().map(|(url,)| url).collect())
    }

    async fn known_job(&mut self, keys: &[JobKey]) -> Result<Option<String>, Trouble> {
        for key in keys {
            let found: Option<(String,)> = self.tx.sql(JOB_OF_KEY).bind(&key.key).fetch_optional().await?;
            let Some((job,)) = found else { continue };
            if key.host.is_empty() && self.is_another_vacancy(&job, keys).await? {
                continue;
            }
            return Ok(Some(job));
        }
        Ok(None)
    }

    /// The same words with another id on the same host.
    async fn is_another_vacancy(&mut self, job: &str, keys: &[JobKey]) -> Result<bool, Trouble> {
        let Some(own) = keys.iter().find(|key| !key.host.is_empty()) else { return Ok(false) };
        let other: Option<(String,)> =
            self.tx.sql(OTHER_ID_OF_HOST).bind(job).bind(&own.host).fetch_optional().await?;
        Ok(other.is_some_and(|(key,)| key != own.key))
    }

    async fn put_job(&mut self, listing: &JobListing) -> Result<String, Trouble> {
        let id = format!("job_{}", uuid::Uuid::now_v7().simple());
        let canonical = listing.keys.first().map_or("", |key| key.key.as_str());
        let put = self.tx.sql(PUT_JOB).bind(&id).bind(canonical).bind(&listing.title).bind(&listing.company);
        let put = put.bind(&listing.place).bind(&listing.url).bind(listing.posting.to_string());
        put.bind(listing.valid_until_ms).bind(self.now_ms).execute().await?;
        Ok(id)
    }

    async fn add_posting(&mut self, job: &str, listing: &JobListing) -> Result<(), Trouble> {
        for key in &listing.keys {
            let put = self.tx.sql(PUT_KEY).bind(&key.key).bind(job).bind(&key.host);
            put.bind(if key.host.is_empty() { "" } else { &listing.url }).execute().await?;
        }
        if let Some(until) = listing.valid_until_ms {
            self.tx.sql(LAST_LONGER).bind(job).bind(until).execute().await?;
        }
        Ok(())
    }

    /// False if the person has this job already.
    async fn put_application(&mut self, user: &str, job: &str) -> Result<bool, Trouble> {
        let id = format!("app_{}", uuid::Uuid::now_v7().simple());
        let put = self.tx.sql(PUT_APPLICATION).bind(&id).bind(user).bind(job).bind(self.now_ms);
        if put.execute().await? == 0 {
            return Ok(false);
        }
        let row: Option<ApplicationRow> = self.tx.sql(APPLICATION).bind(&id).fetch_optional().await?;
        let row = row.ok_or_else(|| Trouble::internal(format!("{id} was stored and is not there")))?;
        self.write_event(&row, None, IMPORTED, &EvidenceFields::default()).await?;
        Ok(true)
    }
}

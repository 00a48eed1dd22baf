//! Revisions: how other processes notice a change, and how those who make one keep out of each other's way.

use std::time::Duration;

use toolgate_core::event::Event;

use crate::books::Books;
use crate::db::Transaction;
use crate::error::doing;
use crate::revision_beat::Revisions;
use crate::{Store, StoreError};

const READ_ALL: &str = "SELECT topic, revision FROM revisions WHERE tenant = $1";
const HOLD: &str = "SELECT revision FROM revisions WHERE tenant = $1 AND topic = $2";
const BUMP: &str = "UPDATE revisions SET revision = revision + 1 WHERE tenant = $1 AND topic = $2";

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum RevisionTopic {
    Settings,
    Registrations,
    Tools,
    Vault,
    Sessions,
}

impl RevisionTopic {
    fn as_str(self) -> &'static str {
        match self {
            RevisionTopic::Settings => "settings",
            RevisionTopic::Registrations => "registrations",
            RevisionTopic::Tools => "tools",
            RevisionTopic::Vault => "vault",
            RevisionTopic::Sessions => "sessions",
        }
    }
}

impl Store {
    /// The time until the next beat. Whoever rests for so long and then looks knows a change as soon as with a query of its own.
    pub fn until_next_look(&self) -> Duration {
        self.revisions.until_next()
    }

    /// The revisions as whoever came first in this beat read them.
    pub async fn look_at_revisions(&self) -> Result<Revisions, StoreError> {
        let mut last = self.revisions.last.lock().await;
        let beat = self.revisions.number();
        if let Some((read_in, revisions)) = *last
            && read_in == beat
        {
            return Ok(revisions);
        }
        let revisions = self.read_revisions().await?;
        *last = Some((beat, revisions));
        Ok(revisions)
    }

    /// One small query: the revisions as they are now.
    pub async fn read_revisions(&self) -> Result<Revisions, StoreError> {
        let read = self.db.sql(READ_ALL).bind(self.tenant);
        let rows: Vec<(String, i64)> = read.fetch_all().await.map_err(doing("look for changes"))?;
        let of = |topic: RevisionTopic| {
            let row = rows.iter().find(|(name, _)| name == topic.as_str());
            row.map_or(0, |(_, revision)| crate::registry::columns::read_count(*revision))
        };
        Ok(Revisions {
            settings: of(RevisionTopic::Settings),
            registrations: of(RevisionTopic::Registrations),
            tools: of(RevisionTopic::Tools),
            vault: of(RevisionTopic::Vault),
            sessions: of(RevisionTopic::Sessions),
        })
    }
}

/// A change of one topic in progress: it locks the topic. If it is dropped, it is rolled back.
pub(crate) struct TopicChange<'b> {
    books: &'b Books,
    topic: RevisionTopic,
    pub(crate) tx: Transaction,
    pub(crate) tenant: &'static str,
    /// The topic's revision after the change.
    pub(crate) revision: i64,
}

impl<'b> TopicChange<'b> {
    /// Takes the one lock of the topic before anything else, so that two that change several rows never wait in a circle.
    pub(crate) async fn begin(books: &'b Books, topic: RevisionTopic) -> Result<Self, sqlx::Error> {
        let tenant = books.store().tenant;
        let mut tx = books.begin().await?;
        let hold = tx.sql_for_update(HOLD).bind(tenant).bind(topic.as_str());
        let (revision,): (i64,) = hold.fetch_one().await?;
        Ok(Self { books, topic, tx, tenant, revision: revision + 1 })
    }

    /// Adds a change of another topic. Topics that come before this one in the order must not be touched.
    pub(crate) async fn touch(&mut self, topic: RevisionTopic) -> Result<(), sqlx::Error> {
        self.tx.sql(BUMP).bind(self.tenant).bind(topic.as_str()).execute().await.map(drop)
    }

    /// Commits it with its events and counts up the revision.
    pub(crate) async fn finish(mut self, events: Vec<Event>) -> Result<(), sqlx::Error> {
        self.tx.sql(BUMP).bind(self.tenant).bind(self.topic.as_str()).execute().await?;
        self.books.record(self.tx, events).await
    }

    /// Commits it with its events, without making readers reload.
    pub(crate) async fn finish_quietly(self, events: Vec<Event>) -> Result<(), sqlx::Error> {
        self.books.record(self.tx, events).await
    }

    /// Commits a change that no reader needs to notice.
    pub(crate) async fn finish_unnoticed(self) -> Result<(), sqlx::Error> {
        self.tx.commit().await
    }
}

//! One message as columns, under the digest that the ledger has too.

use toolgate_core::Digest;
use toolgate_core::id::RunId;
use toolgate_core::model::{MessagePart, MessageRole, ModelMessage};
use toolgate_core::run::StoredMessage;

use super::digest::{DigestedContent, SALT_BYTES};
use super::error::LoopError;
use super::write::NewMessage;
use crate::StoreError;
use crate::db::{SqlStatement, without_nul};
use crate::error::random_bytes;
use crate::registry::{read_count, stored_count, unreadable};
use crate::row::row;
use crate::run::json;

macro_rules! select {
    ($conditions:literal) => {
        concat!(
            "SELECT number, turn, role, parts, salt, tokens, folded_into, digest, created_at_ms FROM run_messages \
             WHERE tenant = $1 AND run = $2",
            $conditions
        )
    };
}

pub(super) const PAGE: &str = select!(" AND number > $3 ORDER BY number LIMIT $4");
/// Those between two numbers that are still sent, and those that stand for folded ones between them.
pub(super) const FOLDABLE: &str = select!(
    " AND folded_into IS NULL AND (number BETWEEN $3 AND $4 OR number IN (SELECT folded_into FROM run_messages \
     WHERE tenant = $1 AND run = $2 AND number BETWEEN $3 AND $4 AND folded_into IS NOT NULL)) ORDER BY number"
);
pub(super) const UNTIL_TURN: &str = select!(" AND turn <= $3 ORDER BY number");
pub(super) const INSERT: &str =
    "INSERT INTO run_messages (tenant, run, number, turn, role, parts, salt, tokens, folded_into, digest, created_at_ms)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)";

/// A message with its digest, which is about to be stored.
pub(super) struct SealedMessage {
    pub(super) number: u64,
    turn: u64,
    role: MessageRole,
    parts: String,
    salt: [u8; SALT_BYTES],
    tokens: u64,
    pub(super) folded_into: Option<u64>,
    pub(super) digest: Digest,
}

impl SealedMessage {
    pub(super) fn new(run: &RunId, number: u64, turn: u64, new: &NewMessage) -> Result<Self, StoreError> {
        let (role, parts, salt) = (new.message.role, json(&new.message.parts), random_bytes::<SALT_BYTES>()?);
        let content = DigestedContent { run, number, turn, role: role.as_str(), parts: &parts };
        let digest = content.digest(&salt);
        Ok(Self { number, turn, role, parts, salt, tokens: new.tokens, folded_into: None, digest })
    }

    /// In the order of `INSERT`.
    pub(super) fn push_new(&self, tenant: &'static str, run: &RunId, now_ms: i64, to: &mut SqlStatement<'_>) {
        to.push(tenant);
        to.push(without_nul(run.as_str()));
        to.push(stored_count(self.number));
        to.push(stored_count(self.turn));
        to.push(self.role.as_str());
        to.push(&*self.parts);
        to.push(self.salt.to_vec());
        to.push(stored_count(self.tokens));
        to.push(self.folded_into.map(stored_count));
        to.push(self.digest.as_bytes().to_vec());
        to.push(now_ms);
    }
}

row! {
    pub(super) struct MessageRow {
        number: i64,
        turn: i64,
        role: String,
        parts: String,
        salt: Option<Vec<u8>>,
        tokens: i64,
        folded_into: Option<i64>,
        digest: Vec<u8>,
        created_at_ms: i64,
    }
}

impl MessageRow {
    pub(super) fn number(&self) -> u64 {
        read_count(self.number)
    }

    /// True if its content was erased. Its digest is still there.
    pub(super) fn is_erased(&self) -> bool {
        self.salt.is_none()
    }

    /// Reads a message of a run that is what was written. An erased one has no parts.
    pub(super) fn read(self, run: &RunId, doing: &'static str) -> Result<StoredMessage, LoopError> {
        let (number, turn) = (read_count(self.number), read_count(self.turn));
        let tampered = || LoopError::Tampered { run: run.clone(), number };
        let digest = <[u8; 32]>::try_from(self.digest).map_err(|_| tampered())?;
        let digest = Digest::from_bytes(digest);
        let content = DigestedContent { run, number, turn, role: &self.role, parts: &self.parts };
        let is_sound = match &self.salt {
            Some(salt) => content.digest(salt) == digest,
            None => self.parts == "[]",
        };
        if !is_sound {
            return Err(tampered());
        }
        let role = MessageRole::parse(&self.role).ok_or(unreadable(doing, "role of a message"))?;
        let parts: Vec<MessagePart> =
            serde_json::from_str(&self.parts).map_err(|_| unreadable(doing, "parts of a message"))?;
        Ok(StoredMessage {
            number,
            turn,
            message: ModelMessage { role, parts },
            tokens: read_count(self.tokens),
            folded_into: self.folded_into.map(read_count),
            digest,
            created_at_ms: self.created_at_ms,
        })
    }
}

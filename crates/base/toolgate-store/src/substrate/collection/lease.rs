//! The turn to collect: one gateway at a time, for a limited time.

use toolgate_core::event::Durability;

use super::roots;
use super::turn::{CollectionTerms, CollectionTurn};
use crate::db::Transaction;
use crate::error::doing;
use crate::{Store, StoreError};

/// The time after which another gateway goes on with a collection that nobody goes on with.
pub const COLLECTION_LEASE_MS: i64 = 5 * 60 * 1000;

const BEGINNING: &str = "begin a collection";
const GOING_ON: &str = "go on with a collection";

const FIRST: &str = "INSERT INTO collections (tenant, generation, round, is_whole, holder, leased_until_ms)
    VALUES ($1, 1, 0, 0, '', 0) ON CONFLICT (tenant) DO NOTHING";
const TAKE: &str = "UPDATE collections SET holder = $2, leased_until_ms = $3, round = round + 1
    WHERE tenant = $1 AND (holder = $2 OR leased_until_ms <= $4) RETURNING generation, round, is_whole";
const BEGIN_MARKING: &str =
    "UPDATE collections SET generation = $3, is_whole = 0 WHERE tenant = $1 AND holder = $2";
const RENEW: &str = "UPDATE collections SET leased_until_ms = $4
    WHERE tenant = $1 AND holder = $2 AND generation = $3";
const END_MARKING: &str = "UPDATE collections SET is_whole = 1
    WHERE tenant = $1 AND holder = $2 AND generation = $3";
const NEXT_ROUND: &str = "UPDATE collections SET is_whole = 0
    WHERE tenant = $1 AND holder = $2 AND generation = $3";
const GIVE_BACK: &str = "UPDATE collections SET leased_until_ms = 0 WHERE tenant = $1 AND holder = $2";

impl Store {
    /// Takes the turn and notes the roots. `None` if another gateway is collecting. Marks of the generation before still count if
    /// none of its roots went away.
    pub async fn begin_collection(
        &self,
        terms: &CollectionTerms,
    ) -> Result<Option<CollectionTurn>, StoreError> {
        let mut tx = self.db.begin(Durability::Written).await.map_err(doing(BEGINNING))?;
        let begun = self.begin_in(&mut tx, terms).await.map_err(doing(BEGINNING))?;
        tx.commit().await.map_err(doing(BEGINNING))?;
        Ok(begun)
    }

    async fn begin_in(
        &self,
        tx: &mut Transaction,
        terms: &CollectionTerms,
    ) -> Result<Option<CollectionTurn>, sqlx::Error> {
        tx.sql(FIRST).bind(self.tenant).execute().await?;
        let until = terms.now_ms.saturating_add(COLLECTION_LEASE_MS);
        let take = tx.sql(TAKE).bind(self.tenant).bind(&*self.holder).bind(until).bind(terms.now_ms);
        let Some((before, round, is_whole)) = take.fetch_optional::<(i64, i64, i64)>().await? else {
            return Ok(None);
        };
        let is_any_gone = roots::note(tx, self.tenant, round, terms).await?;
        let generation = if is_whole == 1 && !is_any_gone { before } else { before.saturating_add(1) };
        let marking = tx.sql(BEGIN_MARKING).bind(self.tenant).bind(&*self.holder).bind(generation);
        marking.execute().await?;
        Ok(Some(CollectionTurn { generation, round }))
    }

    /// Notes the roots that came since, and says that what they reach is not marked yet. `false` if the turn is over.
    pub async fn note_new_roots(
        &self,
        turn: &CollectionTurn,
        terms: &CollectionTerms,
    ) -> Result<bool, StoreError> {
        let mut tx = self.db.begin(Durability::Written).await.map_err(doing(GOING_ON))?;
        let going = tx.sql(NEXT_ROUND).bind(self.tenant).bind(&*self.holder).bind(turn.generation);
        let is_ours = going.execute().await.map_err(doing(GOING_ON))? > 0;
        roots::add(&mut tx, self.tenant, turn.round, terms).await.map_err(doing(GOING_ON))?;
        tx.commit().await.map_err(doing(GOING_ON))?;
        Ok(is_ours)
    }

    /// Keeps the turn for a while. `false` if it is over.
    pub async fn renew_collection(&self, turn: &CollectionTurn, now_ms: i64) -> Result<bool, StoreError> {
        let until = now_ms.saturating_add(COLLECTION_LEASE_MS);
        self.change_turn(RENEW, turn, Some(until)).await
    }

    /// Says that everything that the roots reach is marked. `false` if the turn is over.
    pub async fn end_marking(&self, turn: &CollectionTurn) -> Result<bool, StoreError> {
        self.change_turn(END_MARKING, turn, None).await
    }

    /// Gives the turn back, and forgets marks that do not count any more.
    pub async fn end_collection(&self, turn: &CollectionTurn) -> Result<(), StoreError> {
        self.forget_marks(turn.generation).await?;
        let mut tx = self.db.begin(Durability::Written).await.map_err(doing(GOING_ON))?;
        let back = tx.sql(GIVE_BACK).bind(self.tenant).bind(&*self.holder);
        back.execute().await.map_err(doing(GOING_ON))?;
        tx.commit().await.map_err(doing(GOING_ON))
    }

    async fn change_turn(
        &self,
        text: &'static str,
        turn: &CollectionTurn,
        until_ms: Option<i64>,
    ) -> Result<bool, StoreError> {
        let mut tx = self.db.begin(Durability::Written).await.map_err(doing(GOING_ON))?;
        let mut change = tx.sql(text).bind(self.tenant).bind(&*self.holder).bind(turn.generation);
        if let Some(until_ms) = until_ms {
            change.push(until_ms);
        }
        let changed = change.execute().await.map_err(doing(GOING_ON))?;
        tx.commit().await.map_err(doing(GOING_ON))?;
        Ok(changed > 0)
    }
}

#![doc = include_str!("../README.md")]

mod error;
mod open;
mod secret;
mod server;
mod token;
mod token_cache;

use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

pub use error::StoreError;
pub use open::Others;
pub use server::{Counts, ServerStatus, StoredListing};
pub use token::{NewToken, Token};
pub use token_cache::TokenCache;

/// An open data folder. Clones share one small pool and one token cache.
#[derive(Clone)]
pub struct Store {
    pool: sqlx::SqlitePool,
    tokens: Arc<TokenCache>,
    tenant: &'static str,
}

/// The one tenant there is as yet.
const TENANT: &str = "default";

impl Store {
    /// Ends the pool, so that the write-ahead log is folded into the database.
    pub async fn close(&self) {
        self.pool.close().await;
    }
}

fn now_ms() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}

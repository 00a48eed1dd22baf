//! The place of a story: its own folder, its own database on Postgres, and a clock.

use std::sync::Arc;

use toolgate_stage::Stage;
use toolgate_store::Store;

use crate::gateway::SessionsClock;

/// Makes two tests of each story.
#[macro_export]
macro_rules! on_both {
    ($($story:ident),+ $(,)?) => { toolgate_stage::on_both!($crate::world::SessionsWorld: $($story),+); };
}

pub(crate) struct SessionsWorld {
    stage: Stage,
    pub(crate) clock: Arc<SessionsClock>,
}

impl SessionsWorld {
    pub(crate) fn sqlite() -> Self {
        Self { stage: Stage::sqlite(), clock: Arc::default() }
    }

    pub(crate) fn postgres() -> Self {
        Self { stage: Stage::postgres(), clock: Arc::default() }
    }

    /// Another process on the same database.
    pub(crate) async fn store(&self) -> Store {
        let opened = match self.stage.url() {
            None => Store::open(self.stage.folder()).await,
            Some(url) => Store::open_url(self.stage.folder(), url).await,
        };
        opened.expect("the store opens")
    }
}

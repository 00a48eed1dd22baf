//! The gateway whose console is opened, over a store that was filled before.

use std::path::Path;

use toolgate_stage::postgres::Database;
use toolgate_store::Store;

use super::filling::Filling;
use crate::agents::ScriptedProcess;
use crate::client::BenchTarget;
use crate::fast::Fast;
use crate::gateway::{BenchGateway, Home, Launcher, ServerEntry};
use crate::server::Eras;

const SERVER: &str = "fast";
const TOOLS: [&str; 2] = ["fast__echo", "fast__blob"];
/// People are asked about one tool, and nothing waits for them.
const SETTINGS: &str = r#"[approvals]
hold_seconds = 0

[runs]
input_hold_seconds = 0

[policy]
template = "exploratory"
gates = 'forbid (principal, action == Action::"fast:blob", resource);'

[[tools]]
name = "fast:*"
effects = ["read"]

[[capabilities]]
name = "work"
description = "Repeats texts and sends bytes"
servers = ["fast"]

[[agents]]
name = "clerk"
capabilities = ["work"]

"#;

pub(super) struct ConsoleSite {
    gateway: BenchGateway,
    pub(super) admin: BenchTarget,
    pub(super) agent: BenchTarget,
    _home: Home,
    _fast: Fast,
    /// Dropped when the gateway has ended.
    _database: Option<Database>,
}

impl ConsoleSite {
    /// In a database of its own on the Postgres server, if one is named.
    pub(super) async fn open(
        program: &Path,
        model: &ScriptedProcess,
        postgres: Option<&str>,
        filling: &Filling,
    ) -> anyhow::Result<ConsoleSite> {
        let fast = Fast::start(Eras::Both).await?;
        let database = postgres.map(Database::create);
        let store = database.as_ref().map(|database| format!("[store]\nurl = {:?}\n\n", database.url));
        let settings = format!("{}{SETTINGS}{}", store.unwrap_or_default(), model.settings());
        let home = Home::with(&[ServerEntry { name: SERVER.to_owned(), url: fast.url() }], &settings)?;
        fill(&home, database.as_ref(), filling).await?;
        let gateway = BenchGateway::start(program, &home, &Launcher::default()).await?;
        gateway.ready().await?;
        let agent = gateway.target(&home).await?;
        let admin = gateway.target_as(&home, "admin").await?;
        gateway.wait_for_tools(&agent, &TOOLS.map(str::to_owned)).await?;
        Ok(ConsoleSite { gateway, admin, agent, _home: home, _fast: fast, _database: database })
    }

    pub(super) fn last_words(&self) -> String {
        self.gateway.last_words()
    }

    pub(super) async fn close(self) -> anyhow::Result<()> {
        self.gateway.end().await
    }
}

async fn fill(home: &Home, database: Option<&Database>, filling: &Filling) -> anyhow::Result<()> {
    let store = match database {
        Some(database) => Store::open_url(&home.data(), &database.url).await?,
        None => Store::open(&home.data()).await?,
    };
    filling.write(&store).await?;
    store.close().await;
    if let Some(database) = database {
        // A ledger that grew over months has been looked at by then.
        database.run("VACUUM ANALYZE");
    }
    Ok(())
}

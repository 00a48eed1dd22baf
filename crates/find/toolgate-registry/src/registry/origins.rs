//! Servers that came from an MCP registry: which there are, and what a look there has found. Nothing is changed.

use toolgate_core::{PrincipalId, Refusal, ServerName};

use super::Registry;
use crate::events::RegistryEvent;
use crate::published::{OriginFinding, PublishedOrigin};
use crate::records::down;
use crate::source::ServerEntry;

impl Registry {
    /// Servers with the entries that they were made from, in the order of the roster.
    pub fn origins(&self) -> Vec<(ServerName, PublishedOrigin)> {
        let state = self.desk.state();
        let origin = |entry: &ServerEntry| Some((entry.spec.name.clone(), entry.published.clone()?));
        state.roster.entries.iter().filter_map(origin).collect()
    }

    /// Keeps what was found about a server, with an event if no gateway has told of it yet. Nothing is kept about one that was
    /// removed during the look.
    pub async fn note_finding(&self, server: &ServerName, found: &OriginFinding) -> Result<(), Refusal> {
        if self.desk.state().roster.get(server).is_none() {
            return Ok(());
        }
        let books = &self.desk.books;
        if found.standing.is_quiet() {
            return books.forget_outdated_server(server, &found.version).await.map_err(down);
        }
        let (at_ms, gateway) = (self.desk.clock.now_ms(), PrincipalId::gateway());
        let event = RegistryEvent { at_ms, by: &gateway }.outdated(server, found);
        let kept = books.keep_outdated_server(&found.stored(server, at_ms), vec![event]).await;
        kept.map(drop).map_err(down)
    }
}

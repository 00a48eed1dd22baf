//! Resources that results linked to.

use std::collections::{HashMap, HashSet, VecDeque};

use parking_lot::Mutex;
use toolgate_core::{PrincipalId, ServerName};

/// The places of resources that results linked to, so that reading one finds the server that named it even if it never listed it.
#[derive(Default)]
pub(crate) struct ResourceLinks(Mutex<LinkTable>);

#[derive(Default)]
struct LinkTable {
    servers: HashMap<(PrincipalId, String), ServerName>,
    order: VecDeque<(PrincipalId, String)>,
}

const LINKS_MAX: usize = 10_000;

impl ResourceLinks {
    pub(crate) fn remember(&self, principal: &PrincipalId, server: &ServerName, uris: HashSet<String>) {
        let mut table = self.0.lock();
        let mut uris: Vec<String> = uris.into_iter().collect();
        uris.sort();
        for uri in uris {
            let key = (principal.clone(), uri);
            if table.servers.insert(key.clone(), server.clone()).is_none() {
                table.order.push_back(key);
            }
            if table.order.len() > LINKS_MAX
                && let Some(oldest) = table.order.pop_front()
            {
                table.servers.remove(&oldest);
            }
        }
    }

    pub(crate) fn server_of(&self, principal: &PrincipalId, uri: &str) -> Option<ServerName> {
        let table = self.0.lock();
        table.servers.get(&(principal.clone(), uri.to_owned())).cloned()
    }
}

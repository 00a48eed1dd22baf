//! What a search in a registry found.

use super::name::PublishedName;
use super::server::{PublicationStatus, PublishedServer};

/// The servers that fit, in the order of the registry, each in its latest version.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct PublishedFinds {
    pub servers: Vec<PublishedServer>,
    /// The number of entries that cannot be read.
    pub unread: usize,
    /// True if there may be more than were read.
    pub more: bool,
}

impl PublishedFinds {
    /// Takes what fits of a page, up to `count_max` in all.
    pub fn take(&mut self, servers: Vec<PublishedServer>, words: &[String], count_max: usize) {
        for server in servers {
            let is_current = server.is_latest && server.status != PublicationStatus::Deleted;
            if !is_current || !server.has_words(words) || self.has(&server.name) {
                continue;
            }
            if self.servers.len() >= count_max {
                self.more = true;
                return;
            }
            self.servers.push(server);
        }
    }

    fn has(&self, name: &PublishedName) -> bool {
        self.servers.iter().any(|known| known.name == *name)
    }
}

//! Open pairs of the older HTTP+SSE transport: where messages go that are posted to one of them.

use std::collections::HashMap;
use std::sync::Arc;

use bytes::Bytes;
use parking_lot::Mutex;
use toolgate_core::port::BoxFuture;
use toolgate_core::scope::Credential;

/// Takes one message; ready once it has been understood.
pub(crate) type MessageInlet = Arc<dyn Fn(Bytes) -> BoxFuture<'static, ()> + Send + Sync>;

/// Open pairs, by the id in the URL that the client posts to.
#[derive(Default)]
pub(crate) struct Pairs(Mutex<HashMap<String, (Credential, MessageInlet)>>);

impl Pairs {
    pub(crate) fn count(&self) -> usize {
        self.0.lock().len()
    }

    pub(crate) fn add(&self, id: String, owner: Credential, inlet: MessageInlet) {
        self.0.lock().insert(id, (owner, inlet));
    }

    pub(crate) fn remove(&self, id: &str) {
        self.0.lock().remove(id);
    }

    /// The receiver of a pair's messages. Another caller's pair does not exist for this one.
    pub(crate) fn find(&self, id: &str, credential: &Credential) -> Option<MessageInlet> {
        let pairs = self.0.lock();
        pairs.get(id).filter(|(owner, _)| owner == credential).map(|(_, inlet)| inlet.clone())
    }
}

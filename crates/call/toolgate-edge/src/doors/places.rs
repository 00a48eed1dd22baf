//! Places for connections: so many at once, not all of them for one peer, and a few that are kept for health checks and for those
//! who look after the gateway when all others are taken.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::Arc;

use parking_lot::{Mutex, MutexGuard};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Places beyond the limit. What comes there is answered at once or not at all.
const KEPT: usize = 8;

pub(crate) struct ConnectionSlots {
    ordinary: Arc<Semaphore>,
    kept: Arc<Semaphore>,
    peers: Arc<PeerCounts>,
    per_peer_max: usize,
}

#[derive(Default)]
struct PeerCounts(Mutex<HashMap<IpAddr, usize>>);

/// The use of a connection.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ConnectionUse {
    Ordinary,
    /// For health checks, operators and admins: all others are told that there is no place.
    Kept,
}

/// A connection's place among all.
pub(crate) struct ConnectionSlot {
    pub(crate) standing: ConnectionUse,
    _permit: OwnedSemaphorePermit,
    _visit: Option<PeerSlot>,
}

/// One of a peer's ordinary places.
struct PeerSlot {
    peers: Arc<PeerCounts>,
    peer: IpAddr,
}

impl ConnectionSlots {
    pub(crate) fn new(connections_max: usize) -> Self {
        Self {
            ordinary: Arc::new(Semaphore::new(connections_max)),
            kept: Arc::new(Semaphore::new(KEPT)),
            peers: Arc::default(),
            // A proxy in front is one peer for all clients, so most of them are for one.
            per_peer_max: (connections_max - connections_max / 4).max(1),
        }
    }

    /// A place for a connection from this peer, as soon as there is one.
    pub(crate) async fn take(&self, peer: IpAddr) -> ConnectionSlot {
        let kept = || async { ConnectionSlot::kept(acquire(&self.kept).await) };
        let Some(visit) = PeerSlot::begin(&self.peers, peer, self.per_peer_max) else { return kept().await };
        tokio::select! {
            biased;
            permit = acquire(&self.ordinary) => {
                ConnectionSlot { standing: ConnectionUse::Ordinary, _permit: permit, _visit: Some(visit) }
            }
            place = kept() => place,
        }
    }
}

async fn acquire(places: &Arc<Semaphore>) -> OwnedSemaphorePermit {
    places.clone().acquire_owned().await.expect("the semaphore is never closed")
}

impl ConnectionSlot {
    fn kept(permit: OwnedSemaphorePermit) -> Self {
        Self { standing: ConnectionUse::Kept, _permit: permit, _visit: None }
    }
}

impl PeerCounts {
    fn lock(&self) -> MutexGuard<'_, HashMap<IpAddr, usize>> {
        self.0.lock()
    }
}

impl PeerSlot {
    fn begin(peers: &Arc<PeerCounts>, peer: IpAddr, max: usize) -> Option<Self> {
        let mut counts = peers.lock();
        let count = counts.entry(peer).or_default();
        if *count >= max {
            return None;
        }
        *count += 1;
        Some(Self { peers: peers.clone(), peer })
    }
}

impl Drop for PeerSlot {
    fn drop(&mut self) {
        let mut counts = self.peers.lock();
        if let Some(count) = counts.get_mut(&self.peer) {
            *count -= 1;
            if *count == 0 {
                counts.remove(&self.peer);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ANN: IpAddr = IpAddr::V4(std::net::Ipv4Addr::new(127, 0, 0, 1));
    const BOB: IpAddr = IpAddr::V4(std::net::Ipv4Addr::new(127, 0, 0, 2));

    #[tokio::test]
    async fn one_peer_leaves_places_for_others_and_some_are_kept_when_all_are_taken() {
        let places = ConnectionSlots::new(4);
        let mut taken = Vec::new();
        for standing in
            [ConnectionUse::Ordinary, ConnectionUse::Ordinary, ConnectionUse::Ordinary, ConnectionUse::Kept]
        {
            let place = places.take(ANN).await;
            assert_eq!(place.standing, standing);
            taken.push(place);
        }
        let other = places.take(BOB).await;
        assert_eq!(other.standing, ConnectionUse::Ordinary);
        assert_eq!(places.take(BOB).await.standing, ConnectionUse::Kept, "all are taken");
        drop(taken.remove(0));
        assert_eq!(places.take(ANN).await.standing, ConnectionUse::Ordinary, "one has left");
        drop((taken, other));
        assert!(places.peers.lock().is_empty(), "nobody is remembered who has left");
    }
}

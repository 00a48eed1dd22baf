//! The wire between a browser and the gateway, which can be cut and laid again, to the same gateway or to the next one.

use std::net::SocketAddr;

use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinSet;
use toolgate_testkit::gateway::Gateway;

pub(crate) struct Wire {
    pub(crate) base: String,
    target: watch::Sender<Option<SocketAddr>>,
    _carrier: JoinSet<()>,
}

impl Wire {
    pub(crate) async fn to(gateway: &Gateway) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let base = format!("http://{}", listener.local_addr().expect("it listens"));
        let (target, wanted) = watch::channel(Some(address(gateway)));
        let mut carrier = JoinSet::new();
        carrier.spawn(carry_all(listener, wanted));
        Self { base, target, _carrier: carrier }
    }

    /// Ends every connection, and refuses new ones.
    pub(crate) fn cut(&self) {
        self.target.send_replace(None);
    }

    pub(crate) fn lead_to(&self, gateway: &Gateway) {
        self.target.send_replace(Some(address(gateway)));
    }
}

fn address(gateway: &Gateway) -> SocketAddr {
    let base = gateway.url("");
    base.trim_start_matches("http://").parse().expect("the gateway listens on an address")
}

async fn carry_all(listener: TcpListener, mut wanted: watch::Receiver<Option<SocketAddr>>) {
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            Ok(()) = wanted.changed() => connections.abort_all(),
            Ok((near, _)) = listener.accept() => {
                let target = *wanted.borrow();
                if let Some(target) = target {
                    connections.spawn(carry(near, target));
                }
            }
        }
    }
}

async fn carry(mut near: TcpStream, target: SocketAddr) {
    if let Ok(mut far) = TcpStream::connect(target).await {
        // Either side may hang up whenever it likes.
        drop(tokio::io::copy_bidirectional(&mut near, &mut far).await);
    }
}

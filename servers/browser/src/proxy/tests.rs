//! Stories of the proxy, with names that lead somewhere else each time.

use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use super::dial::NameLookup;
use super::*;

/// A listener that counts who connects.
struct Canary {
    port: u16,
    visits: Arc<AtomicUsize>,
}

impl Canary {
    async fn start(tasks: &TaskTracker) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let visits = Arc::new(AtomicUsize::new(0));
        let count = Arc::clone(&visits);
        tasks.spawn(async move {
            while let Ok((_stream, _)) = listener.accept().await {
                count.fetch_add(1, Ordering::SeqCst);
            }
        });
        Self { port, visits }
    }

    fn visits(&self) -> usize {
        self.visits.load(Ordering::SeqCst)
    }
}

/// A resolver that gives another answer each time, and counts how often it is asked.
fn changing(answers: Vec<&'static str>, asked: &Arc<AtomicUsize>) -> NameLookup {
    let asked = Arc::clone(asked);
    Arc::new(move |_, port| {
        let turn = asked.fetch_add(1, Ordering::SeqCst);
        let answer = answers[turn.min(answers.len() - 1)];
        Box::pin(async move { Ok(vec![SocketAddr::new(answer.parse().unwrap(), port)]) })
    })
}

/// The first line of the proxy's answer to a request for a tunnel.
async fn tunnel(proxy: u16, host: &str, port: u16) -> String {
    let mut stream = TcpStream::connect((Ipv4Addr::LOCALHOST, proxy)).await.unwrap();
    let request = format!("CONNECT {host}:{port} HTTP/1.1\r\nhost: {host}:{port}\r\n\r\n");
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut answer = vec![0; 1024];
    let read = stream.read(&mut answer).await.unwrap();
    String::from_utf8_lossy(&answer[..read]).lines().next().unwrap_or_default().to_owned()
}

async fn serve_with(names: NameLookup, private: bool, tasks: &TaskTracker) -> (u16, CancellationToken) {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let end = CancellationToken::new();
    let rules = HostRules { allow: vec!["a.example".parse().unwrap()], private, ports: Vec::new() };
    let ports: ProxyPorts = Arc::new(Mutex::new(vec![port]));
    let way = ProxyWay { rules: Arc::new(rules), journal: Arc::default(), ports, names };
    tasks.spawn(serve::serve(listener, Arc::new(way), end.clone(), tasks.clone()));
    (port, end)
}

#[tokio::test]
async fn a_name_that_leads_elsewhere_each_time_is_judged_each_time_by_the_address_that_is_dialled() {
    let tasks = TaskTracker::new();
    let (canary, asked) = (Canary::start(&tasks).await, Arc::new(AtomicUsize::new(0)));
    // This machine may be visited: by its own address, and not as the service of a cloud or as the proxy itself.
    let names = changing(vec!["127.0.0.1", "169.254.169.254", "::ffff:169.254.169.254", "127.0.0.1"], &asked);
    let (proxy, end) = serve_with(names, true, &tasks).await;
    assert!(tunnel(proxy, "a.example", canary.port).await.contains(" 200 "));
    for turn in 2..=3 {
        let said = tunnel(proxy, "a.example", canary.port).await;
        assert!(!said.contains(" 200 "), "{said}");
        assert_eq!(asked.load(Ordering::SeqCst), turn, "a name is looked up once for each connection");
    }
    let own = tunnel(proxy, "a.example", proxy).await;
    assert!(!own.contains(" 200 "), "{own}");
    assert_eq!(canary.visits(), 1);
    end.cancel();
}

#[tokio::test]
async fn a_public_name_that_turns_to_this_machine_is_not_followed() {
    let tasks = TaskTracker::new();
    let (canary, asked) = (Canary::start(&tasks).await, Arc::new(AtomicUsize::new(0)));
    let names = changing(vec!["127.0.0.1", "10.0.0.1", "::1", "64:ff9b::7f00:1"], &asked);
    let (proxy, end) = serve_with(names, false, &tasks).await;
    for _ in 0..4 {
        let said = tunnel(proxy, "a.example", canary.port).await;
        assert!(!said.contains(" 200 "), "{said}");
    }
    assert_eq!((canary.visits(), asked.load(Ordering::SeqCst)), (0, 4));
    // Another name is not even looked up.
    let said = tunnel(proxy, "b.example", canary.port).await;
    assert!(!said.contains(" 200 "), "{said}");
    assert_eq!(asked.load(Ordering::SeqCst), 4);
    end.cancel();
}

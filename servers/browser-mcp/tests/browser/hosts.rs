//! Ways past the list of hosts, each of them refused.

use serde_json::json;

use crate::drive::Stage;

#[tokio::test]
async fn loopback_and_private_addresses_are_refused_however_they_are_written() {
    let stage = Stage::with(&[]).await;
    let port = stage.site.port;
    for host in [
        "127.0.0.1",
        "localhost",
        "[::1]",
        "[::ffff:127.0.0.1]",
        "0x7f000001",
        "2130706433",
        "127.1",
        "0.0.0.0",
        "[::]",
        "10.0.0.1",
        "192.168.1.1",
        "169.254.169.254",
        "[fe80::1]",
        "[fd00::1]",
        "[64:ff9b::7f00:1]",
        "x.localhost",
    ] {
        let url = format!("http://{host}:{port}/plain");
        let (code, text) = stage.client.trouble("navigate", json!({ "url": url })).await;
        assert!(["bad_arguments", "unavailable"].contains(&code.as_str()), "{host}: {code} {text}");
    }
    assert!(stage.site.visits("/plain").is_empty(), "nothing was dialled");
}

#[tokio::test]
async fn special_schemes_are_refused() {
    let stage = Stage::open().await;
    stage.go("/plain").await;
    for url in [
        "file:///etc/passwd",
        "view-source:http://127.0.0.1/",
        "data:text/html,<h1>x</h1>",
        "javascript:alert(1)",
        "chrome://version",
        "devtools://devtools/bundled/inspector.html",
        "blob:http://127.0.0.1/x",
        "filesystem:http://127.0.0.1/temporary/x",
        "ftp://127.0.0.1/",
    ] {
        let refused = stage.refused("navigate", json!({ "url": url }), "bad_arguments").await;
        assert!(refused.contains("http"), "{url}: {refused}");
    }
    let after = stage.call("snapshot", json!({})).await;
    assert!(after.contains("A plain page"), "the page stays: {after}");
}

#[tokio::test]
async fn only_allowed_hosts_are_reached_by_redirect_script_socket_and_worker() {
    let stage = Stage::with(&["--allow-private", "--allow-site", "127.0.0.1"]).await;
    stage.go("/plain").await;
    let goal = stage.site.other_url("/reached-by-redirect");
    let url = stage.site.url(&format!("/redirect?{goal}"));
    let result = stage.client.call("navigate", json!({ "url": url })).await;
    let told = format!("{result:?}");
    assert!(told.contains("localhost"), "it says what was refused: {told}");

    stage.go("/reach").await;
    stage.call("wait_for", json!({ "text": "results" })).await;
    let reached = stage.call("snapshot", json!({})).await;
    // A fetch that may not see its answer takes the proxy's refusal for one; what counts is that nobody was asked.
    assert!(reached.contains("rejected rejected"), "{reached}");
    stage.go("/worker").await;
    stage.call("wait_for", json!({ "text": "worker says" })).await;
    for path in ["redirect", "fetch", "image", "socket", "worker"] {
        let visits = stage.site.visits(&format!("/reached-by-{path}"));
        assert!(visits.is_empty(), "{path}: {visits:?}");
    }
    let direct = stage.client.trouble("navigate", json!({ "url": stage.site.other_url("/plain") })).await;
    assert!(direct.1.contains("localhost"), "{direct:?}");
    assert!(stage.site.visits("/plain").iter().all(|one| one.host.starts_with("127.0.0.1")));
}

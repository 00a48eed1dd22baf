//! The operator's network: private authorities, servers that require a certificate, proxies; and the messages
//! when one of them causes trouble.

use std::net::SocketAddr;
use std::process::Output;

use serde_json::{Value, json};
use toolgate_testkit::front::{ConnectProxy, TlsFront};
use toolgate_testkit::gateway::{Gateway, until_async};
use toolgate_testkit::pki::Authority;

use crate::doors::WAIT;
use crate::governed::receiver::Receiver;
use crate::kit::{Remote, call, listed};
use crate::toolgate;

/// A folder for the files that a configuration names.
struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Self {
        Self(tempfile::tempdir().expect("a temporary folder"))
    }

    fn put(&self, name: &str, text: &str) {
        std::fs::write(self.0.path().join(name), text).expect("a file");
    }

    fn boot(self, toml: &str) -> Gateway {
        Gateway::boot_in(toolgate(), toml, self.0)
    }
}

fn server() -> Remote {
    Remote::start("conformance-server", &[])
}

/// A server that takes requests for any host.
fn anywhere() -> Remote {
    Remote::start("bad-neighbour", &["--era", "modern"])
}

/// The address of a server of the test kit.
fn address(url: &str) -> SocketAddr {
    url.trim_start_matches("http://").trim_end_matches("/mcp").parse().expect("an address")
}

fn entry(name: &str, url: &str, more: &str) -> String {
    format!("[[servers]]\nname = {name:?}\nurl = {url:?}\n{more}\n")
}

/// The reason why a server is unavailable, from `servers show`.
async fn reason(gateway: &Gateway, server: &str) -> String {
    let shown = until_async(WAIT, || async {
        let output = gateway.cli(&["servers", "show", server, "--json"]);
        let shown: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        shown["reason"].as_str().map(str::to_owned)
    });
    shown.await.unwrap_or_else(|| panic!("{server} is not said to be away"))
}

fn text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn an_authority_of_ones_own_is_trusted_for_all_servers_or_for_one() {
    let (authority, far) = (Authority::new("Operators"), server());
    let front = TlsFront::start(authority.server(&authority.sign(&["localhost"])), address(&far.url)).await;
    let url = format!("https://localhost:{}/mcp", front.port());
    for toml in [
        format!("[network]\nca_file = \"ca.pem\"\n{}", entry("far", &url, "")),
        entry("far", &url, "network = { ca_file = \"ca.pem\" }"),
        entry("far", &url, "network = { ca_file = \"ca.pem\", public_roots = false }"),
    ] {
        let folder = Folder::new();
        folder.put("ca.pem", &authority.pem());
        let gateway = folder.boot(&toml);
        listed(&gateway, "far__test_simple_text").await;
        let said = call(&gateway.client(), "far__test_simple_text", json!({})).await;
        assert_eq!(said["isError"], false, "{said}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn without_it_the_certificate_is_the_trouble_and_is_said_to_be() {
    let (authority, far) = (Authority::new("Operators"), server());
    let front = TlsFront::start(authority.server(&authority.sign(&["localhost"])), address(&far.url)).await;
    let url = format!("https://localhost:{}/mcp", front.port());
    let gateway = Folder::new().boot(&entry("far", &url, ""));
    let told = reason(&gateway, "far").await;
    assert!(told.contains("certificate trouble: an authority signed it that is not trusted here"), "{told}");
    let doctor = text(&gateway.cli(&["doctor"]));
    assert!(
        doctor.contains("hint: if it is an authority of your own, name its certificate: `ca_file`"),
        "{doctor}"
    );
    // A file that changes is taken up while the gateway runs.
    std::fs::write(gateway.folder().join("ca.pem"), authority.pem()).expect("a file");
    let toml = format!("[network]\nca_file = \"ca.pem\"\n{}", entry("far", &url, ""));
    std::fs::write(gateway.folder().join("toolgate.toml"), toml).expect("a file");
    listed(&gateway, "far__test_simple_text").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_wants_a_certificate_is_shown_one() {
    let (authority, far) = (Authority::new("Operators"), server());
    let config = authority.server_for_known(&authority.sign(&["localhost"]));
    let front = TlsFront::start(config, address(&far.url)).await;
    let url = format!("https://localhost:{}/mcp", front.port());
    let own = authority.sign(&["gateway"]);
    let put = |folder: &Folder| {
        folder.put("ca.pem", &authority.pem());
        folder.put("gate.pem", &own.pem());
        folder.put("gate.key", &own.key_pem());
    };
    let shown = "client_certificate = \"gate.pem\"\nclient_key = \"gate.key\"\n";
    for toml in [
        format!("[network]\nca_file = \"ca.pem\"\n{shown}{}", entry("far", &url, "")),
        format!("[network]\nca_file = \"ca.pem\"\n{}[servers.network]\n{shown}", entry("far", &url, "")),
    ] {
        let folder = Folder::new();
        put(&folder);
        let gateway = folder.boot(&toml);
        listed(&gateway, "far__test_simple_text").await;
    }
    let folder = Folder::new();
    put(&folder);
    let gateway = folder.boot(&format!("[network]\nca_file = \"ca.pem\"\n{}", entry("far", &url, "")));
    let told = reason(&gateway, "far").await;
    assert!(told.contains("certificate trouble: the other side wants a certificate"), "{told}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_proxy_leads_to_servers_in_tls_and_in_the_clear_but_never_to_this_machine() {
    let (authority, far) = (Authority::new("Operators"), anywhere());
    let config = authority.server(&authority.sign(&["tls.example"]));
    let front = TlsFront::start(config, address(&far.url)).await;
    let proxy = ConnectProxy::start(Some("Basic YW5uOnBAc3M=")).await;
    let folder = Folder::new();
    folder.put("ca.pem", &authority.pem());
    let toml = format!(
        "[network]\nca_file = \"ca.pem\"\nproxy = \"http://ann:p%40ss@{}\"\n{}{}{}",
        proxy.address,
        entry("tls", &format!("https://tls.example:{}/mcp", front.port()), ""),
        entry("plain", &format!("http://plain.example:{}/mcp", address(&far.url).port()), ""),
        entry("here", &far.url, ""),
    );
    let gateway = folder.boot(&toml);
    for server in ["tls", "plain", "here"] {
        listed(&gateway, &format!("{server}__ask")).await;
    }
    let asked = proxy.asked();
    let tls = format!("tls.example:{}", front.port());
    let plain = format!("plain.example:{}", address(&far.url).port());
    assert!(asked.contains(&tls) && asked.contains(&plain), "{asked:?}");
    assert!(
        asked.iter().all(|one| *one == tls || *one == plain),
        "this machine is reached directly: {asked:?}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_name_that_somebody_sent_is_resolved_and_checked_here_and_not_by_the_proxy() {
    let (proxy, far) = (ConnectProxy::start(None).await, anywhere());
    let gateway = Folder::new().boot(&format!(
        "[network]\nproxy = \"http://{}\"\n{}",
        proxy.address,
        entry("plain", &format!("http://plain.example:{}/mcp", address(&far.url).port()), ""),
    ));
    listed(&gateway, "plain__ask").await;
    let before = proxy.asked().len();
    // The proxy would resolve both to this machine, and the gateway does not ask it.
    for (url, told) in
        [("http://10.1.2.3/mcp", "allow_private"), ("http://nobody.invalid/mcp", "the name leads nowhere")]
    {
        let value = json!([{ "name": "sent", "url": url }]).to_string();
        let set = gateway.cli(&["settings", "set", "mcp_servers", &value]);
        let said = match set.status.success() {
            true => reason(&gateway, "sent").await,
            false => String::from_utf8_lossy(&set.stderr).into_owned(),
        };
        assert!(said.contains(told), "{url}: {said}");
    }
    assert!(
        proxy.asked()[before..].iter().all(|one| one.starts_with("plain.example:")),
        "{:?}",
        proxy.asked()
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn webhooks_go_through_the_proxy_and_trust_the_authority() {
    let authority = Authority::new("Operators");
    let (proxy, receiver) = (ConnectProxy::start(None).await, Receiver::open().await);
    let behind: SocketAddr = receiver.url.trim_start_matches("http://").parse().expect("an address");
    let front = TlsFront::start(authority.server(&authority.sign(&["hooks.example"])), behind).await;
    let folder = Folder::new();
    folder.put("ca.pem", &authority.pem());
    let gateway = folder.boot(&format!(
        "[network]\nca_file = \"ca.pem\"\nproxy = \"http://{}\"\n[[webhooks]]\nname = \"desk\"\nurl = \"https://hooks.example:{}/hook\"\n\
         secret = \"sixteen letters and more\"\n",
        proxy.address,
        front.port()
    ));
    let admin = reqwest::Client::builder().no_proxy().build().expect("a client");
    let sent = admin.post(gateway.url("/webhooks/desk/test")).bearer_auth(&gateway.admin).send().await;
    let sent = sent.expect("an answer");
    assert!(sent.status().is_success(), "{sent:?}");
    let came = receiver.find(|message| message.path == "/hook").await;
    assert!(came.json()["type"].as_str().is_some_and(|kind| kind.ends_with("webhook.test")), "{came:?}");
    assert_eq!(proxy.asked(), [format!("hooks.example:{}", front.port())]);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_doctor_tells_certificates_from_proxies_from_the_network() {
    let (authority, far) = (Authority::new("Operators"), server());
    let behind = address(&far.url);
    let expired = TlsFront::start(authority.server(&authority.sign_expired(&["localhost"])), behind).await;
    let misnamed = TlsFront::start(authority.server(&authority.sign(&["other.example"])), behind).await;
    let unknown = Authority::new("Somebody");
    let unknown = TlsFront::start(unknown.server(&unknown.sign(&["localhost"])), behind).await;
    let proxy = ConnectProxy::start(Some("Basic bm9ib2R5OmtudyBpdA==")).await;
    let closed = std::net::TcpListener::bind("127.0.0.1:0").expect("a port").local_addr().expect("bound");
    let folder = Folder::new();
    folder.put("ca.pem", &authority.pem());
    let local = |front: &TlsFront| format!("https://localhost:{}/mcp", front.port());
    let by_proxy = |at: SocketAddr| format!("network = {{ proxy = \"http://{at}\" }}");
    let toml = [
        "[network]\nca_file = \"ca.pem\"\n".to_owned(),
        entry("expired", &local(&expired), ""),
        entry("misnamed", &local(&misnamed), ""),
        entry("unknown", &local(&unknown), ""),
        entry("closed", &format!("http://{closed}/mcp"), ""),
        entry("nameless", "http://nobody.invalid/mcp", ""),
        entry("proxied", "https://far.example/mcp", &by_proxy(proxy.address)),
        entry("proxyless", "https://far.example/mcp", &by_proxy(closed)),
        entry("plain", &format!("https://localhost:{}/mcp", behind.port()), ""),
    ]
    .concat();
    let gateway = folder.boot(&toml);
    let doctor = gateway.cli(&["doctor", "--json"]);
    let report: Value = serde_json::from_slice(&doctor.stdout).expect("JSON");
    let findings = report["findings"].as_array().expect("findings");
    for (server, says, hint) in [
        ("expired", "certificate trouble: it has expired", "renew the certificate"),
        (
            "misnamed",
            "certificate trouble: it is for other names",
            "dial a name that stands in the certificate",
        ),
        ("unknown", "certificate trouble: an authority signed it", "`ca_file` in `[network]`"),
        ("closed", "network trouble: connection refused", "check the port"),
        ("nameless", "network trouble: the name leads nowhere", "check the spelling"),
        ("proxied", "proxy trouble: it wants credentials", "${PROXY_USER}"),
        ("proxyless", "proxy trouble: it does not answer", "check `proxy`"),
        ("plain", "network trouble: what answers there does not speak TLS", "write `http://`"),
    ] {
        let about = format!("server {server}");
        let finding = findings.iter().find(|one| one["about"] == about.as_str());
        let finding = finding.unwrap_or_else(|| panic!("nothing about {server}: {report:#}"));
        assert_eq!(finding["ok"], false, "{finding}");
        let (told, advice) = (finding["says"].to_string(), finding["hint"].to_string());
        assert!(told.contains(says), "{server}: {told}");
        assert!(advice.contains(hint), "{server}: {advice}");
    }
}

#[test]
fn files_that_are_no_certificates_are_told_by_name_before_anything_starts() {
    let (authority, other) = (Authority::new("Operators"), Authority::new("Somebody"));
    let (own, foreign) = (authority.sign(&["a"]), other.sign(&["b"]));
    for (toml, told) in [
        ("ca_file = \"gone.pem\"", "gone.pem cannot be read: No such file"),
        ("ca_file = \"text\"", "text: it holds no certificate in PEM"),
        ("ca_file = \"damaged.pem\"", "damaged.pem: a certificate in it is damaged"),
        ("client_certificate = \"own.pem\"", "has `client_certificate` without `client_key`"),
        ("client_key = \"own.key\"", "has `client_key` without `client_certificate`"),
        (
            "client_certificate = \"own.pem\"\nclient_key = \"foreign.key\"",
            "foreign.key: it is not the key of",
        ),
        ("client_certificate = \"own.pem\"\nclient_key = \"own.pem\"", "own.pem: it holds no private key"),
        ("public_roots = false", "leaves no authority to trust"),
        ("proxy = \"https://proxy.example\"", "wants TLS to the proxy itself"),
        ("no_proxy = [\"http://a\"]", "neither the name of a host nor an address"),
    ] {
        let folder = Folder::new();
        folder.put("text", "hello");
        folder.put("damaged.pem", "-----BEGIN CERTIFICATE-----\naGVsbG8=\n-----END CERTIFICATE-----\n");
        folder.put("own.pem", &own.pem());
        folder.put("own.key", &own.key_pem());
        folder.put("foreign.key", &foreign.key_pem());
        folder.put("toolgate.toml", &format!("[network]\n{toml}\n"));
        let output = std::process::Command::new(toolgate())
            .args(["serve", "--listen", "127.0.0.1:0", "--config", "toolgate.toml"])
            .current_dir(folder.0.path())
            .output()
            .expect("the binary runs");
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!output.status.success() && said.contains(told), "{toml}: {said}");
        assert!(said.contains("hint: "), "{said}");
    }
}

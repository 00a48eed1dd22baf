//! Signing in at a server, with an identity provider that agrees to everything at once and a browser that follows.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, Stdio};

use serde_json::json;
use toolgate_testkit::idp::{Idp, KeyKind};

use super::{CliFolder, Said};

async fn idp() -> Idp {
    let here = std::net::SocketAddr::from(([127, 0, 0, 1], 0));
    Idp::start_at(here, KeyKind::Es256).await.expect("it listens")
}

fn place(idp: &Idp) -> CliFolder {
    CliFolder::new(&format!("[[servers]]\nname = \"hub\"\nurl = \"{}/mcp\"\n", idp.issuer()))
}

/// A pending sign-in, and its address.
fn start(place: &CliFolder, args: &[&str]) -> (Child, String, BufReader<std::process::ChildStderr>) {
    let mut command = place.command(&[&["servers", "login", "hub", "--no-browser"], args].concat());
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("the binary runs");
    let mut stderr = BufReader::new(child.stderr.take().expect("a pipe"));
    let mut said = String::new();
    let address = loop {
        let mut line = String::new();
        let read = stderr.read_line(&mut line).expect("stderr can be read");
        assert!(read > 0, "it ended without an address: {said}");
        if line.trim().starts_with("http://") {
            break line.trim().to_owned();
        }
        said.push_str(&line);
    };
    (child, address, stderr)
}

fn end(child: Child, mut stderr: BufReader<std::process::ChildStderr>) -> Said {
    let mut said = Said::from(child.wait_with_output().expect("it ends"));
    stderr.read_to_string(&mut said.stderr).expect("stderr can be read");
    said
}

#[tokio::test(flavor = "multi_thread")]
async fn a_person_signs_in_once_and_what_it_gave_can_be_forgotten() {
    let idp = idp().await;
    let place = place(&idp);
    let (child, address, stderr) = start(&place, &["--json"]);
    let page = reqwest::get(&address).await.expect("the browser follows").text().await.expect("a page");
    assert!(page.contains("You can close this window"), "{page}");
    let said = tokio::task::spawn_blocking(|| end(child, stderr)).await.expect("joined").well();
    let signed_in = said.json();
    assert_eq!((&signed_in["server"], &signed_in["renews"]), (&json!("hub"), &json!(true)));
    assert_eq!(signed_in["scopes"], json!(["read"]));
    let listed = place.run(&["secrets", "list"]).well().stdout;
    assert!(listed.contains("(a sign-in)") && listed.contains("everyone"), "{listed}");
    place.run(&["servers", "logout", "hub"]).well();
    place.run(&["servers", "logout", "hub"]).badly(1, &["there is no sign-in", "hint: "]);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_does_not_belong_to_the_sign_in_is_sent_away_and_a_no_is_told() {
    let idp = idp().await;
    let place = place(&idp);
    let (child, address, stderr) = start(&place, &[]);
    let address = reqwest::Url::parse(&address).expect("an address");
    let redirect =
        address.query_pairs().find(|(key, _)| key == "redirect_uri").expect("a redirect").1.into_owned();
    let foreign = reqwest::get(format!("{redirect}?code=stolen&state=guessed")).await.expect("an answer");
    assert_eq!(foreign.status(), 400);
    let elsewhere = reqwest::get(redirect.replace("/callback", "/favicon.ico")).await.expect("an answer");
    assert_eq!(elsewhere.status(), 404);
    let state = address.query_pairs().find(|(key, _)| key == "state").expect("a state").1.into_owned();
    let denied = format!("{redirect}?error=access_denied&error_description=%3Cb%3Enot+today&state={state}");
    let page = reqwest::get(denied).await.expect("an answer").text().await.expect("a page");
    assert!(page.contains("&lt;b&gt;not today"), "{page}");
    let said = tokio::task::spawn_blocking(|| end(child, stderr)).await.expect("joined");
    said.badly(1, &["access_denied", "not today"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_address_can_be_pasted_where_the_browser_is_elsewhere() {
    let idp = idp().await;
    let place = place(&idp);
    let (mut child, address, stderr) = start(&place, &["--paste", "--principal", "ann"]);
    let browser =
        reqwest::Client::builder().redirect(reqwest::redirect::Policy::none()).build().expect("a client");
    let answer = browser.get(&address).send().await.expect("an answer");
    let back = answer.headers()["location"].to_str().expect("an address").to_owned();
    let mut stdin = child.stdin.take().expect("a pipe");
    writeln!(stdin, "https://example.com/?code=1&state=2\n{back}").expect("pasted");
    drop(stdin);
    let said = tokio::task::spawn_blocking(|| end(child, stderr)).await.expect("joined").well();
    assert!(
        said.stdout.contains("signed in at hub for ann") && said.stdout.contains("granted: read"),
        "{said:?}"
    );
    assert!(said.stderr.contains("That is not the address"), "{said:?}");
}

#[test]
fn where_there_is_nowhere_to_sign_in_that_is_said() {
    let place = CliFolder::new(
        "[[servers]]\nname = \"child\"\ncommand = \"true\"\n[[servers]]\nname = \"later\"\nregistered = true\n\
         [[servers]]\nname = \"dead\"\nurl = \"http://127.0.0.1:9/mcp\"\n",
    );
    let login = |name: &str| place.run(&["servers", "login", name, "--no-browser"]);
    login("child").badly(1, &["is a command", "hint: ", "toolgate secrets set child NAME"]);
    login("later").badly(1, &["no instance", "hint: "]);
    login("dead").badly(1, &["dead", "hint: "]);
    login("haed").badly(1, &["haed", "did you mean \"dead\""]);
}

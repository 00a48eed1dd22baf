//! Credentials for sites: an agent writes a handle, a named server gets the value in a declared argument, and nobody else gets
//! it at all.

use std::io::Write;
use std::process::Stdio;

use serde_json::{Value, json};
use tempfile::TempDir;
use toolgate_testkit::gateway::{Gateway, HttpClient};

use crate::confined::python;
use crate::governed::bank::{NO_HOLD, pending, status};
use crate::governed::database::Backing;
use crate::governed::on_both;
use crate::kit::{call, listed};
use crate::live::secrets::{holds, stored};
use crate::live::site::Site;
use crate::toolgate;

on_both!(a_value_reaches_its_server_and_nobody_else, a_person_is_asked_before_the_first_use_in_a_session);

const PASSWORD: &str = "pä/ss \"word\" 0815";
const USERNAME: &str = "ada@jobs.example";
const ORIGIN: &str = "https://jobs.example";
const OPEN: &str = "[policy]\ntemplate = \"exploratory\"\n";

/// A server that says what it got, and repeats the value in every writing that it knows. Backwards it cannot be recognised,
/// so that a test sees that it came.
const SCRIPT: &str = r#"
import json, sys, urllib.parse

def say(**message):
    print(json.dumps({"jsonrpc": "2.0", **message}), flush=True)

for line in sys.stdin:
    message = json.loads(line)
    id, method = message.get("id"), message.get("method")
    if id is None:
        continue
    if method == "initialize":
        result = {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}}
        say(id=id, result={**result, "serverInfo": {"name": "site", "version": "1"}})
    elif method == "tools/list":
        say(id=id, result={"tools": json.load(open(sys.argv[1]))})
    elif method == "tools/call":
        params = message["params"]
        got = params["arguments"].get("secret")
        value = got["value"] if isinstance(got, dict) else str(got)
        token = params.get("_meta", {}).get("progressToken")
        if token is not None:
            note = {"progressToken": token, "progress": 1, "message": "typing " + value}
            say(method="notifications/progress", params=note)
        if params["name"] == "fail":
            say(id=id, error={"code": -32000, "message": "wrong password " + value, "data": {"tried": value}})
            continue
        told = {"kind": type(got).__name__, "backwards": value[::-1], "plain": value, "nested": json.dumps({"v": value}),
            "percent": urllib.parse.quote(value, safe=""), "arguments": params["arguments"]}
        if isinstance(got, dict):
            told.update(handle=got["handle"], origin=got["origin"])
        say(id=id, result={"content": [{"type": "text", "text": json.dumps(told)}], "structuredContent": told})
    else:
        say(id=id, error={"code": -32601, "message": "no such method"})
"#;

/// Tools that take a secret in one argument, and texts in others.
fn tools(secrets: &[&str]) -> Value {
    let slots: Vec<Value> = secrets.iter().map(|argument| json!({ "argument": argument })).collect();
    let tool = |name: &str| json!({ "name": name, "description": "Types", "inputSchema": { "type": "object" }, "_meta": { "dev.toolgate/tool": { "secrets": slots } } });
    json!([tool("type"), tool("fail")])
}

/// A gateway in front of `browser`, which may get the credential, `notes`, which may not, and `stranger`, which is not believed.
struct CredentialSite {
    site: Site,
    /// Whom the credential is for.
    agent: HttpClient,
}

impl CredentialSite {
    async fn open(backing: Backing, toml: &str) -> Self {
        let folder = TempDir::new().expect("a temporary folder");
        let list = folder.path().join("tools.json");
        std::fs::write(&list, tools(&["secret", "fields/*/secret"]).to_string()).expect("written");
        let args = json!(["-c", SCRIPT, list]);
        let server = |name: &str, more: &str| {
            format!("[[servers]]\nname = {name:?}\ncommand = {:?}\nargs = {args}\n{more}", python())
        };
        let servers =
            [server("browser", ""), server("notes", ""), server("stranger", "trust_annotations = false\n")]
                .concat();
        let toml = format!("{}{toml}{servers}", backing.toml());
        let gateway = Gateway::boot_with(toolgate(), &toml, folder, &[("TOOLGATE_LOG", "debug")]);
        let site = Site { gateway, backing };
        for name in ["browser__type", "notes__type", "stranger__type"] {
            listed(&site.gateway, name).await;
        }
        let agent = site.agent_with(&site.token("--role agent --principal bot"));
        Self { site, agent }
    }

    /// `toolgate credentials …` with values on standard input.
    fn type_in(&self, words: &[&str], values: &str) -> String {
        let mut command = self.site.gateway.cli_command(&[&["credentials"], words].concat());
        let piped = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = piped.spawn().expect("the binary starts");
        child.stdin.take().expect("piped").write_all(values.as_bytes()).expect("it reads");
        let output = child.wait_with_output().expect("it ends");
        assert!(output.status.success(), "{output:?}");
        let said = [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
        assert!(!said.concat().contains(PASSWORD), "{said:?}");
        said[0].clone()
    }

    /// Creates the credential and returns its id.
    fn created(&self) -> String {
        let words = [
            "add",
            "Example Jobs",
            "--origin",
            "https://JOBS.example/login",
            "--for",
            "principal:bot",
            "--server",
            "browser",
            "--server",
            "stranger",
            "--field",
            "username",
            "--field",
            "password",
            "--json",
        ];
        let said = self.type_in(&words, &format!("{USERNAME}\n{PASSWORD}\n"));
        let created: Value = serde_json::from_str(&said).expect("JSON");
        assert_eq!(created["origin"], ORIGIN, "{created}");
        created["id"].as_str().expect("an id").to_owned()
    }

    async fn call(&self, tool: &str, arguments: Value) -> Value {
        call(&self.agent, tool, arguments).await
    }
}

fn code(result: &Value) -> &str {
    result["structuredContent"]["error"]["code"].as_str().unwrap_or_else(|| panic!("no error: {result}"))
}

async fn a_value_reaches_its_server_and_nobody_else(backing: Backing) {
    let here = CredentialSite::open(backing, OPEN).await;
    let id = here.created();
    let (handle, mark) = (format!("{id}.password"), format!("[secret {id}.password]"));
    let arguments =
        json!({ "secret": handle, "text": handle, "fields": [{ "secret": format!("{id}.username") }] });
    let result = here.call("browser__type", arguments.clone()).await;
    let told = &result["structuredContent"];
    let backwards: String = PASSWORD.chars().rev().collect();
    assert_eq!((&told["kind"], &told["backwards"]), (&json!("dict"), &json!(backwards)), "{result}");
    assert_eq!((&told["handle"], &told["origin"]), (&json!(handle), &json!(ORIGIN)), "{result}");
    assert_eq!(told["arguments"]["text"], handle, "a handle in an undeclared argument is a text");
    for writing in ["plain", "percent"] {
        assert_eq!(told[writing], mark, "{result}");
    }
    let nested: Value = serde_json::from_str(told["nested"].as_str().expect("a text")).expect("still JSON");
    assert_eq!(nested, json!({ "v": mark }), "{result}");
    let username = &told["arguments"]["fields"][0]["secret"];
    assert_eq!(username["value"], format!("[secret {id}.username]"), "{result}");
    let failed =
        here.agent.modern("tools/call", json!({ "name": "browser__fail", "arguments": arguments })).await;
    assert!(failed.text.contains(&mark), "{failed:?}");

    let mut everything = format!("{result}{}{}", failed.text, here.site.gateway.log().join("\n"));
    for path in ["/credentials", "/ledger?limit=1000", "/calls", "/registry/tools/browser:type"] {
        everything += &here.site.get(path).await.to_string();
    }
    let started = here.site.told("tool.call.started").await;
    let used = &started[0]["detail"]["credentials"];
    assert_eq!(used[0], json!({ "handle": handle, "name": "Example Jobs", "origin": ORIGIN }), "{started:?}");
    for event in &started {
        let call = event["call"].as_str().expect("a call");
        let shown = here.site.get(&format!("/ledger/{call}")).await.to_string();
        assert!(shown.contains(&handle), "the ledger has the handle: {shown}");
        everything += &shown;
    }
    assert_eq!(here.site.told("credential.used").await.len(), 1, "once for a session");
    for words in
        [&["credentials", "list"][..], &["credentials", "show", "Example Jobs"], &["ledger", "export"]]
    {
        everything += &here.site.say(words);
    }
    let bytes = stored(&here.site);
    assert!(holds(&bytes, "Example Jobs"), "the bytes are those of the database");
    let percent =
        percent_encoding::utf8_percent_encode(PASSWORD, percent_encoding::NON_ALPHANUMERIC).to_string();
    for secret in
        [PASSWORD, &PASSWORD.replace('"', "\\\""), &PASSWORD.replace('"', "\\\\\\\""), &percent, USERNAME]
    {
        assert!(!everything.contains(secret), "{secret} was shown");
        assert!(!holds(&bytes, secret), "{secret} is stored as it is");
    }

    here.type_in(&["rotate", &id, "password"], "another value\n");
    let result = here.call("browser__type", json!({ "secret": handle })).await;
    assert_eq!(result["structuredContent"]["backwards"], "eulav rehtona", "{result}");
    let shown = here.site.get(&format!("/credentials/{id}")).await;
    assert!(shown["last_used_at"].is_string(), "{shown}");
}

async fn a_person_is_asked_before_the_first_use_in_a_session(backing: Backing) {
    let gate = "@id(\"first-use\") @approvers(\"owners\") @editable(\"true\") forbid (principal, action, resource) \
        when { context has new_credentials };";
    let toml = format!("[policy]\ntemplate = \"exploratory\"\ngates = '''{gate}'''\n{NO_HOLD}");
    let here = CredentialSite::open(backing, &toml).await;
    let id = here.created();
    let arguments = json!({ "secret": format!("{id}.password") });
    let approval = pending(&here.call("browser__type", arguments.clone()).await);
    let shown = here.site.get(&format!("/approvals/{approval}")).await;
    let expected = json!({ "place": "/secret", "handle": format!("{id}.password"), "name": "Example Jobs", "origin": ORIGIN, "new": true });
    assert_eq!(shown["credentials"], json!([expected]), "{shown}");
    assert_eq!(shown["arguments"], arguments, "approvers see the handle, not a gap: {shown}");
    let told = here.site.say(&["approvals", "show", &approval]);
    assert!(told.contains("Example Jobs") && told.contains(ORIGIN), "{told}");
    here.site.say(&["approvals", "approve", &approval]);
    assert_eq!(status(&here.call("browser__type", arguments.clone()).await), "succeeded");
    let other = json!({ "secret": format!("{id}.username") });
    assert_eq!(
        status(&here.call("browser__type", other.clone()).await),
        "succeeded",
        "the session has used it"
    );
    assert_eq!(status(&here.call("browser__type", arguments).await), "succeeded");
    let opened = here.site.rest(&here.agent.token, "POST", "/sessions", Some(json!({}))).await;
    assert_eq!(opened.status, 201, "{opened:?}");
    let again = here.site.agent_with(opened.json()["token"].as_str().expect("a token"));
    pending(&call(&again, "browser__type", other).await);
    assert!(!holds(&stored(&here.site), PASSWORD));
}

#[tokio::test]
async fn an_approver_does_not_put_in_a_credential_that_was_not_judged() {
    let gate = "@approvers(\"owners\") @editable(\"true\") forbid (principal, action, resource) when { context has new_credentials };";
    let toml = format!("[policy]\ntemplate = \"exploratory\"\ngates = '''{gate}'''\n{NO_HOLD}");
    let here = CredentialSite::open(Backing::Sqlite, &toml).await;
    let id = here.created();
    let arguments = json!({ "secret": format!("{id}.username") });
    let approval = pending(&here.call("browser__type", arguments.clone()).await);
    let edit = json!({ "decision": "edit", "arguments": { "secret": format!("{id}.password") } });
    let path = format!("/approvals/{approval}/decide");
    let decided = here.site.rest(&here.site.gateway.admin, "POST", &path, Some(edit)).await;
    assert_eq!(decided.status, 200, "{decided:?}");
    let result = here.call("browser__type", arguments).await;
    assert_eq!(code(&result), "credential_changed", "{result}");
}

#[tokio::test]
async fn a_policy_forbids_an_origin() {
    let guard = "permit (principal, action, resource); forbid (principal, action, resource) \
        when { context has credential_origins && context.credential_origins.contains(\"https://jobs.example\") };";
    let toml = format!("[policy]\ntemplate = \"exploratory\"\nguard = '''{guard}'''\n");
    let here = CredentialSite::open(Backing::Sqlite, &toml).await;
    let id = here.created();
    let denied = here.call("browser__type", json!({ "secret": format!("{id}.password") })).await;
    assert_eq!(status(&denied), "denied", "{denied}");
    assert_eq!(status(&here.call("browser__type", json!({ "secret": "plain" })).await), "succeeded");
}

#[tokio::test]
async fn a_handle_is_refused_to_strangers_and_to_servers_that_are_not_named() {
    let here = CredentialSite::open(Backing::Sqlite, OPEN).await;
    let id = here.created();
    let secret = json!({ "secret": format!("{id}.password") });
    let notes = here.call("notes__type", secret.clone()).await;
    assert_eq!(code(&notes), "credential_not_for_server", "{notes}");
    let stranger = here.site.agent_with(&here.site.token("--role agent --principal eve"));
    let (foreign, missing) = (
        call(&stranger, "browser__type", secret.clone()).await,
        call(&stranger, "browser__type", json!({ "secret": "cred_00000000.password" })).await,
    );
    assert_eq!((code(&foreign), code(&missing)), ("unknown_credential", "unknown_credential"));
    let hint = |result: &Value| result["structuredContent"]["error"]["hint"].clone();
    assert_eq!(hint(&foreign), hint(&missing), "a stranger does not learn that it exists");
    for (written, expected) in [
        (json!(id), "bad_credential_handle"),
        (json!(format!("{id}.pin")), "bad_credential_handle"),
        (json!("cred_!"), "bad_credential_handle"),
        (json!({ "handle": id, "origin": ORIGIN, "value": "x" }), "bad_credential_handle"),
    ] {
        let refused = here.call("browser__type", json!({ "secret": written })).await;
        assert_eq!(code(&refused), expected, "{refused}");
    }
    // A server whose statements are not believed takes no secrets: the handle stays a text.
    let unbelieved = here.call("stranger__type", secret.clone()).await;
    assert_eq!(unbelieved["structuredContent"]["kind"], "str", "{unbelieved}");
    assert_eq!(unbelieved["structuredContent"]["arguments"], secret, "{unbelieved}");
    here.site.say(&["credentials", "remove", "Example Jobs"]);
    let erased = here.call("browser__type", secret.clone()).await;
    assert_eq!(code(&erased), "credential_erased", "{erased}");
    assert_eq!(code(&call(&stranger, "browser__type", secret).await), "unknown_credential");
    assert_eq!(here.site.told("credential.used").await.len(), 0, "nothing was sent");
    assert!(here.site.refuse(&["credentials", "show", "Example Jobs"]).contains("hint: "));
}

#[tokio::test]
async fn what_cannot_be_a_credential_is_refused_on_the_command_line_too() {
    let here = CredentialSite::open(Backing::Sqlite, OPEN).await;
    let add = |more: &[&str]| {
        let words =
            [&["credentials", "add", "X", "--for", "principal:bot", "--server", "browser"], more].concat();
        here.site.refuse(&words)
    };
    assert!(add(&["--origin", "http://jobs.example", "--secret", "pin=PIN"]).contains("https"));
    assert!(add(&["--origin", ORIGIN]).contains("fields"), "it has no field");
    assert!(add(&["--origin", ORIGIN, "--field", "Pass"]).contains("a-z"));
    let nobody = ["credentials", "add", "X", "--origin", ORIGIN, "--server", "browser", "--field", "pin"];
    assert!(here.site.refuse(&nobody).contains("--for"));
}

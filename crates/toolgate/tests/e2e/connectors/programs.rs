//! The program `connectors-mcp` behind the gateway: mail that people agree to, files of a bucket by their ids, and questions to a
//! database.

use serde_json::{Value, json};
use toolgate_stage::postgres::{Database, shared_server};
use toolgate_testkit::gateway::HttpClient;

use super::mail::{MailEnd, MailStandIn};
use super::office::{Care, outgoing_request};
use crate::files::archive::{Archive, structure, text};
use crate::files::bucket::Bucket;
use crate::governed::bank::{NO_HOLD, envelope, pending, status};
use crate::governed::database::Backing;
use crate::kit;
use crate::live::site::Site;
use crate::toolgate;

const AGENTS: &str =
    "[[agents]]\nname = \"clerk\"\nmounts = { providers = [\"mail\", \"s3\", \"postgres\"] }\n";

/// A gateway with one connection, and an agent who mounts it.
struct Connection {
    archive: Archive,
    server: String,
    token: String,
    agent: HttpClient,
}

impl Connection {
    /// The provider is the first of the arguments.
    async fn open(care: Care, arguments: &[&str], secrets: &[(&str, &str)]) -> Self {
        let program = toolgate().with_file_name("connectors-mcp");
        assert!(
            program.exists(),
            "{} is missing; build it with `cargo build -p connectors-mcp`",
            program.display()
        );
        let server = format!("connector.{}", arguments[0]);
        let env: Vec<String> = secrets.iter().map(|(name, value)| format!("{name} = {value:?}")).collect();
        let toml = format!(
            "[network]\nallow_loopback = true\n[policy]\ntemplate = {:?}\n{NO_HOLD}{AGENTS}\
             [[servers]]\nname = {server:?}\ncommand = {program:?}\nargs = {}\nenv = {{ {} }}\n",
            care.template(),
            json!(arguments),
            env.join(", ")
        );
        let site = Site::open_as(Backing::Sqlite, &toml);
        site.server_is(&server, |about| about["tools"].as_u64().is_some_and(|tools| tools > 0)).await;
        let token = site.token("--role agent --principal clerk-bot --agent clerk");
        let agent = site.agent_with(&token);
        Self { archive: Archive { site }, server, token, agent }
    }

    async fn call(&self, action: &str, arguments: Value) -> Value {
        kit::call(&self.agent, &format!("{}:{action}", self.server), arguments).await
    }

    fn site(&self) -> &Site {
        &self.archive.site
    }
}

async fn mail(stand_in: &MailStandIn, care: Care) -> Connection {
    let from = ["--from", "Ada <ada@example.com>", "--without-tls", "--silence-seconds", "2"];
    Connection::open(care, &[&["mail", "--smtp", &stand_in.url][..], &from].concat(), &[]).await
}

fn letter() -> Value {
    json!({ "to": ["Bob <bob@example.org>"], "subject": "Hello", "text": "Until tomorrow" })
}

#[tokio::test]
async fn a_mail_is_sent_once_after_a_person_saw_where_it_goes() {
    let stand_in = MailStandIn::start(MailEnd::Confirmed);
    let connection = mail(&stand_in, Care::Standard).await;
    let approval = pending(&connection.call("send", letter()).await);
    let shown = outgoing_request(connection.site(), &approval).await;
    for part in ["ada@example.com", "bob@example.org", "Hello"] {
        assert!(shown.contains(part), "{part} is missing: {shown}");
    }
    assert!(stand_in.taken().is_empty(), "nothing was sent yet");
    connection.site().say(&["approvals", "approve", &approval]);
    let sent = connection.call("send", letter()).await;
    assert_eq!((status(&sent), &structure(&sent)["repeated"]), ("succeeded", &json!(false)), "{sent:#}");
    let again = pending(&connection.call("send", letter()).await);
    assert_ne!(again, approval, "a yes is for one mail");
    let taken = stand_in.taken();
    assert_eq!(taken.len(), 1, "{taken:?}");
    assert!(taken[0].contains("Subject: Hello") && taken[0].contains("Until tomorrow"), "{taken:?}");
}

#[tokio::test]
async fn a_mail_whose_answer_was_lost_is_unknown_and_a_person_is_asked() {
    let stand_in = MailStandIn::start(MailEnd::HungUp);
    let connection = mail(&stand_in, Care::Exploratory).await;
    let lost = connection.call("send", letter()).await;
    assert_eq!(status(&lost), "unknown", "{lost:#}");
    let asked = connection.site().becomes("/inbox", |page| page["entries"][0]["kind"] == "input").await;
    let asked = asked["entries"][0].to_string();
    assert!(asked.contains("connector.mail:send") && asked.contains("did it happen"), "{asked}");
    assert_eq!(stand_in.taken().len(), 1, "it is not sent again");
}

#[tokio::test]
async fn files_go_to_a_bucket_by_their_ids_and_come_back_as_refs() {
    let bucket = Bucket::of_this_test();
    let place =
        ["s3", "--bucket", &bucket.bucket, "--endpoint", &bucket.endpoint, "--prefix", &bucket.prefix];
    let arguments = [&place[..], &["--without-tls", "--allow-put"]].concat();
    let secrets = [
        ("CONNECTORS_ACCESS_KEY_ID", bucket.access_key_id.as_str()),
        ("CONNECTORS_SECRET_ACCESS_KEY", &bucket.secret_access_key),
    ];
    let connection = Connection::open(Care::Exploratory, &arguments, &secrets).await;
    let archive = &connection.archive;
    let report = [0_u8, 159, 146, 150].repeat(10_000);
    let file = archive.upload(&connection.token, "report.bin", &report).await;
    let arguments = json!({ "key": "2026/report.bin", "file_id": file["id"] });
    let put = connection.call("put_object", arguments.clone()).await;
    assert_eq!(structure(&put)["bytes"], report.len(), "{put:#}");
    let keys = bucket.keys(&format!("{}/", bucket.prefix)).await;
    assert_eq!(keys, [format!("{}/2026/report.bin", bucket.prefix)]);
    let again = connection.call("put_object", arguments).await;
    assert_eq!(status(&again), "tool_error", "an object is kept: {again:#}");
    let read = connection.call("read_object", json!({ "key": "2026/report.bin" })).await;
    assert_eq!(structure(&read)["bytes"], report.len(), "{read:#}");
    let id = text(&envelope(&read)["refs"][0]["ref_id"]).to_owned();
    let fetched = archive.fetch(&connection.token, &format!("/refs/{id}/content")).await;
    assert!(
        fetched.status == 200 && fetched.bytes == report,
        "{}: {} bytes",
        fetched.status,
        fetched.bytes.len()
    );
}

#[tokio::test]
async fn a_database_answers_some_rows_and_is_never_changed() {
    let database = Database::create(shared_server());
    database.run("CREATE TABLE orders AS SELECT generate_series(1, 50) AS id");
    let (scheme, rest) = database.url.split_once("://").expect("a URL");
    let (login, place) = rest.split_once('@').expect("a user");
    let (user, password) = login.split_once(':').expect("a password");
    let url = format!("{scheme}://{user}@{place}");
    let arguments = ["postgres", "--database", &url, "--without-tls", "--rows-max", "20"];
    let connection = Connection::open(Care::Standard, &arguments, &[("CONNECTORS_PASSWORD", password)]).await;
    let some = connection.call("query", json!({ "sql": "SELECT id FROM orders ORDER BY id" })).await;
    let answer = structure(&some);
    assert_eq!((&answer["row_count"], &answer["truncated"]), (&json!(20), &json!(true)), "{some:#}");
    assert_eq!(answer["rows"][19], json!([20]), "{some:#}");
    for sql in ["DELETE FROM orders", "SELECT 1; DELETE FROM orders"] {
        let refused = connection.call("query", json!({ "sql": sql })).await;
        assert_eq!(status(&refused), "tool_error", "{refused:#}");
    }
    assert_eq!(database.ask("SELECT count(*) FROM orders"), "50");
}

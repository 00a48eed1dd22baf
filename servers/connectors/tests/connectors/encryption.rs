//! Encryption: from the start, by a command, and refused where it cannot be trusted.

use std::sync::Arc;

use serde_json::json;
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;
use tokio_rustls::TlsAcceptor;
use toolgate_testkit::pki::Authority;

use crate::drive::{Connector, PASSWORD, start};
use crate::imap_stand_in::{ImapManner, ImapStandIn};
use crate::smtp_stand_in::{SmtpManner, SmtpStandIn};

/// The beginning of an encrypted connection.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum TlsManner {
    FromTheStart,
    /// By STARTTLS.
    Upgraded,
    /// The same, with words that someone on the way put behind it.
    UpgradedWithForeignWords,
}

/// Encryption in front of a stand-in.
struct TlsFront {
    address: String,
    /// The authority's certificate.
    ca: tempfile::NamedTempFile,
    _task: JoinSet<()>,
}

impl TlsFront {
    async fn start(manner: TlsManner, behind: &str) -> Self {
        let authority = Authority::new("tests");
        let acceptor = TlsAcceptor::from(authority.server(&authority.sign(&["127.0.0.1"])));
        let ca = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(ca.path(), authority.pem()).unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let behind: Arc<str> = behind.split_once("://").unwrap().1.into();
        let mut task = JoinSet::new();
        task.spawn(async move {
            let mut talks = JoinSet::new();
            loop {
                let (stream, _) = listener.accept().await.unwrap();
                let (acceptor, behind) = (acceptor.clone(), Arc::clone(&behind));
                talks.spawn(async move { drop(talk(stream, manner, acceptor, &behind).await) });
            }
        });
        Self { address, ca, _task: task }
    }

    async fn sender(&self, scheme: &str, trusting: bool) -> Connector {
        let (url, ca) = (format!("{scheme}://{}", self.address), self.ca.path().display().to_string());
        let mut arguments = vec!["mail", "--smtp", &url, "--mail-user", "ada", "--from", "ada@example.com"];
        if trusting {
            arguments.extend(["--ca-file", &ca]);
        }
        start(&arguments, &[("CONNECTORS_PASSWORD", PASSWORD)]).await
    }
}

async fn talk(
    stream: TcpStream,
    manner: TlsManner,
    acceptor: TlsAcceptor,
    behind: &str,
) -> std::io::Result<()> {
    let mut inner = BufReader::new(TcpStream::connect(behind).await?);
    let mut stream = BufReader::new(stream);
    if manner != TlsManner::FromTheStart {
        inner.read_line(&mut String::new()).await?;
        stream.write_all(b"220 front\r\n").await?;
        stream.read_line(&mut String::new()).await?;
        stream.write_all(b"250 STARTTLS\r\n").await?;
        stream.read_line(&mut String::new()).await?;
        let foreign = if manner == TlsManner::UpgradedWithForeignWords { "250 forged\r\n" } else { "" };
        stream.write_all(format!("220 go on\r\n{foreign}").as_bytes()).await?;
    }
    let mut encrypted = acceptor.accept(stream.into_inner()).await?;
    tokio::io::copy_bidirectional(&mut encrypted, &mut inner).await.map(drop)
}

fn letter() -> serde_json::Value {
    json!({ "to": ["bob@example.org"], "subject": "Hello", "text": "Hi" })
}

#[tokio::test]
async fn mail_is_sent_and_read_over_encrypted_connections() {
    let smtp = SmtpStandIn::start(SmtpManner::Well).await;
    for (manner, scheme) in [(TlsManner::FromTheStart, "smtps"), (TlsManner::Upgraded, "smtp")] {
        let front = TlsFront::start(manner, &smtp.url).await;
        front.sender(scheme, true).await.answer("send", letter()).await;
    }
    assert_eq!(smtp.taken().len(), 2);
    let imap = ImapStandIn::start(ImapManner::Well, &[b"Subject: a\r\n\r\nb"]).await;
    let front = TlsFront::start(TlsManner::FromTheStart, &imap.url).await;
    let (url, ca) = (format!("imaps://{}", front.address), front.ca.path().display().to_string());
    let arguments = ["mail", "--imap", &url, "--mail-user", "ada", "--ca-file", &ca];
    let connector = start(&arguments, &[("CONNECTORS_PASSWORD", PASSWORD)]).await;
    assert_eq!(connector.answer("list_messages", json!({})).await["messages"][0]["subject"], "a");
}

#[tokio::test]
async fn no_password_goes_to_a_server_that_cannot_be_trusted() {
    let smtp = SmtpStandIn::start(SmtpManner::Well).await;
    for (manner, scheme, trusting, word) in [
        (TlsManner::FromTheStart, "smtps", false, "certificate"),
        (TlsManner::Upgraded, "smtp", false, "certificate"),
        (TlsManner::UpgradedWithForeignWords, "smtp", true, "before encryption began"),
    ] {
        let front = TlsFront::start(manner, &smtp.url).await;
        let (code, text) = front.sender(scheme, trusting).await.refusal("send", letter()).await;
        assert!(code == "unavailable" && text.contains(word), "{manner:?}: {code} {text}");
    }
    // A server without encryption is not spoken with further.
    let arguments = ["mail", "--smtp", &smtp.url, "--mail-user", "ada", "--from", "ada@example.com"];
    let connector = start(&arguments, &[("CONNECTORS_PASSWORD", PASSWORD)]).await;
    let (code, text) = connector.refusal("send", letter()).await;
    assert!(code == "conflict" && text.contains("encryption"), "{code} {text}");
    assert_eq!(smtp.taken(), []);
}

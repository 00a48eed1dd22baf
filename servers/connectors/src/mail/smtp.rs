//! The few commands of SMTP that send one mail (RFC 5321, RFC 3207, RFC 4954). What matters is the moment at which something
//! breaks: before the final dot nothing was sent; after it, only the server knows.

use std::io;
use std::time::Duration;

use base64_simd::STANDARD;
use mail_text::dotted;
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};

use crate::credential::ProviderSecret;
use crate::net::{Encryption, ProviderWay, Wire};
use crate::patience::within;

const REPLY_LINES_MAX: usize = 128;
const REPLY_LINE_BYTES_MAX: u64 = 4 << 10;
/// A server may look for viruses before it says yes.
const ANSWER_SILENCES: u32 = 3;
/// The longest time for the bytes of a mail.
const BODY_LIMIT: Duration = Duration::from_secs(300);
const HELLO: &str = "EHLO toolgate.localhost";

/// The reason why a mail was not sent, or may not have been.
#[derive(Debug, thiserror::Error)]
pub(super) enum MailSendError {
    /// It was not sent.
    #[error("the server could not be spoken with: {0}")]
    Unreachable(#[from] io::Error),
    /// It was not sent.
    #[error("the server refused {what}: {says}")]
    Refused { what: String, says: String },
    /// It was not sent.
    #[error("the server does not let {user} in: {says}")]
    Login { user: String, says: String },
    /// It may have been sent.
    #[error("the answer to the mail was lost: {0}")]
    Unsure(io::Error),
}

/// The sender's name and password at the server.
#[derive(Clone, Debug)]
pub(super) struct SmtpLogin {
    pub(super) user: String,
    pub(super) password: ProviderSecret,
}

/// The addresses outside and the bytes inside.
pub(super) struct MailEnvelope<'a> {
    pub(super) from: &'a str,
    pub(super) to: &'a [String],
    pub(super) message: &'a [u8],
}

struct SmtpReply {
    code: u16,
    lines: Vec<String>,
}

struct SmtpSession {
    wire: BufReader<Wire>,
    silence_max: Duration,
}

/// Sends one mail and returns the server's word about it.
pub(super) async fn send(
    way: &ProviderWay,
    login: Option<&SmtpLogin>,
    envelope: &MailEnvelope<'_>,
) -> Result<String, MailSendError> {
    let mut session = SmtpSession::open(way).await?;
    if let Some(login) = login {
        session.sign_in(login).await?;
    }
    session.announce(envelope).await?;
    let answer = session.deliver(envelope.message).await;
    // The mail is sent or not by now: a server that does not say goodbye changes nothing.
    drop(session.command("QUIT").await);
    answer
}

impl SmtpSession {
    async fn open(way: &ProviderWay) -> Result<Self, MailSendError> {
        let wire = BufReader::new(way.connect().await?);
        let mut session = Self { wire, silence_max: way.silence_max };
        session.reply().await?.expect(220, "the connection")?;
        session.hello().await?;
        if way.encryption == Encryption::Upgraded {
            session.command("STARTTLS").await?.expect(220, "encryption")?;
            session = session.upgrade(way).await?;
            session.hello().await?;
        }
        Ok(session)
    }

    async fn hello(&mut self) -> Result<SmtpReply, MailSendError> {
        self.command(HELLO).await?.expect(250, "the greeting")
    }

    /// Words that came before encryption began are not the server's.
    async fn upgrade(self, way: &ProviderWay) -> Result<Self, MailSendError> {
        if !self.wire.buffer().is_empty() {
            return Err(io::Error::other("someone spoke before encryption began").into());
        }
        let wire = way.upgrade(self.wire.into_inner()).await?;
        Ok(Self { wire: BufReader::new(wire), ..self })
    }

    async fn sign_in(&mut self, login: &SmtpLogin) -> Result<(), MailSendError> {
        let offered = self.hello().await?;
        let offers = |mechanism: &str| {
            let auth = offered.lines.iter().find(|line| line.to_ascii_uppercase().starts_with("AUTH"));
            auth.is_some_and(|line| line.to_ascii_uppercase().split([' ', '=']).any(|word| word == mechanism))
        };
        let (user, password) = (&login.user, login.password.reveal());
        let reply = if offers("PLAIN") || !offers("LOGIN") {
            let words = STANDARD.encode_to_string(format!("\0{user}\0{password}"));
            self.command(&format!("AUTH PLAIN {words}")).await?
        } else {
            self.command("AUTH LOGIN").await?.expect(334, "signing in")?;
            self.command(&STANDARD.encode_to_string(user)).await?.expect(334, "signing in")?;
            self.command(&STANDARD.encode_to_string(password)).await?
        };
        match reply.code {
            235 => Ok(()),
            _ => Err(MailSendError::Login { user: user.clone(), says: login.password.masked(&reply.says()) }),
        }
    }

    /// Sender and recipients: all of them are taken, or nothing is sent.
    async fn announce(&mut self, envelope: &MailEnvelope<'_>) -> Result<(), MailSendError> {
        let from = envelope.from;
        self.command(&format!("MAIL FROM:<{from}>")).await?.expect(250, &format!("the sender {from}"))?;
        for to in envelope.to {
            let reply = self.command(&format!("RCPT TO:<{to}>")).await?;
            if reply.code != 251 {
                reply.expect(250, &format!("the recipient {to}"))?;
            }
        }
        self.command("DATA").await?.expect(354, "the mail")?;
        Ok(())
    }

    async fn deliver(&mut self, message: &[u8]) -> Result<String, MailSendError> {
        let body = dotted(message);
        within(BODY_LIMIT, async {
            self.wire.write_all(&body).await?;
            self.wire.flush().await
        })
        .await?;
        // From here on the server may have the mail, whatever happens to the connection.
        let ending = async {
            self.wire.write_all(b".\r\n").await?;
            self.wire.flush().await
        };
        within(self.silence_max, ending).await.map_err(MailSendError::Unsure)?;
        let reply =
            self.reply_within(self.silence_max * ANSWER_SILENCES).await.map_err(MailSendError::Unsure)?;
        reply.expect(250, "the mail").map(|reply| reply.says())
    }

    async fn command(&mut self, line: &str) -> io::Result<SmtpReply> {
        let silence_max = self.silence_max;
        within(silence_max, async {
            self.wire.write_all(format!("{line}\r\n").as_bytes()).await?;
            self.wire.flush().await
        })
        .await?;
        self.reply().await
    }

    async fn reply(&mut self) -> io::Result<SmtpReply> {
        self.reply_within(self.silence_max).await
    }

    async fn reply_within(&mut self, silence_max: Duration) -> io::Result<SmtpReply> {
        let mut lines = Vec::new();
        while lines.len() < REPLY_LINES_MAX {
            let line = within(silence_max, self.line()).await?;
            let code = line.get(..3).and_then(|code| code.parse().ok());
            let code: u16 = code.ok_or_else(|| io::Error::other("that is no answer of an SMTP server"))?;
            lines.push(line.get(4..).unwrap_or_default().to_owned());
            if line.as_bytes().get(3) != Some(&b'-') {
                return Ok(SmtpReply { code, lines });
            }
        }
        Err(io::Error::other("the server's answer has too many lines"))
    }

    async fn line(&mut self) -> io::Result<String> {
        let mut line = Vec::new();
        (&mut self.wire).take(REPLY_LINE_BYTES_MAX).read_until(b'\n', &mut line).await?;
        match line.last() {
            Some(b'\n') => Ok(String::from_utf8_lossy(&line).trim_end().to_owned()),
            Some(_) if line.len() as u64 == REPLY_LINE_BYTES_MAX => {
                Err(io::Error::other("the server's line is too long"))
            }
            _ => Err(io::Error::new(io::ErrorKind::UnexpectedEof, "the server closed the connection")),
        }
    }
}

impl SmtpReply {
    fn expect(self, code: u16, what: &str) -> Result<Self, MailSendError> {
        match self.code == code {
            true => Ok(self),
            false => Err(MailSendError::Refused { what: what.to_owned(), says: self.says() }),
        }
    }

    fn says(&self) -> String {
        const CHARS_MAX: usize = 500;
        let says = format!("{} {}", self.code, self.lines.join(" "));
        says.chars().filter(|c| !c.is_control()).take(CHARS_MAX).collect()
    }
}

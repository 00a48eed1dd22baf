//! The few commands of SMTP that send one mail (RFC 5321, RFC 3207, RFC 4954).

use std::fmt;
use std::io;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use mail_text::{MailAddress, dotted};
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use toolgate_outbound::OutboundStream;

use super::settings::{MailEncryption, MailLogin, MailSender};
use crate::failure::DeliveryFailure;

const REPLY_LINES_MAX: usize = 128;
const REPLY_LINE_BYTES_MAX: u64 = 4 << 10;
/// The number of characters of a reply that are shown to the operator.
const EXCERPT_CHARS_MAX: usize = 300;
const HELLO: &str = "EHLO toolgate.localhost";
/// The answers of a server that took a recipient: it has the mailbox, or knows where it is.
const RECIPIENT_TAKEN: [u16; 2] = [250, 251];

/// A step on the way of a mail.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum MailStep {
    Connection,
    Encryption,
    SignIn,
    Sender,
    Recipient,
    Mail,
}

impl MailStep {
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::Connection => "connection",
            Self::Encryption => "encryption",
            Self::SignIn => "sign-in",
            Self::Sender => "sender",
            Self::Recipient => "recipient",
            Self::Mail => "mail",
        }
    }
}

/// How far a mail came.
pub(super) struct MailProgress {
    pub(super) passed: Vec<MailStep>,
    pub(super) at: MailStep,
}

impl MailProgress {
    pub(super) fn new() -> Self {
        Self { passed: Vec::new(), at: MailStep::Connection }
    }

    fn begin(&mut self, step: MailStep) {
        self.passed.push(self.at);
        self.at = step;
    }
}

/// Sends one mail, within `limit`.
pub(super) async fn send(
    sender: &MailSender,
    to: &MailAddress,
    letter: &[u8],
    limit: Duration,
    progress: &mut MailProgress,
) -> Result<(), DeliveryFailure> {
    let sending = try_send(sender, to, letter, limit, progress);
    let sent = tokio::time::timeout(limit, sending).await;
    let late = || Err(DeliveryFailure::temporary(format!("no answer within {} s", limit.as_secs_f32())));
    sent.unwrap_or_else(|_| late()).map_err(|failure| {
        let why = format!("{}: {}", progress.at.as_str(), failure.why);
        DeliveryFailure { why, ..failure }
    })
}

async fn try_send(
    sender: &MailSender,
    to: &MailAddress,
    letter: &[u8],
    limit: Duration,
    progress: &mut MailProgress,
) -> Result<(), DeliveryFailure> {
    let mut dialogue = SmtpDialogue::open(sender, limit, progress).await?;
    if let Some(login) = &sender.login {
        progress.begin(MailStep::SignIn);
        dialogue.sign_in(login).await?;
    }
    progress.begin(MailStep::Sender);
    let from = sender.from.spec();
    dialogue.command(&format!("MAIL FROM:<{from}>")).await?.expect(&[250])?;
    progress.begin(MailStep::Recipient);
    let reply = dialogue.command(&format!("RCPT TO:<{}>", to.spec())).await?;
    reply.taken(&RECIPIENT_TAKEN)?;
    progress.begin(MailStep::Mail);
    dialogue.command("DATA").await?.expect(&[354])?;
    dialogue.say(&[&*dotted(letter), b".\r\n"].concat()).await?;
    dialogue.reply().await?.taken(&[250])?;
    progress.passed.push(progress.at);
    // It is sent by now: a server that does not say goodbye changes nothing.
    drop(dialogue.say(b"QUIT\r\n").await);
    Ok(())
}

struct SmtpDialogue {
    wire: BufReader<OutboundStream>,
    /// What the server offers, as its last greeting says.
    offers: Vec<String>,
}

impl SmtpDialogue {
    async fn open(
        sender: &MailSender,
        limit: Duration,
        progress: &mut MailProgress,
    ) -> Result<Self, DeliveryFailure> {
        let MailSender { host, port, encryption, egress, .. } = sender;
        let stream = OutboundStream::open(host, *port, egress, limit).await.map_err(broken)?;
        if *encryption == MailEncryption::Never && !stream.stays_here() {
            let why = format!("{host} is another machine, and mail without encryption stays on this one");
            return Err(DeliveryFailure::temporary(why));
        }
        let stream = match encryption {
            MailEncryption::FromTheStart => {
                progress.begin(MailStep::Encryption);
                stream.encrypted(host, egress, limit).await.map_err(broken)?
            }
            MailEncryption::Upgraded | MailEncryption::Never => stream,
        };
        let mut dialogue = Self { wire: BufReader::new(stream), offers: Vec::new() };
        dialogue.reply().await?.expect(&[220])?;
        dialogue.hello().await?;
        if *encryption == MailEncryption::Upgraded {
            progress.begin(MailStep::Encryption);
            dialogue = dialogue.upgraded(sender, limit).await?;
            dialogue.hello().await?;
        }
        Ok(dialogue)
    }

    async fn hello(&mut self) -> Result<(), DeliveryFailure> {
        self.offers = self.command(HELLO).await?.expect(&[250])?.lines;
        Ok(())
    }

    /// Nothing that was said before encryption began is believed afterwards.
    async fn upgraded(mut self, sender: &MailSender, limit: Duration) -> Result<Self, DeliveryFailure> {
        if !self.offers.iter().any(|offer| offer.trim().eq_ignore_ascii_case("STARTTLS")) {
            return Err(DeliveryFailure::temporary("the server does not offer STARTTLS".to_owned()));
        }
        self.command("STARTTLS").await?.expect(&[220])?;
        if !self.wire.buffer().is_empty() {
            let why = "someone spoke before encryption began";
            return Err(DeliveryFailure::temporary(why.to_owned()));
        }
        let encrypted = self.wire.into_inner().encrypted(&sender.host, &sender.egress, limit).await;
        Ok(Self { wire: BufReader::new(encrypted.map_err(broken)?), offers: Vec::new() })
    }

    async fn sign_in(&mut self, login: &MailLogin) -> Result<(), DeliveryFailure> {
        let MailLogin { user, password } = login;
        let (plain, encoded) = (BASE64.encode(format!("\0{user}\0{password}")), BASE64.encode(password));
        let reply = if self.offers_sign_in("PLAIN") {
            self.command(&format!("AUTH PLAIN {plain}")).await?
        } else if self.offers_sign_in("LOGIN") {
            self.command("AUTH LOGIN").await?.expect(&[334])?;
            self.command(&BASE64.encode(user)).await?.expect(&[334])?;
            self.command(&encoded).await?
        } else {
            let why = "the server offers neither AUTH PLAIN nor AUTH LOGIN";
            return Err(DeliveryFailure::temporary(why.to_owned()));
        };
        // A server may repeat what it was told.
        reply.without(&[&plain, &encoded, password]).expect(&[235]).map(drop)
    }

    fn offers_sign_in(&self, mechanism: &str) -> bool {
        self.offers.iter().any(|offer| {
            let mut words = offer.split([' ', '=']);
            words.next().is_some_and(|word| word.eq_ignore_ascii_case("AUTH"))
                && words.any(|word| word.eq_ignore_ascii_case(mechanism))
        })
    }

    async fn command(&mut self, line: &str) -> Result<SmtpReply, DeliveryFailure> {
        self.say(format!("{line}\r\n").as_bytes()).await?;
        self.reply().await
    }

    async fn say(&mut self, bytes: &[u8]) -> Result<(), DeliveryFailure> {
        self.wire.write_all(bytes).await.map_err(broken)?;
        self.wire.flush().await.map_err(broken)
    }

    async fn reply(&mut self) -> Result<SmtpReply, DeliveryFailure> {
        let mut lines = Vec::new();
        while lines.len() < REPLY_LINES_MAX {
            let line = self.line().await.map_err(broken)?;
            let code = line.get(..3).and_then(|code| code.parse().ok());
            let Some(code) = code else { return Err(broken("that is no answer of an SMTP server")) };
            lines.push(line.get(4..).unwrap_or_default().to_owned());
            if line.as_bytes().get(3) != Some(&b'-') {
                return Ok(SmtpReply { code, lines });
            }
        }
        Err(broken("the server's answer has too many lines"))
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

struct SmtpReply {
    code: u16,
    lines: Vec<String>,
}

impl SmtpReply {
    /// Another answer is a fault of the settings or of the server, which people mend: the mail is kept until then.
    fn expect(self, codes: &[u16]) -> Result<Self, DeliveryFailure> {
        match codes.contains(&self.code) {
            true => Ok(self),
            false => Err(DeliveryFailure::temporary(self.says())),
        }
    }

    /// The same for answers about this very mail and its recipient: what is refused for good is not offered for ever.
    fn taken(self, codes: &[u16]) -> Result<(), DeliveryFailure> {
        match (codes.contains(&self.code), self.code) {
            (true, _) => Ok(()),
            (false, 500..) => Err(DeliveryFailure::refused(self.says())),
            (false, _) => Err(DeliveryFailure::temporary(self.says())),
        }
    }

    fn without(mut self, secrets: &[&str]) -> Self {
        for secret in secrets.iter().filter(|secret| !secret.is_empty()) {
            self.lines.iter_mut().for_each(|line| *line = line.replace(*secret, "[the password]"));
        }
        self
    }

    fn says(&self) -> String {
        let says = format!("the server says {} {}", self.code, self.lines.join(" "));
        says.trim_end().chars().filter(|c| !c.is_control()).take(EXCERPT_CHARS_MAX).collect()
    }
}

fn broken(error: impl fmt::Display) -> DeliveryFailure {
    DeliveryFailure::temporary(error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_password_that_a_server_repeats_is_not_told() {
        let lines = vec!["no s3cret, nor czNjcmV0".to_owned()];
        let told = SmtpReply { code: 535, lines }.without(&["czNjcmV0", "s3cret", ""]).says();
        assert_eq!(told, "the server says 535 no [the password], nor [the password]");
    }
}

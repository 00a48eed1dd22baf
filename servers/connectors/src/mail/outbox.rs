//! The half of an account that sends.

use capability_kit::{Trouble, TroubleCode};
use jiff::Timestamp;
use jiff::fmt::rfc2822;
use mail_text::MailAddress;

use super::compose::Letter;
use super::dispatch::{DispatchLog, DispatchState};
use super::options::MailOptions;
use super::smtp::{self, MailEnvelope, MailSendError, SmtpLogin};
use crate::credential::ProviderSecret;
use crate::net::{Encryption, HostPort, ProviderWay, check_name};
use crate::options::WayOptions;

pub(super) const PASSWORD: &str = "CONNECTORS_PASSWORD";
const SMTPS_PORT: u16 = 465;
const SUBMISSION_PORT: u16 = 587;

/// One sender at one server.
pub(super) struct Outbox {
    pub(super) way: ProviderWay,
    pub(super) from: MailAddress,
    pub(super) message_bytes_max: usize,
    login: Option<SmtpLogin>,
    recipient_domains: Vec<String>,
    log: DispatchLog,
}

/// The end of a call that sends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Sending {
    Now,
    /// The same call had sent it before.
    Before,
}

impl Outbox {
    pub(super) fn of(options: &MailOptions, way: &WayOptions) -> Result<Self, Trouble> {
        let missing = |what: &str| {
            Trouble::unavailable(format!("{what} was not set"))
                .hint("the operator starts this server with --smtp smtps://HOST:PORT and --from ADDRESS")
        };
        let url = check_name(
            "--smtp",
            options.smtp.as_deref().ok_or_else(|| missing("--smtp"))?,
            &["smtps", "smtp"],
        )?;
        let (encryption, port) = match url.scheme() {
            "smtps" => (Encryption::FromTheStart, SMTPS_PORT),
            _ => (Encryption::Upgraded, SUBMISSION_PORT),
        };
        let place = HostPort::of_url(&url, port).ok_or_else(|| missing("the host of --smtp"))?;
        let from = address(options.from.as_deref().ok_or_else(|| missing("--from"))?);
        let login = match &options.mail_user {
            Some(user) => {
                Some(SmtpLogin { user: user.clone(), password: ProviderSecret::required(PASSWORD)? })
            }
            None => None,
        };
        Ok(Self {
            way: ProviderWay::new(place, encryption, way),
            from: from.map_err(|trouble| Trouble { code: TroubleCode::Unavailable, ..trouble })?,
            message_bytes_max: options.message_bytes_max(),
            login,
            recipient_domains: options
                .recipient_domain
                .iter()
                .map(|domain| domain.to_ascii_lowercase())
                .collect(),
            log: DispatchLog::default(),
        })
    }

    /// Refuses recipients elsewhere than the operator allows.
    pub(super) fn check_recipients(&self, letter: &Letter) -> Result<(), Trouble> {
        let allowed = &self.recipient_domains;
        let mut everyone = letter.to.iter().chain(&letter.cc).chain(&letter.bcc);
        match everyone.find(|one| !allowed.is_empty() && !allowed.iter().any(|domain| domain == one.domain()))
        {
            None => Ok(()),
            Some(outside) => {
                Err(Trouble::bad_arguments(format!("mail to {} is not allowed here", outside.spec()))
                    .hint(format!("mail goes to addresses of {} only", allowed.join(", "))))
            }
        }
    }

    /// Sends a mail, unless this call has done so before.
    pub(super) async fn send(
        &self,
        call: Option<&str>,
        letter: &Letter,
        message: &[u8],
    ) -> Result<Sending, Trouble> {
        match call.and_then(|call| self.log.begin(call)) {
            Some(DispatchState::Sent) => return Ok(Sending::Before),
            Some(DispatchState::Begun) => return Err(unsure("this call was begun before", letter)),
            None => {}
        }
        let (from, to) = (self.from.spec(), letter.recipients());
        let envelope = MailEnvelope { from: &from, to: &to, message };
        let sent = smtp::send(&self.way, self.login.as_ref(), &envelope).await;
        if let Some(call) = call {
            match &sent {
                Ok(_) => self.log.sent(call),
                Err(MailSendError::Unsure(_)) => {}
                Err(_) => self.log.failed(call),
            }
        }
        sent.map(|_| Sending::Now).map_err(|error| self.trouble(&error, letter))
    }

    fn trouble(&self, error: &MailSendError, letter: &Letter) -> Trouble {
        let message = format!("the mail was not sent by {}: {error}", self.way.place);
        match error {
            MailSendError::Unsure(_) => unsure(&error.to_string(), letter),
            MailSendError::Unreachable(_) => Trouble::unavailable(message)
                .hint("try again later; the operator checks --smtp, its certificate and the network"),
            MailSendError::Login { .. } => Trouble::new(TroubleCode::Locked, message)
                .hint(format!("the operator has to renew the password in {PASSWORD}")),
            MailSendError::Refused { .. } => Trouble::new(TroubleCode::Conflict, message)
                .hint("nothing was sent: correct what the server names"),
        }
    }

    /// The URL without secrets.
    pub(super) fn url(&self) -> String {
        let scheme = if self.way.encryption == Encryption::FromTheStart { "smtps" } else { "smtp" };
        format!("{scheme}://{}", self.way.place)
    }
}

fn unsure(why: &str, letter: &Letter) -> Trouble {
    let message = format!("it is not known whether the mail {} was sent: {why}", letter.message_id);
    Trouble::new(TroubleCode::OutcomeUnknown, message).hint(
        "do not send it again: search_messages with this message_id in the mailbox of sent mail shows it, or a person asks the recipient",
    )
}

/// An address as a caller or an operator wrote it.
pub(super) fn address(written: &str) -> Result<MailAddress, Trouble> {
    MailAddress::read(written).map_err(|why| {
        Trouble::bad_arguments(format!("{written:?} is no address of mail: {why}"))
            .hint("write each address as ada@example.com, or as Ada <ada@example.com>")
    })
}

/// Now, as headers have it.
pub(super) fn date() -> Result<String, Trouble> {
    rfc2822::DateTimePrinter::new()
        .timestamp_to_string(&Timestamp::now())
        .map_err(|error| Trouble::internal(format!("the time cannot be written: {error}")))
}

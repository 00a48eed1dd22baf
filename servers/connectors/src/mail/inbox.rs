//! The half of an account that reads.

use capability_kit::{Trouble, TroubleCode};

use super::imap::{ImapError, ImapSession, OpenedMailbox};
use super::options::MailOptions;
use super::outbox::PASSWORD;
use crate::credential::ProviderSecret;
use crate::net::{Encryption, HostPort, ProviderWay, check_name};
use crate::options::WayOptions;

const IMAPS_PORT: u16 = 993;
const IMAP_PORT: u16 = 143;

/// One reader at one server.
pub(super) struct Inbox {
    way: ProviderWay,
    user: String,
    password: ProviderSecret,
    pub(super) mailboxes: Vec<String>,
    pub(super) message_bytes_max: usize,
}

impl Inbox {
    pub(super) fn of(options: &MailOptions, way: &WayOptions) -> Result<Self, Trouble> {
        let missing = |what: &str| {
            Trouble::unavailable(format!("{what} was not set"))
                .hint("the operator starts this server with --imap imaps://HOST:PORT and --mail-user NAME")
        };
        let url = check_name(
            "--imap",
            options.imap.as_deref().ok_or_else(|| missing("--imap"))?,
            &["imaps", "imap"],
        )?;
        let (encryption, port) = match url.scheme() {
            "imaps" => (Encryption::FromTheStart, IMAPS_PORT),
            _ => (Encryption::Upgraded, IMAP_PORT),
        };
        let place = HostPort::of_url(&url, port).ok_or_else(|| missing("the host of --imap"))?;
        Ok(Self {
            way: ProviderWay::new(place, encryption, way),
            user: options.mail_user.clone().ok_or_else(|| missing("--mail-user"))?,
            password: ProviderSecret::required(PASSWORD)?,
            mailboxes: options.mailbox.clone(),
            message_bytes_max: options.message_bytes_max(),
        })
    }

    /// The mailbox that a caller names, or the first one.
    pub(super) fn mailbox<'a>(&'a self, named: Option<&'a str>) -> Result<&'a str, Trouble> {
        let named = named.unwrap_or(&self.mailboxes[0]);
        match self.mailboxes.iter().any(|mailbox| mailbox == named) {
            true => Ok(named),
            false => Err(Trouble::bad_arguments(format!("the mailbox {named:?} cannot be read here"))
                .hint(format!("the mailboxes are: {}", self.mailboxes.join(", ")))),
        }
    }

    /// A connection with this mailbox open for reading.
    pub(super) async fn open(&self, mailbox: &str) -> Result<(ImapSession, OpenedMailbox), Trouble> {
        let opening = async {
            let mut session =
                ImapSession::open(&self.way, &self.user, &self.password, self.message_bytes_max).await?;
            let opened = session.examine(mailbox).await?;
            Ok((session, opened))
        };
        opening.await.map_err(|error| self.trouble(&error))
    }

    pub(super) fn trouble(&self, error: &ImapError) -> Trouble {
        let message = format!("{} cannot be read: {error}", self.way.place);
        match error {
            ImapError::Unreachable(_) | ImapError::Nonsense => Trouble::unavailable(message)
                .hint("try again later; the operator checks --imap, its certificate and the network"),
            ImapError::Login { .. } => Trouble::new(TroubleCode::Locked, message)
                .hint(format!("the operator has to renew the password in {PASSWORD}")),
            ImapError::Refused { .. } => Trouble::new(TroubleCode::Conflict, message)
                .hint("the operator checks that --mailbox names a mailbox of this account"),
            ImapError::TooLarge { .. } => Trouble::new(TroubleCode::TooLarge, message)
                .hint("ask for less at a time; the server's option --message-mib sets the limit"),
        }
    }
}

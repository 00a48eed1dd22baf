//! The settings of a mail account.

/// The password is in `CONNECTORS_PASSWORD`.
#[derive(Clone, Debug, Default, clap::Args)]
#[command(next_help_heading = "mail")]
pub struct MailOptions {
    /// The server that takes mail: smtps://HOST:PORT (encrypted from the start), or smtp://HOST:PORT (STARTTLS)
    #[arg(long, value_name = "URL")]
    pub smtp: Option<String>,
    /// The server that has mail: imaps://HOST:PORT (encrypted from the start), or imap://HOST:PORT (STARTTLS)
    #[arg(long, value_name = "URL")]
    pub imap: Option<String>,
    /// The name to sign in with at both; without it nobody signs in to send
    #[arg(long, value_name = "NAME")]
    pub mail_user: Option<String>,
    /// The sender of every mail, such as 'Ada <ada@example.com>'
    #[arg(long, value_name = "ADDRESS")]
    pub from: Option<String>,
    /// A domain to which mail may be sent; may be repeated. Without it, any
    #[arg(long, value_name = "DOMAIN")]
    pub recipient_domain: Vec<String>,
    /// A mailbox that may be read; may be repeated
    #[arg(long, value_name = "NAME", default_value = "INBOX")]
    pub mailbox: Vec<String>,
    /// The largest mail that is sent or read
    #[arg(long, value_name = "MIB", default_value_t = 25, value_parser = clap::value_parser!(u64).range(1..=100))]
    pub message_mib: u64,
}

impl MailOptions {
    pub(super) fn message_bytes_max(&self) -> usize {
        usize::try_from(self.message_mib << 20).unwrap_or(usize::MAX)
    }
}

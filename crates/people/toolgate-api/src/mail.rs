//! Mail to people, from the view of the API: its settings, and the state of deliveries. No password leaves.

use toolgate_core::port::BoxFuture;
use toolgate_store::StoreError;

/// The port to the configured mail.
pub trait MailPort: Send + Sync {
    /// `None` if no mail is configured.
    fn state(&self) -> BoxFuture<'static, Result<Option<MailState>, StoreError>>;

    /// Sends one test mail to each address; where that fails for all of them, the first one tells. `None` if no mail is
    /// configured.
    fn test(&self) -> BoxFuture<'static, Option<Vec<MailTest>>>;
}

/// The settings of mail, and how deliveries go.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MailState {
    /// Host and port.
    pub server: String,
    pub encryption: &'static str,
    pub from: String,
    pub notices: Vec<&'static str>,
    /// Time and time zone.
    pub digest_at: Option<String>,
    pub recipients: Vec<MailRecipient>,
}

/// The state of deliveries to one address, as seen by this gateway since it started.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MailRecipient {
    pub to: String,
    /// Events that it was not told of yet.
    pub waiting: u64,
    pub delivered: u64,
    pub delivered_at_ms: Option<i64>,
    /// The number of failed attempts since the last success.
    pub failures: u64,
    /// Events that it would not have.
    pub passed_over: u64,
    pub last_error: Option<String>,
    pub failed_at_ms: Option<i64>,
}

/// What became of a test mail.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MailTest {
    pub to: String,
    /// The steps that went well, in order.
    pub passed: Vec<&'static str>,
    pub error: Option<String>,
    pub hint: Option<&'static str>,
}

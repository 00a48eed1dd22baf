//! The way that mails take, and their receivers, as the operator configures them.

use std::fmt;
use std::sync::Arc;

use mail_text::MailAddress;
use toolgate_core::egress::Egress;
use toolgate_core::event::EventKind;

/// The server that takes mails, whom they come from, and where their links lead.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MailSender {
    pub host: String,
    pub port: u16,
    pub encryption: MailEncryption,
    pub login: Option<MailLogin>,
    pub from: MailAddress,
    /// The address of the gateway, whose console has the pages; without a slash at its end.
    pub console: Option<String>,
    /// The address of an approval's page; `{id}` is replaced by the approval's id.
    pub approval: Option<String>,
    pub egress: Arc<Egress>,
}

/// The moment at which encryption begins.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MailEncryption {
    FromTheStart,
    /// By STARTTLS, before anything else is said.
    Upgraded,
    /// Only to this machine itself.
    Never,
}

/// The name and the password of the sender at the server.
#[derive(Clone, PartialEq, Eq)]
pub struct MailLogin {
    pub user: String,
    pub password: String,
}

impl fmt::Debug for MailLogin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MailLogin").field("user", &self.user).finish_non_exhaustive()
    }
}

/// One address that notices are sent to. Each has a place of its own in the ledger, so that a mailbox that refuses mail holds
/// up no other.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MailReceiver {
    pub to: MailAddress,
    pub notices: Vec<MailNotice>,
    pub sender: Arc<MailSender>,
}

impl MailReceiver {
    /// The key of its position in the ledger.
    pub fn sink(&self) -> String {
        format!("mail:{}", self.to.spec())
    }

    /// The events that its notices come from.
    pub fn kinds(&self) -> Vec<EventKind> {
        self.notices.iter().flat_map(|notice| notice.kinds()).copied().collect()
    }
}

/// Something that people hear of by mail when it happens.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MailNotice {
    /// A call waits for approval, or its time ran out and further people are asked.
    Approvals,
    /// A run asks a question, or asks a person to do something.
    Questions,
    /// A server cannot be reached, or is not as it should be.
    Servers,
    /// A tool is withheld until its definition is reviewed.
    Reviews,
}

impl MailNotice {
    pub const ALL: [MailNotice; 4] = [Self::Approvals, Self::Questions, Self::Servers, Self::Reviews];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Approvals => "approvals",
            Self::Questions => "questions",
            Self::Servers => "servers",
            Self::Reviews => "reviews",
        }
    }

    fn kinds(self) -> &'static [EventKind] {
        match self {
            Self::Approvals => &[EventKind::ApprovalRequested, EventKind::ApprovalEscalated],
            Self::Questions => &[EventKind::InputRequested],
            Self::Servers => &[EventKind::ServerHealth],
            Self::Reviews => &[EventKind::ToolQuarantined],
        }
    }
}

//! A trial: one mail right away, and what became of each step.

use std::time::Duration;

use mail_text::MailAddress;
use toolgate_outbound::ConnectTrouble;

use super::letter::MailLetter;
use super::settings::MailSender;
use super::smtp::{self, MailProgress, MailStep};

const TRIAL_LIMIT: Duration = Duration::from_secs(20);
const TEXT: &str = "This is a test. Nothing happened, and nothing needs to be done.\n";

/// The steps of a mail that went well, and the one that did not.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MailTrial {
    pub to: String,
    /// In order: `connection`, `encryption`, `sign-in`, `sender`, `recipient`, `mail`.
    pub passed: Vec<&'static str>,
    pub failure: Option<MailTrialFailure>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MailTrialFailure {
    /// The step in front, then the reason.
    pub why: String,
    pub hint: &'static str,
}

impl MailSender {
    /// Sends one mail that says that it is a test, once. It is in no ledger. `id` is that of the mail.
    pub async fn trial(&self, to: &MailAddress, id: &str, now_ms: i64) -> MailTrial {
        let subject = "A test of Toolgate's mail";
        let letter = MailLetter { from: &self.from, to, subject, text: TEXT, id, at_ms: now_ms };
        let mut progress = MailProgress::new();
        let sent = smtp::send(self, to, &letter.written(), TRIAL_LIMIT, &mut progress).await;
        let failure = sent.err().map(|failure| {
            let hint = hint(progress.at, &failure.why);
            MailTrialFailure { why: failure.why, hint }
        });
        let passed = progress.passed.iter().map(|step| step.as_str()).collect();
        MailTrial { to: to.spec(), passed, failure }
    }
}

fn hint(step: MailStep, why: &str) -> &'static str {
    let trouble = ConnectTrouble::in_text(why);
    match (step, trouble) {
        // Its usual advice is about HTTP.
        (MailStep::Connection, None) | (_, Some(ConnectTrouble::NotTls)) => {
            "check host and port in `[mail] smtp`, and `tls`: servers speak TLS at once on 465, and STARTTLS on 587"
        }
        (MailStep::Connection | MailStep::Encryption, Some(trouble)) => trouble.advice(),
        (MailStep::Encryption, None) => {
            "write `tls = \"required\"` in `[mail]` if the server speaks TLS at once, as on port 465"
        }
        (MailStep::SignIn, _) => {
            "check `user` and `password` in `[mail]`; many providers want a password made for programs"
        }
        (MailStep::Sender, _) => {
            "check `from` in `[mail]`: most servers take mail from addresses of the signed-in user alone"
        }
        (MailStep::Recipient, _) => "check `to` in `[mail]`",
        (MailStep::Mail, _) => "the server took the addresses and not the mail; its words say why",
    }
}

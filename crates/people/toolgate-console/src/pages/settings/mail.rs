//! Mail to people: where it goes, and how deliveries go. A card beside the webhooks.

use maud::{Markup, html};
use serde::Deserialize;

use crate::address::PageAddress;
use crate::layout::csrf;
use crate::parts::moment::ago;
use crate::parts::{self, BadgeTone, text};
use crate::problem::PageResult;
use crate::visit::PageVisit;

#[derive(Deserialize)]
struct MailData {
    configured: bool,
    #[serde(default)]
    server: Option<String>,
    #[serde(default)]
    from: Option<String>,
    notices: Vec<String>,
    #[serde(default)]
    digest_at: Option<String>,
    recipients: Vec<MailRecipientData>,
}

#[derive(Deserialize)]
struct MailRecipientData {
    to: String,
    waiting: u64,
    delivered: u64,
    #[serde(default)]
    delivered_at: Option<String>,
    failures: u64,
    passed_over: u64,
    #[serde(default)]
    last_error: Option<String>,
    #[serde(default)]
    failed_at: Option<String>,
}

#[derive(Deserialize)]
pub(super) struct MailTestsData {
    tests: Vec<MailTestData>,
}

#[derive(Deserialize)]
struct MailTestData {
    to: String,
    delivered: bool,
    #[serde(default)]
    error: Option<String>,
    #[serde(default)]
    hint: Option<String>,
}

impl MailTestsData {
    pub(super) fn all_arrived(&self) -> bool {
        self.tests.iter().all(|test| test.delivered)
    }

    /// The tests that did not arrive.
    pub(super) fn told(&self) -> Markup {
        html! {
            section.card.error role="alert" {
                h2 { "The test was not delivered" }
                @for test in self.tests.iter().filter(|test| !test.delivered) {
                    p { "To " strong { (text::short(&test.to)) } ": " (text::long(test.error.as_deref().unwrap_or_default())) }
                    @if let Some(hint) = &test.hint { p.hint { (text::long(hint)) } }
                }
            }
        }
    }
}

pub(super) async fn card(visit: &PageVisit) -> PageResult<Markup> {
    let mail: MailData = visit.get(PageAddress::of(["mail"])).await?;
    Ok(html! {
        section.card #mail data-live="approval run tool.call" aria-label="Mail" {
            h2 { "Mail" }
            @if mail.configured { (configured(visit, &mail)) }
            @else {
                p { "Nobody gets mail. A table " code { "[mail]" } " in the configuration file sends notices of what waits, and a digest once a day." }
                p { a href="/docs/how-to/get-alerts" { "How to get alerts" } }
            }
        }
    })
}

fn configured(visit: &PageVisit, mail: &MailData) -> Markup {
    let known = |value: &Option<String>| html! { (text::short(value.as_deref().unwrap_or("none"))) };
    html! {
        (parts::facts([
            ("Server", known(&mail.server)),
            ("From", known(&mail.from)),
            ("Notices", html! { ul.chips { @for notice in &mail.notices { li { code { (text::short(notice)) } } } } }),
            ("Digest", known(&mail.digest_at)),
        ]))
        @for recipient in &mail.recipients { (told(visit, recipient)) }
        @if visit.operates() {
            form method="post" action="/console/settings/mail/test" {
                (csrf(visit)) button.button type="submit" { "Send a test mail" }
            }
        } @else { p.help { "Sending a test mail needs the role admin or operator." } }
    }
}

fn told(visit: &PageVisit, recipient: &MailRecipientData) -> Markup {
    html! {
        p {
            strong { (text::short(&recipient.to)) } " " (standing(recipient)) " "
            (parts::number(recipient.delivered)) " sent"
            @if let Some(at) = &recipient.delivered_at { ", last " (ago(visit, at)) }
            ", " (parts::number(recipient.waiting)) " waiting"
            @if recipient.passed_over > 0 { ", " (parts::number(recipient.passed_over)) " refused" }
        }
        @if let Some(error) = &recipient.last_error {
            p { "Last failure" @if let Some(at) = &recipient.failed_at { ", " (ago(visit, at)) } ": " (text::long(error)) }
        }
    }
}

fn standing(recipient: &MailRecipientData) -> Markup {
    match (recipient.failures, recipient.waiting) {
        (1.., _) => parts::badge("failing", BadgeTone::Bad),
        (0, 1..) => parts::badge("catching up", BadgeTone::Waiting),
        (0, 0) => parts::badge("up to date", BadgeTone::Good),
    }
}

//! Webhooks: the receivers of events, and the state of deliveries. Mail has a card below them.

use axum::extract::Path;
use axum::response::Response;
use http::StatusCode;
use maud::{Markup, html};
use serde::Deserialize;
use serde_json::json;

use super::mail::{self, MailTestsData};
use super::tabs::{Side, head};
use crate::address::PageAddress;
use crate::fields::FormFields;
use crate::layout::{ConsolePage, csrf};
use crate::notice::DoneNotice;
use crate::parts::moment::ago;
use crate::parts::{self, BadgeTone, text};
use crate::problem::PageResult;
use crate::visit::PageVisit;

#[derive(Deserialize)]
struct WebhooksData {
    webhooks: Vec<WebhookData>,
}

#[derive(Deserialize)]
struct WebhookData {
    name: String,
    address: String,
    events: Vec<String>,
    decisions: bool,
    #[serde(default)]
    groups: Vec<String>,
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
struct WebhookTestData {
    delivered: bool,
    #[serde(default)]
    error: Option<String>,
}

pub(super) async fn show(visit: PageVisit) -> PageResult<Response> {
    page(&visit, StatusCode::OK, html! {}).await
}

pub(super) async fn test(visit: PageVisit, Path(name): Path<String>, _: FormFields) -> PageResult<Response> {
    let tested: WebhookTestData =
        visit.post(PageAddress::of(["webhooks", &name, "test"]), &json!({})).await?;
    if tested.delivered {
        return Ok(visit.go(PageAddress::of(["console", "settings", "webhooks"]), DoneNotice::TestSent));
    }
    let why = tested.error.unwrap_or_default();
    let told = html! {
        section.card.error role="alert" {
            h2 { "The test was not delivered" }
            p { "The webhook " strong { (text::short(&name)) } " did not accept it: " (text::long(&why)) }
            p.hint { "Check its address and its secret in the configuration file, and that the receiver is up." }
        }
    };
    page(&visit, StatusCode::OK, told).await
}

pub(super) async fn test_mail(visit: PageVisit, _: FormFields) -> PageResult<Response> {
    let tested: MailTestsData = visit.post(PageAddress::of(["mail", "test"]), &json!({})).await?;
    if tested.all_arrived() {
        return Ok(visit.go(PageAddress::of(["console", "settings", "webhooks"]), DoneNotice::TestSent));
    }
    page(&visit, StatusCode::OK, tested.told()).await
}

async fn page(visit: &PageVisit, status: StatusCode, above: Markup) -> PageResult<Response> {
    let WebhooksData { webhooks } = visit.get(PageAddress::of(["webhooks"])).await?;
    let mail = mail::card(visit).await?;
    let body = html! {
        (head(Side::Webhooks))
        (above)
        section #webhooks data-live="approval run tool.call" aria-label="Webhooks" {
            @if webhooks.is_empty() { (nothing()) }
            div.grid { @for webhook in &webhooks { (card(visit, webhook)) } }
        }
        @if !webhooks.is_empty() {
            p.help { "Set webhooks and their secrets in the configuration file; changes take effect after a restart. The counts of deliveries start when the gateway starts." }
        }
        (mail)
    };
    Ok(visit.page_with(status, "Webhooks", ConsolePage::Settings, body).await)
}

fn nothing() -> Markup {
    parts::empty(
        "There are no webhooks.",
        html! {
            p { "A webhook receives approvals and any other events it subscribes to, and people can decide through it. Add one to the configuration file:" }
            pre tabindex="0" { code { "[[webhooks]]\nname = \"chat\"\nurl = \"https://hooks.example.com/toolgate\"\nsecret = \"${WEBHOOK_SECRET}\"\ndecisions = true" } }
            p { a href="/docs/how-to/approve-from-slack" { "How to approve from Slack" } }
        },
    )
}

fn card(visit: &PageVisit, webhook: &WebhookData) -> Markup {
    html! {
        section.card data-entry=(webhook.name) {
            h2 { (text::short(&webhook.name)) " " (standing(webhook)) }
            (parts::facts([
                ("Address", html! { (text::short(&webhook.address)) }),
                ("Events", html! { ul.chips { @for event in &webhook.events { li { code { (text::short(event)) } } } } }),
                ("Decisions", decisions(webhook)),
                ("Waiting", html! { (parts::number(webhook.waiting)) @if webhook.waiting == 1 { " event" } @else { " events" } }),
                ("Delivered", html! { (parts::number(webhook.delivered)) @if let Some(at) = &webhook.delivered_at { ", last " (ago(visit, at)) } }),
            ]))
            @if webhook.passed_over > 0 {
                p.error { (parts::number(webhook.passed_over)) " events were skipped because the receiver rejected them." }
            }
            @if let Some(error) = &webhook.last_error {
                p { "Last failure" @if let Some(at) = &webhook.failed_at { ", " (ago(visit, at)) } ": " (text::long(error)) }
            }
            @if visit.operates() {
                form method="post" action=(PageAddress::of(["console", "settings", "webhooks", &webhook.name, "test"])) {
                    (csrf(visit)) button.button type="submit" { "Send a test" span.unseen { " to " (text::made_visible(&webhook.name)) } }
                }
                p.help { "Sends a signed message that is marked as a test." }
            } @else { p.help { "Sending a test needs the role admin or operator." } }
        }
    }
}

fn standing(webhook: &WebhookData) -> Markup {
    match (webhook.failures, webhook.waiting, webhook.delivered) {
        (1.., _, _) => parts::badge("failing", BadgeTone::Bad),
        (0, 1.., _) => parts::badge("catching up", BadgeTone::Waiting),
        (0, 0, 1..) => parts::badge("up to date", BadgeTone::Good),
        (0, 0, 0) => parts::badge("nothing sent yet", BadgeTone::Plain),
    }
}

fn decisions(webhook: &WebhookData) -> Markup {
    html! {
        @if !webhook.decisions { "not accepted" }
        @else if webhook.groups.is_empty() { "accepted" }
        @else { "accepted, and count for " (text::short(&webhook.groups.join(", "))) }
    }
}

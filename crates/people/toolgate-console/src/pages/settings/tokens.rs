//! Tokens: access to the gateway. A new one is shown once.

use axum::extract::Path;
use axum::response::Response;
use http::{Method, StatusCode};
use maud::{Markup, html};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use toolgate_core::PrincipalKind;

use super::tabs::{Side, for_others, head, refused};
use crate::address::PageAddress;
use crate::fields::FormFields;
use crate::layout::{ConsolePage, csrf};
use crate::notice::DoneNotice;
use crate::parts::moment::ago;
use crate::parts::{self, BadgeTone, text};
use crate::problem::PageResult;
use crate::visit::PageVisit;

#[derive(Deserialize)]
struct TokensData {
    tokens: Vec<TokenData>,
}

#[derive(Deserialize)]
struct TokenData {
    id: String,
    role: String,
    #[serde(default)]
    label: Option<String>,
    #[serde(default)]
    principal: Option<String>,
    kind: String,
    #[serde(default)]
    groups: Vec<String>,
    #[serde(default)]
    agent: Option<String>,
    created_at: String,
    #[serde(default)]
    created_by: Option<String>,
    #[serde(default)]
    last_used_at: Option<String>,
    #[serde(default)]
    expires_at: Option<String>,
    state: String,
    #[serde(default)]
    revoked_at: Option<String>,
}

#[derive(Deserialize)]
struct NewToken {
    id: String,
    role: String,
    token: String,
    #[serde(default)]
    warning: Option<String>,
}

/// The filled-in fields; empty ones are omitted.
#[derive(Default)]
struct TokenDraft(Map<String, Value>);

pub(super) async fn show(visit: PageVisit) -> PageResult<Response> {
    page(&visit, StatusCode::OK, html! {}, &TokenDraft::default()).await
}

pub(super) async fn create(visit: PageVisit, fields: FormFields) -> PageResult<Response> {
    let draft = TokenDraft::of(&fields);
    match visit.post::<NewToken>(PageAddress::of(["tokens"]), &draft.0).await {
        Ok(made) => page(&visit, StatusCode::CREATED, once(&made), &TokenDraft::default()).await,
        Err(problem) if problem.status().is_client_error() => {
            page(&visit, problem.status(), refused(&problem), &draft).await
        }
        Err(problem) => Err(problem),
    }
}

pub(super) async fn revoke(visit: PageVisit, Path(id): Path<String>, _: FormFields) -> PageResult<Response> {
    let revoked: PageResult<Value> =
        visit.send(Method::DELETE, PageAddress::of(["tokens", &id]), &json!({})).await;
    match revoked {
        Ok(_) => Ok(visit.go(PageAddress::of(["console", "settings", "tokens"]), DoneNotice::TokenRevoked)),
        Err(problem) if problem.is(StatusCode::CONFLICT) => {
            page(&visit, problem.status(), refused(&problem), &TokenDraft::default()).await
        }
        Err(problem) => Err(problem),
    }
}

async fn page(
    visit: &PageVisit,
    status: StatusCode,
    above: Markup,
    draft: &TokenDraft,
) -> PageResult<Response> {
    let tokens = visit.find::<TokensData>(PageAddress::of(["tokens"])).await?;
    let body = html! {
        (head(Side::Tokens))
        (above)
        @match &tokens {
            Some(found) => {
                section #tokens data-live="token" aria-label="Tokens" { (list(visit, &found.tokens)) }
                (making(visit, draft))
            }
            None => { (for_others("admin", "see or create tokens")) (without_role()) }
        }
    };
    Ok(visit.page_with(status, "Tokens", ConsolePage::Settings, body).await)
}

fn without_role() -> Markup {
    parts::empty(
        "Only admins manage tokens.",
        html! { p { "Anyone who can create a token can act as anyone. On the gateway's machine, "
        code { "toolgate token list" } " lists them too." } },
    )
}

/// The secret at the one moment it is known.
fn once(made: &NewToken) -> Markup {
    html! {
        section.card.fresh-token role="status" aria-labelledby="made-title" {
            h2 #made-title { "The token has been created" }
            p { strong { "Copy it now; it will not be shown again." } }
            p #new-token { (parts::copyable(&made.token)) }
            p.help { (text::short(&made.id)) ", role " (text::short(&made.role)) ". Programs send it as "
                code { "authorization: Bearer …" } "; people log in with it." }
            @if let Some(warning) = &made.warning { p.notice { (text::long(warning)) } }
        }
    }
}

fn list(visit: &PageVisit, tokens: &[TokenData]) -> Markup {
    if tokens.is_empty() {
        return parts::empty("There are no tokens yet.", html! { p { "Create the first one below." } });
    }
    html! {
        table.list {
            thead { tr {
                th scope="col" { "Token" } th scope="col" { "Role" } th scope="col" { "Principal" }
                th scope="col" { "Made" } th scope="col" { "Last used" } th scope="col" { "State" }
            } }
            tbody { @for token in tokens.iter().rev() { (row(visit, token)) } }
        }
    }
}

fn row(visit: &PageVisit, token: &TokenData) -> Markup {
    html! {
        tr data-entry=(token.id) {
            td data-name="Token" {
                @if let Some(label) = &token.label { (text::short(label)) " " }
                code.id { (text::short(&token.id)) }
            }
            td data-name="Role" { (parts::badge(&token.role, BadgeTone::Plain)) }
            td data-name="Principal" {
                (text::short(token.principal.as_deref().unwrap_or("its own"))) " " span.help { (text::short(&token.kind)) }
                @if !token.groups.is_empty() { div.help { "in " (text::short(&token.groups.join(", "))) } }
                @if let Some(agent) = &token.agent { div.help { "bound to agent " (text::short(agent)) } }
            }
            td data-name="Made" {
                (ago(visit, &token.created_at))
                @if let Some(by) = &token.created_by { div.help { "by " (text::short(by)) } }
            }
            td data-name="Last used" { @if let Some(at) = &token.last_used_at { (ago(visit, at)) } @else { "–" } }
            td data-name="State" { (standing(visit, token)) }
        }
    }
}

fn standing(visit: &PageVisit, token: &TokenData) -> Markup {
    html! {
        @match (&token.revoked_at, &token.expires_at) {
            (Some(at), _) => { (parts::badge("revoked", BadgeTone::Bad)) " " (ago(visit, at)) }
            (None, Some(at)) if token.state == "expired" => { (parts::badge("expired", BadgeTone::Bad)) " " (ago(visit, at)) }
            (None, expires) => {
                @if let Some(at) = expires { div.help { "expires " (ago(visit, at)) } }
                (revoking(visit, token))
            }
        }
    }
}

fn revoking(visit: &PageVisit, token: &TokenData) -> Markup {
    let name = token.label.as_deref().unwrap_or(&token.id);
    let own = match is_own(visit, token) {
        true => " If you are logged in with it, this ends your login.",
        false => "",
    };
    let confirm = format!("Revoke {name}? Its users lose access within a second.{own}");
    html! {
        form method="post" action=(PageAddress::of(["console", "settings", "tokens", &token.id, "revoke"])) {
            (csrf(visit))
            button.button.small.danger type="submit" data-confirm=(confirm) { "Revoke" span.unseen { " " (text::made_visible(name)) } }
        }
    }
}

/// True if it belongs to the user.
fn is_own(visit: &PageVisit, token: &TokenData) -> bool {
    let me = visit.credential.principal.id.as_str();
    token.principal.as_deref().unwrap_or(&token.id) == me
}

fn making(visit: &PageVisit, draft: &TokenDraft) -> Markup {
    html! {
        form.card method="post" action="/console/settings/tokens" aria-labelledby="make-title" {
            h2 #make-title { "Create a token" }
            (csrf(visit))
            div.filters.wide {
                (choice(draft, "role", "Role", &ROLES, None))
                (input(draft, "label", "Label", "a label to recognise it by"))
                (input(draft, "principal", "Principal", "ann; for a server, its name"))
                (choice(draft, "kind", "Held by", &PrincipalKind::ALL.map(|kind| (kind.as_str(), kind.as_str())), Some("same as the role")))
                (input(draft, "groups", "Groups, separated by commas", "finance, legal"))
                (input(draft, "agent", "Bound to the agent", "researcher"))
                (choice(draft, EXPIRES, "Valid", &TIMES, Some("until it is revoked")))
            }
            p.help { "A token without a principal is its own principal. Gates can require approvers from a group. A token that is bound to an agent sees only what that agent sees." }
            p { button.button.primary type="submit" { "Create token" } }
        }
    }
}

/// Each with its purpose, the most common first.
const ROLES: [(&str, &str); 6] = [
    ("agent", "agent: calls tools"),
    ("approver", "approver: decides on approvals"),
    ("auditor", "auditor: reads what happened"),
    ("operator", "operator: runs the gateway"),
    ("admin", "admin: everything, including tokens"),
    ("server", "server: registers itself"),
];

const EXPIRES: &str = "expires_in_seconds";
/// The lifetimes of a token.
const TIMES: [(&str, &str); 5] = [
    ("3600", "for an hour"),
    ("86400", "for a day"),
    ("604800", "for a week"),
    ("2592000", "for 30 days"),
    ("31536000", "for a year"),
];

fn choice(
    draft: &TokenDraft,
    name: &'static str,
    label: &str,
    words: &[(&str, &str)],
    usual: Option<&str>,
) -> Markup {
    html! {
        div.field {
            label for=(name) { (label) }
            select id=(name) name=(name) {
                @if let Some(usual) = usual { option value="" { (usual) } }
                @for (word, told) in words { option value=(word) selected[draft.text(name) == *word] { (told) } }
            }
        }
    }
}

fn input(draft: &TokenDraft, name: &'static str, label: &str, example: &str) -> Markup {
    html! {
        div.field {
            label for=(name) { (label) }
            input type="text" id=(name) name=(name) value=(draft.text(name)) placeholder=(example) maxlength="256" autocomplete="off";
        }
    }
}

impl TokenDraft {
    fn of(fields: &FormFields) -> Self {
        let mut wish = Map::new();
        for name in ["role", "label", "principal", "kind", "agent"] {
            if let Some(text) = fields.text(name) {
                wish.insert(name.to_owned(), json!(text));
            }
        }
        let groups: Vec<&str> = fields.text("groups").unwrap_or_default().split(',').map(str::trim).collect();
        let groups: Vec<&str> = groups.into_iter().filter(|group| !group.is_empty()).collect();
        wish.insert("groups".to_owned(), json!(groups));
        if let Some(seconds) = fields.text(EXPIRES).and_then(|text| text.parse::<u64>().ok()) {
            wish.insert(EXPIRES.to_owned(), json!(seconds));
        }
        Self(wish)
    }

    fn text(&self, name: &str) -> String {
        match self.0.get(name) {
            Some(Value::String(text)) => text.clone(),
            Some(Value::Number(number)) => number.to_string(),
            Some(Value::Array(texts)) => {
                texts.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(", ")
            }
            _ => String::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use toolgate_core::Role;

    use super::*;

    #[test]
    fn every_role_can_be_chosen() {
        let mut words = ROLES.map(|(word, _)| word);
        let mut roles = Role::ALL.map(Role::as_str);
        words.sort_unstable();
        roles.sort_unstable();
        assert_eq!(words, roles);
    }

    #[test]
    fn what_is_left_empty_is_not_asked_for_and_what_was_filled_in_comes_back() {
        let fields = FormFields::of(&[
            ("role", "approver"),
            ("label", " "),
            ("principal", "ann"),
            ("groups", "a, ,b"),
        ]);
        let draft = TokenDraft::of(&fields);
        assert_eq!(
            Value::Object(draft.0.clone()),
            json!({ "role": "approver", "principal": "ann", "groups": ["a", "b"] })
        );
        assert_eq!((draft.text("groups"), draft.text("label")), ("a, b".to_owned(), String::new()));
    }
}

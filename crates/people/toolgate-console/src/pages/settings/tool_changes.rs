//! The setting `registry`: how changes to tools are taken.

use axum::response::Response;
use http::StatusCode;
use maud::{Markup, html};
use serde_json::{Map, Value, json};

use super::tabs::{Side, head, refused};
use super::value::SettingData;
use crate::address::PageAddress;
use crate::fields::FormFields;
use crate::layout::{ConsolePage, csrf};
use crate::notice::DoneNotice;
use crate::problem::PageResult;
use crate::visit::PageVisit;

const KEY: &str = "registry";

/// A choice: its name, its label, and its values with their meanings.
struct SettingChoice {
    name: &'static str,
    label: &'static str,
    words: &'static [(&'static str, &'static str)],
}

const CHOICES: [SettingChoice; 3] = [
    SettingChoice {
        name: "drift",
        label: "When a server offers a definition that differs from the pinned one",
        words: &[
            ("quarantine", "withhold the tool until someone has reviewed the difference"),
            ("accept", "use the new definition"),
        ],
    },
    SettingChoice {
        name: "new_tools",
        label: "When a tool is seen for the first time",
        words: &[
            ("visible", "offer it"),
            ("review", "withhold it until someone has reviewed it, if its server had others before"),
            ("review_all", "withhold it until someone has reviewed it"),
        ],
    },
    SettingChoice {
        name: "findings",
        label: "When a description seems to address the model",
        words: &[
            ("flag", "offer it, and mark it"),
            ("quarantine", "withhold it until someone has reviewed it"),
        ],
    },
];

pub(super) async fn show(visit: PageVisit) -> PageResult<Response> {
    page(&visit, StatusCode::OK, html! {}).await
}

pub(super) async fn change(visit: PageVisit, fields: FormFields) -> PageResult<Response> {
    let mut wish = Map::new();
    for SettingChoice { name, .. } in CHOICES {
        if let Some(word) = fields.text(name) {
            wish.insert(name.to_owned(), json!(word));
        }
    }
    match SettingData::change(&visit, KEY, &fields, |_| Ok(Value::Object(wish))).await {
        Ok(()) => Ok(visit.go(PageAddress::of(["console", "settings", "tools"]), DoneNotice::Saved)),
        Err(problem) if problem.status().is_client_error() => {
            page(&visit, problem.status(), refused(&problem)).await
        }
        Err(problem) => Err(problem),
    }
}

async fn page(visit: &PageVisit, status: StatusCode, above: Markup) -> PageResult<Response> {
    let setting = SettingData::read(visit, KEY).await?;
    let body = html! {
        (head(Side::Tools))
        (above)
        p { "The gateway pins each tool's definition when it first sees it. Tools that wait for review are under "
            a href="/console/reviews" { "Reviews" } "." }
        form.card method="post" action="/console/settings/tools" aria-label="Changes to tools" {
            (csrf(visit)) (setting.version_field())
            @for choice in &CHOICES { (field(visit, &setting, choice)) }
            @if visit.operates() { p { button.button.primary type="submit" { "Save" } } }
            @else { p.help { "Changing this needs the role admin or operator." } }
            (setting.last_change(visit))
        }
        p.help { "A server's own rule, in the configuration file or the settings, takes precedence." }
    };
    Ok(visit.page_with(status, "Changes to tools", ConsolePage::Settings, body).await)
}

fn field(visit: &PageVisit, setting: &SettingData, choice: &SettingChoice) -> Markup {
    let now = setting.value[choice.name].as_str().unwrap_or_default();
    html! {
        div.field {
            label for=(choice.name) { (choice.label) }
            select id=(choice.name) name=(choice.name) disabled[!visit.operates()] {
                option value="" selected[now.is_empty()] { "as the configuration file says" }
                @for &(word, told) in choice.words { option value=(word) selected[now == word] { (told) } }
            }
        }
    }
}

//! A hypothetical call: the decision, and the reasons.

use axum::extract::Query;
use axum::response::Response;
use http::StatusCode;
use maud::{Markup, html};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use toolgate_core::decision::PolicyTemplate;
use toolgate_core::{PrincipalKind, Role};

use super::explained::{self, ExplainedCallData};
use super::tabs::{Side, head};
use crate::address::PageAddress;
use crate::fields::FormFields;
use crate::layout::{ConsolePage, csrf};
use crate::parts::text;
use crate::problem::{ApiProblem, PageResult};
use crate::visit::PageVisit;

/// Names that the field for the tool offers.
const NAMES_MAX: usize = 500;

/// The filled-in fields.
#[derive(Clone, Default, Deserialize)]
pub(super) struct ExplainPageQuery {
    #[serde(default)]
    tool: String,
    #[serde(default)]
    arguments: String,
    #[serde(default)]
    principal: String,
    #[serde(default)]
    role: String,
    #[serde(default)]
    kind: String,
    #[serde(default)]
    groups: String,
    #[serde(default)]
    agent: String,
    #[serde(default)]
    template: String,
    #[serde(default)]
    session: String,
    #[serde(default)]
    run: String,
}

pub(super) async fn show(visit: PageVisit, Query(wish): Query<ExplainPageQuery>) -> PageResult<Response> {
    page(&visit, StatusCode::OK, &wish, html! {}).await
}

pub(super) async fn answer(visit: PageVisit, fields: FormFields) -> PageResult<Response> {
    let wish = ExplainPageQuery::of(&fields);
    let asked = match wish.body() {
        Ok(body) => visit.post::<ExplainedCallData>(PageAddress::of(["policy", "explain"]), &body).await,
        Err(problem) => Err(problem),
    };
    match asked {
        Ok(told) => page(&visit, StatusCode::OK, &wish, explained::shown(&told)).await,
        Err(problem) if problem.status().is_client_error() => {
            page(&visit, problem.status(), &wish, refused(&problem)).await
        }
        Err(problem) => Err(problem),
    }
}

async fn page(
    visit: &PageVisit,
    status: StatusCode,
    wish: &ExplainPageQuery,
    answer: Markup,
) -> PageResult<Response> {
    let names = names(visit).await?;
    let body = html! {
        (head(Side::Explain))
        p { "Describe a call to see how it would be decided. The call does not run, no person is asked, and nothing is recorded." }
        div.split {
            div #answer { (answer) (form(visit, wish, &names)) }
            section.card aria-labelledby="how-title" {
                h2 #how-title { "How a call is decided" }
                ol {
                    li { "The guard: at least one policy must permit the call, and none may forbid it. A policy that cannot be evaluated denies the call." }
                    li { "The gates: if one matches, a person must approve. If several match, all their conditions apply." }
                    li { "Existing grants and earlier approvals are not considered here." }
                }
            }
        }
    };
    Ok(visit.page_with(status, "Explain a call", ConsolePage::Policy, body).await)
}

#[derive(Deserialize)]
struct ToolNamesData {
    tools: Vec<ToolNameData>,
}

#[derive(Deserialize)]
struct ToolNameData {
    name: String,
}

async fn names(visit: &PageVisit) -> PageResult<Vec<String>> {
    let asked = PageAddress::of(["registry", "tools"]).with("limit", NAMES_MAX);
    let found = visit.find::<ToolNamesData>(asked).await?;
    Ok(found.map(|found| found.tools.into_iter().map(|tool| tool.name).collect()).unwrap_or_default())
}

fn form(visit: &PageVisit, wish: &ExplainPageQuery, names: &[String]) -> Markup {
    html! {
        form.card method="post" action="/console/policy/explain" aria-labelledby="form-title" {
            h2 #form-title { "The call" }
            (csrf(visit))
            div.field {
                label for="tool" { "Tool" }
                input #tool type="text" name="tool" value=(wish.tool) list="tools" required autocomplete="off" data-search placeholder="server:tool";
                datalist #tools { @for name in names { option value=(name) {} } }
            }
            div.field {
                label for="arguments" { "Arguments, as a JSON object" }
                textarea.mono #arguments name="arguments" rows="6" spellcheck="false" placeholder="{}" { (wish.arguments) }
            }
            fieldset {
                legend { "Caller" }
                div.filters {
                    (input("principal", "Principal", &wish.principal, "someone"))
                    (choice("role", "Role", &wish.role, Role::ALL.map(Role::as_str).as_slice(), "agent"))
                    (choice("kind", "Kind", &wish.kind, PrincipalKind::ALL.map(PrincipalKind::as_str).as_slice(), "same as the role"))
                    (input("groups", "Groups, separated by commas", &wish.groups, ""))
                }
            }
            details open[wish.has_place()] {
                summary { "Agent, session, run" }
                div.filters {
                    (input("agent", "Agent", &wish.agent, ""))
                    (choice("template", "Level of care", &wish.template, &PolicyTemplate::NAMES, "the gateway's"))
                    (input("session", "Session", &wish.session, "ses_…"))
                    (input("run", "Run", &wish.run, "run_…"))
                }
                @if let Some(template) = PolicyTemplate::parse(&wish.template) { p.help { (template.as_str()) ": " (template.meaning()) } }
            }
            p { button.button.primary type="submit" { "Explain" } }
        }
    }
}

fn input(name: &'static str, label: &str, value: &str, example: &str) -> Markup {
    html! {
        div.field {
            label for=(name) { (label) }
            input type="text" id=(name) name=(name) value=(value) placeholder=(example) autocomplete="off";
        }
    }
}

fn choice(name: &'static str, label: &str, value: &str, words: &[&str], usual: &str) -> Markup {
    html! {
        div.field {
            label for=(name) { (label) }
            select id=(name) name=(name) {
                option value="" { (usual) }
                @for word in words { option value=(word) selected[*word == value] { (word.replace('_', " ")) } }
            }
        }
    }
}

fn refused(problem: &ApiProblem) -> Markup {
    html! {
        section.card.error role="alert" {
            h2 { "This call cannot be explained" }
            p { (text::long(&problem.detail)) }
            @if let Some(hint) = &problem.hint { p.hint { (text::long(hint)) } }
        }
    }
}

impl ExplainPageQuery {
    fn of(fields: &FormFields) -> Self {
        let text = |name: &str| fields.text(name).unwrap_or_default().to_owned();
        Self {
            tool: text("tool"),
            arguments: text("arguments"),
            principal: text("principal"),
            role: text("role"),
            kind: text("kind"),
            groups: text("groups"),
            agent: text("agent"),
            template: text("template"),
            session: text("session"),
            run: text("run"),
        }
    }

    fn has_place(&self) -> bool {
        [&self.agent, &self.template, &self.session, &self.run].iter().any(|one| !one.is_empty())
    }

    /// The request to the API. Empty fields are omitted.
    fn body(&self) -> PageResult<Value> {
        let mut body = Map::new();
        let texts = [
            ("tool", &self.tool),
            ("principal", &self.principal),
            ("role", &self.role),
            ("kind", &self.kind),
            ("agent", &self.agent),
            ("template", &self.template),
            ("session", &self.session),
            ("run", &self.run),
        ];
        body.extend(
            texts
                .iter()
                .filter(|(_, text)| !text.is_empty())
                .map(|(name, text)| ((*name).to_owned(), json!(text))),
        );
        let groups = self.groups.split(',').map(str::trim).filter(|group| !group.is_empty());
        body.insert("groups".to_owned(), groups.collect());
        if !self.arguments.is_empty() {
            body.insert("arguments".to_owned(), arguments(&self.arguments)?);
        }
        Ok(Value::Object(body))
    }
}

fn arguments(written: &str) -> PageResult<Value> {
    serde_json::from_str(written).map_err(|error| {
        ApiProblem::bad_form(format!("the arguments are not JSON: {error}"))
            .hint("write an object such as {\"amount\": 50}")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_empty_is_not_asked() {
        let wish = ExplainPageQuery {
            tool: "bank:transfer".into(),
            groups: " a, ,b ".into(),
            ..ExplainPageQuery::default()
        };
        assert_eq!(wish.body().expect("a body"), json!({ "tool": "bank:transfer", "groups": ["a", "b"] }));
    }

    #[test]
    fn arguments_that_are_not_json_are_told_and_not_asked() {
        let wish = ExplainPageQuery { arguments: "{amount}".into(), ..ExplainPageQuery::default() };
        assert!(wish.body().expect_err("no JSON").detail.contains("not JSON"));
    }
}

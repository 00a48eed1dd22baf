//! Asking a knowledge base: a call of the very tool that agents call, which is judged and recorded as theirs.

use axum::extract::Path;
use axum::response::Response;
use maud::{Markup, html};
use serde_json::{Value, json};

use super::answer;
use super::data::{BaseAnswerData, KnowledgeBaseData};
use super::detail;
use crate::fields::FormFields;
use crate::layout;
use crate::pages::tools::{self, EnvelopeData};
use crate::parts::text;
use crate::problem::PageResult;
use crate::visit::PageVisit;

const TOOL: &str = "knowledge.kb_query";
/// From the weakest to the strictest.
const MANNERS: [&str; 3] = ["fast-skim", "legal-citations", "strict-evidence"];

/// The values of the form.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct AskForm {
    query: String,
    manner: String,
    written: bool,
}

impl AskForm {
    fn of(fields: &FormFields) -> PageResult<Self> {
        Ok(Self {
            query: fields.needed("query")?.to_owned(),
            manner: fields.text("manner").unwrap_or_default().to_owned(),
            written: fields.ticked("written"),
        })
    }

    fn arguments(&self, base: &str) -> Value {
        let mut arguments = json!({ "kb": base, "query": self.query, "written": self.written });
        if !self.manner.is_empty() {
            arguments["manner"] = json!(self.manner);
        }
        arguments
    }
}

pub(super) async fn ask(
    visit: PageVisit,
    Path(id): Path<String>,
    fields: FormFields,
) -> PageResult<Response> {
    let form = AskForm::of(&fields)?;
    let found = detail::find(&visit, &id).await?;
    let (status, envelope) = tools::call_own(&visit, TOOL, &form.arguments(&found.base.id)).await?;
    let shown = told(&envelope);
    Ok(detail::page(&visit, status, &found, &form, &shown).await)
}

/// The answer, or what became of the call.
fn told(envelope: &EnvelopeData) -> Markup {
    let data = envelope.data.clone().filter(|_| envelope.is_done());
    let read: Option<BaseAnswerData> = data.and_then(|data| serde_json::from_value(data).ok());
    match read {
        Some(data) => answer::show(&data, &envelope.tool_call_id),
        None => tools::of_call(envelope),
    }
}

pub(super) fn card(visit: &PageVisit, base: &KnowledgeBaseData, form: &AskForm) -> Markup {
    html! {
        section.card #ask aria-labelledby="ask-title" {
            h2 #ask-title { "Ask" }
            @if base.deleted_at.is_some() { p.soft { "This knowledge base was deleted and no longer answers." } }
            @else if !visit.operates() { p.help { "Only admins and operators can ask questions here, because answers quote documents." } }
            @else { (fields(visit, base, form)) }
        }
    }
}

fn fields(visit: &PageVisit, base: &KnowledgeBaseData, form: &AskForm) -> Markup {
    let own = MANNERS.iter().position(|manner| *manner == base.manner).unwrap_or(0);
    html! {
        form method="post" action=(base.address()) role="search" {
            (layout::csrf(visit))
            div.field {
                label for="query" { "Question" }
                input type="search" #query name="query" value=(form.query) required autocomplete="off" data-search;
            }
            div.field {
                label for="manner" { "Manner" }
                select #manner name="manner" {
                    option value="" { "as the base: " (text::made_visible(&base.manner)) }
                    @for manner in &MANNERS[own..] {
                        @if *manner != base.manner { option value=(manner) selected[form.manner == **manner] { (manner) ": " (manner_in_words(manner)) } }
                    }
                }
            }
            div.field {
                label.check for="written" {
                    input type="checkbox" #written name="written" value="1" checked[form.written];
                    span { "A language model writes the answer, if one is configured" }
                }
            }
            button.button.primary type="submit" { "Ask" }
        }
    }
}

pub(super) fn manner_in_words(manner: &str) -> &'static str {
    match manner {
        "fast-skim" => "the best passages",
        "legal-citations" => "a citation for each sentence",
        "strict-evidence" => "only sentences that answer by themselves, or nothing",
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_takes_the_manner_of_its_base_unless_another_is_chosen() {
        let form = |manner| {
            AskForm::of(&FormFields::of(&[("query", " why? "), ("manner", manner)])).expect("a form")
        };
        assert_eq!(form("").arguments("kb_1"), json!({ "kb": "kb_1", "query": "why?", "written": false }));
        assert_eq!(form("strict-evidence").arguments("kb_1")["manner"], json!("strict-evidence"));
        assert!(AskForm::of(&FormFields::of(&[("query", " ")])).is_err());
    }
}

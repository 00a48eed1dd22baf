//! The page of one question: its text, the run so far, and the answer.

use axum::extract::Path;
use axum::response::{IntoResponse, Response};
use http::header::{CONTENT_DISPOSITION, CONTENT_SECURITY_POLICY};
use http::{HeaderMap, HeaderValue, StatusCode};
use maud::{Markup, html};
use serde::Deserialize;
use serde_json::{Value, json};
use toolgate_core::Role;

use super::data::InputData;
use super::ways::{inbox, question_page};
use super::{past, slot};
use crate::address::PageAddress;
use crate::fields::FormFields;
use crate::headers::POLICY_OF_CONTENTS;
use crate::layout::{ConsolePage, csrf};
use crate::notice::DoneNotice;
use crate::parts::{self, allowed, facts, moment, picture, text};
use crate::problem::{ApiProblem, PageResult};
use crate::visit::PageVisit;

const ANSWERING: [Role; 3] = [Role::Admin, Role::Operator, Role::Approver];

/// The run that asks, for those who may see it.
#[derive(Deserialize)]
struct AskingRunData {
    state: String,
    agent: String,
    #[serde(default)]
    task: Option<String>,
    created_by: String,
}

/// An answer that was not taken.
#[derive(Default)]
struct AnswerAttempt {
    typed: FormFields,
    wrong: Option<String>,
    problem: Option<Box<ApiProblem>>,
}

pub(super) async fn show(visit: PageVisit, Path(id): Path<String>) -> PageResult<Response> {
    let input = find(&visit, &id).await?;
    page(&visit, &input, &AnswerAttempt::default()).await
}

async fn find(visit: &PageVisit, id: &str) -> PageResult<InputData> {
    visit.get(PageAddress::of(["inputs", id])).await
}

pub(super) async fn answer(
    visit: PageVisit,
    Path(id): Path<String>,
    fields: FormFields,
) -> PageResult<Response> {
    let input = find(&visit, &id).await?;
    let answer = match slot::read(&input.slot_type, &fields) {
        Ok(answer) => answer,
        Err(sentence) => {
            let attempt = AnswerAttempt { typed: fields, wrong: Some(sentence.to_owned()), problem: None };
            return page(&visit, &input, &attempt).await;
        }
    };
    let address = PageAddress::of(["inputs", &id, "answer"]);
    match visit.post::<Value>(address, &json!({ "answer": answer })).await {
        Ok(_) => Ok(visit.go(inbox(), DoneNotice::Answered).into_response()),
        Err(problem) if problem.is(StatusCode::UNAUTHORIZED) => Err(problem),
        Err(problem) => {
            let input = find(&visit, &id).await?;
            let wrong = problem.is(StatusCode::UNPROCESSABLE_ENTITY).then(|| problem.detail.clone());
            page(&visit, &input, &AnswerAttempt { typed: fields, wrong, problem: Some(problem) }).await
        }
    }
}

async fn page(visit: &PageVisit, input: &InputData, attempt: &AnswerAttempt) -> PageResult<Response> {
    let run: Option<AskingRunData> = visit.find(PageAddress::of(["runs", &input.run])).await?;
    let title = html! { "A question " (parts::state(&input.state)) };
    let body = html! {
        div #standing data-live="input" { (parts::heading(title, html! { a.button href=(inbox()) { "Back to the inbox" } })) }
        @if let Some(problem) = attempt.problem.as_ref().filter(|_| attempt.wrong.is_none()) { (refused(input, problem)) }
        div.split {
            section #answering data-live="input" data-state=(input.state) { (asked(visit, input, attempt)) }
            div {
                (who(visit, input, run.as_ref()))
                (past::calls(visit, &input.before, Some(&input.run), input.session.as_deref()))
            }
        }
    };
    let status = match (&attempt.problem, &attempt.wrong) {
        (Some(problem), _) => problem.status(),
        (None, Some(_)) => StatusCode::UNPROCESSABLE_ENTITY,
        (None, None) => StatusCode::OK,
    };
    Ok(visit.page_with(status, "A question", ConsolePage::Inbox, body).await)
}

fn asked(visit: &PageVisit, input: &InputData, attempt: &AnswerAttempt) -> Markup {
    html! {
        section.card aria-labelledby="question" {
            h2.question #question { (text::long(&input.prompt_key)) }
            (pictured(visit, input))
            @if !input.is_pending() { (resolved(visit, input)) }
            @else if visit.is_one_of(&ANSWERING) { (form(visit, input, attempt)) }
            @else {
                p.notice { "You are logged in as " (visit.role().as_str()) ". The roles approver, operator and admin answer questions." }
                @if !input.options.is_empty() { ul { @for one in &input.options { li { (text::long(one.label.as_deref().unwrap_or(&one.value))) } } } }
            }
        }
    }
}

/// The picture that the agent shows with its question, for those who may answer.
fn pictured(visit: &PageVisit, input: &InputData) -> Markup {
    let bytes = PageAddress::of(["console", "inbox", "inputs", &input.id, "picture"]);
    let shown = input.picture.as_ref().filter(|_| visit.is_one_of(&ANSWERING));
    html! {
        @if let Some(one) = shown {
            @if picture::is_shown(&one.media_type, one.size) { p { (picture::of(&bytes, "The page that the agent sees")) } }
            p.help { "This picture comes from the agent. Treat its text as data, not as instructions. " a href=(bytes) download { "Download" } }
        }
    }
}

/// The bytes of the picture. For any type, a browser only shows or saves them.
pub(super) async fn picture_bytes(visit: PageVisit, Path(id): Path<String>) -> PageResult<Response> {
    let mut answer = visit.pass_on(PageAddress::of(["inputs", &id, "picture"]), HeaderMap::new()).await?;
    let headers = answer.headers_mut();
    headers.insert(CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY_OF_CONTENTS));
    headers.insert(CONTENT_DISPOSITION, HeaderValue::from_static("attachment"));
    Ok(answer)
}

fn form(visit: &PageVisit, input: &InputData, attempt: &AnswerAttempt) -> Markup {
    let is_typed = attempt.typed.pairs().next().is_some();
    html! {
        form method="post" action=(question_page(&input.id)) data-typed[is_typed] {
            (csrf(visit))
            (slot::field(input, &attempt.typed, attempt.wrong.as_deref()))
            button.button.primary type="submit" { "Answer" }
            p.help { "The run continues with the first answer. " kbd { "a" } " goes to the answer." }
        }
    }
}

fn resolved(visit: &PageVisit, input: &InputData) -> Markup {
    html! {
        @match &input.answer {
            Some(answer) => {
                p { "The answer: " }
                (parts::json::tree(answer))
                p.soft {
                    (text::short(input.answered_by.as_deref().unwrap_or("Someone"))) " answered "
                    @if let Some(moment) = &input.resolved_at { (moment::ago(visit, moment)) }
                }
            },
            None => p.notice { "The run no longer waits for an answer." },
        }
        p { a.button.primary href=(inbox()) { "Back to the inbox" } }
    }
}

fn who(visit: &PageVisit, input: &InputData, run: Option<&AskingRunData>) -> Markup {
    let rows = [
        ("Caller", Some(allowed::principal(visit, &input.principal))),
        (
            "Run",
            Some(
                html! { (allowed::id(visit, &input.run)) @if let Some(run) = run { " " (parts::state(&run.state)) } },
            ),
        ),
        ("As agent", run.map(|run| allowed::agent(visit, &run.agent))),
        ("Task", run.and_then(|run| run.task.as_deref()).map(text::short)),
        ("On behalf of", run.map(|run| allowed::principal(visit, &run.created_by))),
        ("Session", input.session.as_deref().map(|id| allowed::id(visit, id))),
        ("Call", input.call.as_deref().map(|id| allowed::id(visit, id))),
        ("Name of the answer", Some(html! { code { (text::short(&input.slot_id)) } })),
        ("Asked", Some(moment::ago(visit, &input.created_at))),
    ];
    html! {
        section.card aria-labelledby="who" {
            h2 #who { "Asked by" }
            (facts(rows.into_iter().filter_map(|(name, value)| Some((name, value?)))))
        }
    }
}

fn refused(input: &InputData, problem: &ApiProblem) -> Markup {
    let faster = input.answered_by.as_deref().filter(|_| problem.is(StatusCode::CONFLICT));
    html! {
        section.card.problem role="alert" {
            h2 { @if faster.is_some() { "Someone else answered first" } @else { "Your answer was not recorded" } }
            @match faster {
                Some(person) => p { (text::short(person)) " has answered it. The run uses that answer." },
                None => p { (text::long(&problem.detail)) },
            }
            @if let Some(hint) = &problem.hint { p.hint { strong { "Hint: " } (text::long(hint)) } }
        }
    }
}

//! Trying a tool: a form made from its schema, sent through the pipeline of every call.

use axum::extract::Path;
use axum::response::Response;
use http::StatusCode;
use maud::{Markup, html};
use serde_json::Value;

use super::call::{self, EnvelopeData};
use super::data::ToolData;
use super::upload::{FormUpload, TrialForm, UPLOAD};
use super::{outcome, search};
use crate::address::PageAddress;
use crate::fields::FormFields;
use crate::layout::{self, ConsolePage};
use crate::pages::catalogue;
use crate::parts::{self, text};
use crate::problem::{ApiProblem, PageResult};
use crate::schema_form::{self, FieldErrors};
use crate::visit::PageVisit;

const AGENT: &str = "as-agent";

pub(super) async fn show(visit: PageVisit, Path(name): Path<String>) -> PageResult<Response> {
    let tool = ToolData::get(&visit, &name, None).await?;
    let form =
        schema_form::fields(tool.input_schema(), &Value::Object(serde_json::Map::new()), &FieldErrors::new());
    let body = page(
        &visit,
        &tool,
        &TrialPage { form, agent: None, agents: search::agents(&visit).await?, outcome: html! {} },
    );
    Ok(visit.page(&title(&tool), ConsolePage::Tools, body).await)
}

pub(super) async fn run(visit: PageVisit, Path(name): Path<String>, form: TrialForm) -> PageResult<Response> {
    let TrialForm { fields, uploads } = form;
    let agent = fields.text(AGENT).map(str::to_owned);
    let tool = ToolData::get(&visit, &name, agent.as_deref()).await?;
    let fields = with_uploads(&tool, fields, &uploads);
    let agents = search::agents(&visit).await?;
    let done = match schema_form::read(tool.input_schema(), &fields) {
        Ok(arguments) => {
            TrialOutcome::of(call::call(&visit, &tool.name, agent.as_deref(), &arguments).await, &uploads)
        }
        Err(wrong) => {
            TrialOutcome { status: StatusCode::UNPROCESSABLE_ENTITY, outcome: not_filled_in(&uploads), wrong }
        }
    };
    let form = schema_form::refilled(tool.input_schema(), &fields, &done.wrong);
    let body = page(&visit, &tool, &TrialPage { form, agent, agents, outcome: done.outcome });
    Ok(visit.page_with(done.status, &title(&tool), ConsolePage::Tools, body).await)
}

/// The page after a trial.
struct TrialOutcome {
    status: StatusCode,
    outcome: Markup,
    wrong: FieldErrors,
}

impl TrialOutcome {
    fn of(called: PageResult<EnvelopeData>, uploads: &[FormUpload]) -> Self {
        match called {
            Ok(envelope) => Self {
                status: StatusCode::OK,
                outcome: outcome::show(&envelope, uploads),
                wrong: envelope.wrong(),
            },
            Err(problem) => Self {
                status: problem.status(),
                outcome: not_called(&problem, uploads),
                wrong: FieldErrors::new(),
            },
        }
    }
}

fn not_called(problem: &ApiProblem, uploads: &[FormUpload]) -> Markup {
    html! {
        section.card.problem #outcome role="alert" {
            h2 { "The tool was not called" }
            p { (text::long(&problem.detail)) }
            @if let Some(hint) = &problem.hint { p.hint { strong { "Hint: " } (text::long(hint)) } }
            (outcome::stored(uploads))
        }
    }
}

fn not_filled_in(uploads: &[FormUpload]) -> Markup {
    html! {
        section.card.problem #outcome role="alert" {
            h2 { "The tool was not called" } p { "Some fields are missing or invalid; see the messages beside them." }
            (outcome::stored(uploads))
        }
    }
}

/// The ids of uploaded files replace the fields that take them, so that they are uploaded once.
fn with_uploads(tool: &ToolData, fields: FormFields, uploads: &[FormUpload]) -> FormFields {
    let mut pairs: Vec<(String, String)> =
        fields.pairs().map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
    for upload in uploads {
        let is_list = tool.files.iter().any(|slot| slot.argument == upload.argument && slot.many);
        let name = format!("field:/{}", upload.argument.replace('~', "~0").replace('/', "~1"));
        match pairs.iter_mut().find(|(one, _)| *one == name) {
            Some((_, value)) if is_list && !value.trim().is_empty() => {
                *value = format!("{value}\n{}", upload.file.id)
            }
            Some((_, value)) => value.clone_from(&upload.file.id),
            None => pairs.push((name, upload.file.id.clone())),
        }
    }
    FormFields::from(pairs)
}

/// The data of a trial's page.
struct TrialPage {
    form: Markup,
    agent: Option<String>,
    agents: Vec<String>,
    outcome: Markup,
}

fn title(tool: &ToolData) -> String {
    format!("Try {}", tool.name)
}

fn page(visit: &PageVisit, tool: &ToolData, trial: &TrialPage) -> Markup {
    let about = PageAddress::of(["console", "tools", &tool.name]);
    let encoding = (!tool.files.is_empty()).then_some("multipart/form-data");
    html! {
        (parts::heading(html! { "Try " (text::short(&tool.name)) }, html! { a.button href=(about) { "About this tool" } }))
        (trial.outcome)
        (warning(tool))
        form.card method="post" action=(PageAddress::of(["console", "tools", &tool.name, "try"])) enctype=[encoding] data-confirm=[confirm(tool)] {
            (layout::csrf(visit))
            (trial.form)
            (files(tool))
            (agents(trial))
            button.button.primary type="submit" { "Run it" }
        }
    }
}

fn warning(tool: &ToolData) -> Markup {
    html! {
        div.notice {
            p { strong { "This runs the tool for real." } " The call is treated like any other: it is validated, policy decides on it, people may be asked, and the ledger records it under your name." }
            @if tool.changes_things() { div.row { span { "A call may" } (catalogue::effects(tool.effects.as_deref())) } }
        }
    }
}

/// The confirmation before sending, if a call may change something.
fn confirm(tool: &ToolData) -> Option<String> {
    if tool.is_destructive() {
        return Some(format!("{} may destroy something, and the call is real. Continue?", tool.name));
    }
    tool.changes_things()
        .then(|| format!("{} may change something, and the call is real. Continue?", tool.name))
}

fn files(tool: &ToolData) -> Markup {
    html! {
        @if !tool.files.is_empty() {
            fieldset {
                legend { "Files" }
                @for slot in &tool.files {
                    @let id = format!("upload-{}", slot.argument.replace(char::is_whitespace, "-"));
                    div.field {
                        label for=(id) { "Upload for " code { (text::short(&slot.argument)) } }
                        input type="file" id=(id) name={ (UPLOAD) (slot.argument) } multiple[slot.many];
                        p.help { "The upload is stored as your file, and its id replaces the value of the field above. You can also type the id of a file, a ref or an artifact there." }
                    }
                }
            }
        }
    }
}

fn agents(trial: &TrialPage) -> Markup {
    html! {
        @if trial.agents.len() > 1 || trial.agent.is_some() {
            div.field {
                label for=(AGENT) { "As this agent" }
                select id=(AGENT) name=(AGENT) {
                    option value="" { "as your own token" }
                    @for agent in &trial.agents { option value=(agent) selected[trial.agent.as_ref() == Some(agent)] { (text::made_visible(agent)) } }
                }
                p.help { "Its definition's rules apply to the call." }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::pages::tools::upload::StoredFileData;

    fn tool() -> ToolData {
        let slot = |argument: &str, many: bool| json!({"argument": argument, "strategy": "passthrough", "content": "x", "many": many});
        serde_json::from_value(
            json!({"name": "a:b", "wire_name": "a__b", "approval": "never", "definition": {},
            "files": [slot("file_id", false), slot("others", true)]}),
        )
        .expect("a tool")
    }

    fn upload(argument: &str, id: &str) -> FormUpload {
        FormUpload { argument: argument.into(), file: StoredFileData { id: id.into() } }
    }

    #[test]
    fn files_that_came_along_stand_in_their_fields() {
        let typed = FormFields::of(&[("field:/file_id", ""), ("field:/others", "file_1")]);
        let uploads = [upload("file_id", "file_2"), upload("others", "file_3"), upload("else", "file_4")];
        let fields = with_uploads(&tool(), typed, &uploads);
        let found = ["field:/file_id", "field:/others", "field:/else"].map(|name| fields.get(name));
        assert_eq!(found, [Some("file_2"), Some("file_1\nfile_3"), Some("file_4")]);
    }

    #[test]
    fn what_nobody_said_anything_about_is_asked_about_before_it_runs() {
        assert!(confirm(&tool()).is_some_and(|asked| asked.contains("destroy")));
        let reading = ToolData { effects: Some(vec!["read".into()]), ..tool() };
        assert_eq!(confirm(&reading), None);
    }
}

//! Writing policies while the gateway runs: checked, tried on past calls, and put in force with a reason. What stands in files is tried
//! here and changed there.

use axum::extract::Query;
use axum::response::Response;
use http::header::IF_MATCH;
use http::{HeaderMap, HeaderValue, Method, StatusCode};
use maud::{Markup, html};
use serde::Deserialize;
use serde_json::Value;
use toolgate_core::Role;

use super::draft::{DraftForm, PolicySourceData, PolicyTextsData, TEXTS, TextField};
use super::tabs::{Side, head};
use super::tried::{self, CheckedData, TrialData};
use super::versions::{self, SettingVersionsData};
use crate::address::PageAddress;
use crate::fields::FormFields;
use crate::layout::{ConsolePage, csrf};
use crate::notice::DoneNotice;
use crate::problem::{ApiProblem, PageResult};
use crate::visit::PageVisit;

#[derive(Deserialize)]
pub(super) struct WritePageQuery {
    /// An earlier version, to start from.
    #[serde(default)]
    version: Option<u64>,
}

/// The setting as it is now.
#[derive(Deserialize)]
struct PolicySettingData {
    value: Value,
    version: u64,
}

pub(super) async fn show(visit: PageVisit, Query(wanted): Query<WritePageQuery>) -> PageResult<Response> {
    let setting = setting(&visit).await?;
    let versions = versions(&visit).await?;
    let earlier = wanted.version.and_then(|version| versions.value_of(version));
    let form = DraftForm::of_setting(earlier.unwrap_or(&setting.value), setting.version);
    let above = match (earlier, wanted.version) {
        (Some(_), Some(version)) => versions::loaded(version),
        (None, Some(version)) => versions::unknown(version),
        _ => html! {},
    };
    page(&visit, StatusCode::OK, &form, &versions, above).await
}

pub(super) async fn answer(visit: PageVisit, fields: FormFields) -> PageResult<Response> {
    let mut form = DraftForm::of(&fields)?;
    let told = match fields.text("do") {
        Some("force") => match force(&visit, &form).await {
            Ok(done) => return Ok(done),
            Err(problem) => Err(problem),
        },
        Some("try") => trial(&visit, &form).await,
        _ => check(&visit, &form).await,
    };
    let (status, above) = match told {
        Ok(told) => (StatusCode::OK, told),
        Err(problem) if problem.status().is_client_error() => (problem.status(), tried::refused(&problem)),
        Err(problem) => return Err(problem),
    };
    if status == StatusCode::PRECONDITION_FAILED {
        form.version = setting(&visit).await?.version;
    }
    let versions = versions(&visit).await?;
    page(&visit, status, &form, &versions, above).await
}

async fn setting(visit: &PageVisit) -> PageResult<PolicySettingData> {
    visit.get(PageAddress::of(["settings", "policy"])).await
}

async fn versions(visit: &PageVisit) -> PageResult<SettingVersionsData> {
    visit.get(PageAddress::of(["settings", "policy", "versions"])).await
}

async fn texts(visit: &PageVisit) -> PageResult<PolicyTextsData> {
    visit.get(PageAddress::of(["policy"])).await
}

async fn check(visit: &PageVisit, form: &DraftForm) -> PageResult<Markup> {
    let body = form.body(&texts(visit).await?);
    let checked: CheckedData = visit.post(PageAddress::of(["policy", "check"]), &body).await?;
    Ok(tried::checked(&checked))
}

async fn trial(visit: &PageVisit, form: &DraftForm) -> PageResult<Markup> {
    let body = form.body(&texts(visit).await?);
    let trial: TrialData = visit.post(PageAddress::of(["policy", "trial"]), &body).await?;
    Ok(tried::trial(visit, &trial))
}

async fn force(visit: &PageVisit, form: &DraftForm) -> PageResult<Response> {
    if let Some(name) = form.changed_file(&texts(visit).await?) {
        let detail = format!(
            "{name} is a file: you can try changes here, and put them in force only in the file itself"
        );
        return Err(ApiProblem::bad_form(detail).hint(
            "copy your text into the file, which takes effect within a second, and undo the change here",
        ));
    }
    let tag = HeaderValue::from_str(&format!("\"{}\"", form.version)).expect("digits fit a header");
    let headers = HeaderMap::from_iter([(IF_MATCH, tag)]);
    let setting = PageAddress::of(["settings", "policy"]);
    let _: Value = visit.send_with(Method::PATCH, setting, headers, &form.change()).await?;
    Ok(visit.go(PageAddress::of(["console", "policy", "write"]), DoneNotice::Saved))
}

async fn page(
    visit: &PageVisit,
    status: StatusCode,
    form: &DraftForm,
    versions: &SettingVersionsData,
    above: Markup,
) -> PageResult<Response> {
    let texts = texts(visit).await?;
    let body = html! {
        (head(Side::Write))
        p { "Write policies that apply in addition to your files. Check them, try them on the last 1,000 calls, then put them in force with a reason. "
            "Every replica follows within a second, and any earlier version can be put in force again." }
        (above)
        form.card method="post" action="/console/policy/write" aria-label="Policies" {
            (csrf(visit))
            input type="hidden" name="version" value=(form.version);
            @for field in TEXTS.iter().filter(|field| !field.is_shadow) { (area(field, form)) }
            details open[form.has_shadow()] {
                summary { "In shadow mode" }
                p.help { "These have no effect. “Shadow mode” shows what they would have changed." }
                @for field in TEXTS.iter().filter(|field| field.is_shadow) { (area(field, form)) }
            }
            (files(form, &texts))
            p { button.button type="submit" name="do" value="check" { "Check" } " "
                button.button type="submit" name="do" value="try" { "Try on the last 1,000 calls" } }
            (forcing(visit, form))
        }
        (versions::list(visit, versions))
    };
    Ok(visit.page_with(status, "Write policies", ConsolePage::Policy, body).await)
}

fn area(field: &TextField, form: &DraftForm) -> Markup {
    let TextField { key, label, help, example, .. } = field;
    html! {
        div.field {
            label for=(key) { (label) }
            p.help id={ (key) "-help" } { (help) }
            textarea.mono id=(key) name=(key) rows="9" spellcheck="false" autocomplete="off" aria-describedby={ (key) "-help" } placeholder=(example) {
                (form.text(key))
            }
        }
    }
}

/// The files of the policy folder, to be tried with other texts.
fn files(form: &DraftForm, texts: &PolicyTextsData) -> Markup {
    let own: Vec<&PolicySourceData> = texts.files.iter().filter(|file| file.home == "file").collect();
    html! {
        @if !own.is_empty() {
            details open[form.changed_file(texts).is_some()] {
                summary { "Policy files (" (own.len()) ")" }
                p.help { "Change a file here to check and try the change. To put it in force, copy it into the file." }
                @for (place, file) in own.iter().enumerate() {
                    div.field {
                        label for={ "file-" (place) } { (file.name) }
                        textarea.mono id={ "file-" (place) } name=(DraftForm::file_field(&file.name)) rows="9" spellcheck="false" {
                            (form.file(file))
                        }
                    }
                }
            }
        }
    }
}

fn forcing(visit: &PageVisit, form: &DraftForm) -> Markup {
    html! {
        @if visit.is_one_of(&[Role::Admin]) {
            div.field {
                label for="reason" { "Reason" }
                input #reason type="text" name="reason" value=(form.reason) maxlength="500" autocomplete="off" aria-describedby="reason-help";
                p.help #reason-help { "Required to put the policies in force. The ledger keeps it." }
            }
            p { button.button.primary type="submit" name="do" value="force" { "Put in force" } }
        } @else {
            p.help { "Putting policies in force needs the role admin." }
        }
    }
}

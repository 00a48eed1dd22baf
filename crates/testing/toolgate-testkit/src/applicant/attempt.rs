//! The work on one job, from the page that is seen to the next call.

use serde_json::{Value, json};

use super::desk::{ApplicantGoal, TakenJob, basic, resume};
use super::memory::DoneCall;
use super::page::{SeenPage, address};
use super::says::{self, NOT_SENT, PROCESSING, RECEIVED, SUBMIT};
use crate::model::ModelStep;

/// A form that cannot be filled in after so many visits is left to a person.
const VISITS_MAX: usize = 12;
const EVIDENCE_CHARS_MAX: usize = 300;
/// The gateway's first words about a call that it did not make.
const NOT_RUN: &str = "not run:";
/// Words of the product about an application that is no longer this run's to change.
const LOST: [&str; 5] = [
    "cannot become",
    "belongs to another run",
    "not at version",
    "waits for a person",
    "was recorded before",
];

/// The calls since the job was taken.
pub(super) struct Attempt<'a> {
    pub(super) goal: &'a ApplicantGoal,
    pub(super) profile: &'a Value,
    pub(super) job: &'a TakenJob,
    pub(super) calls: &'a [DoneCall<'a>],
}

/// A page that is seen now, and the calls since it was seen.
struct SeenNow<'a> {
    page: SeenPage<'a>,
    since: &'a [DoneCall<'a>],
}

impl<'a> Attempt<'a> {
    /// True if the product knows how this ended, or has given the job to somebody else.
    pub(super) fn is_over(&self) -> bool {
        let Some(last) = self.calls.last() else { return false };
        let is_lost = || LOST.iter().any(|words| last.text.contains(words));
        match last.tool {
            "record_application" => last.went_well() || is_lost(),
            "update_application_status" => !last.went_well() && is_lost(),
            _ => false,
        }
    }

    pub(super) fn next(&self) -> ModelStep {
        let Some(last) = self.calls.last() else { return says::navigate(&self.job.url) };
        if !last.went_well() {
            return self.after_trouble(last);
        }
        match self.seen() {
            Some(seen) => self.on_page(&seen),
            None => says::snapshot(),
        }
    }

    /// The last snapshot, if nothing has turned the page since.
    fn seen(&self) -> Option<SeenNow<'a>> {
        let calls: &'a [DoneCall<'a>] = self.calls;
        let at = calls.iter().rposition(|call| call.tool == "snapshot" && call.went_well())?;
        let since = &calls[at + 1..];
        let is_old = since.iter().any(DoneCall::turns_the_page);
        (!is_old).then(|| SeenNow { page: SeenPage::read(calls[at].text), since })
    }

    fn on_page(&self, seen: &SeenNow<'a>) -> ModelStep {
        let page = &seen.page;
        match () {
            () if self.sent().is_some() => self.after_sending(seen),
            () if page.says("session has expired") => says::navigate(&self.job.url),
            () if page.find("textbox", "Letters in the picture").is_some() => self.captcha(seen),
            () if page.find("textbox", "Username").is_some() => self.log_in(seen),
            () if page.find("textbox", "One-time code").is_some() => self.code(seen),
            () => self.form(seen),
        }
    }

    /// The click that may have sent the application: the last one that was made, unless a page said afterwards that nothing was
    /// sent.
    fn sent(&self) -> Option<&'a DoneCall<'a>> {
        let calls: &'a [DoneCall<'a>] = self.calls;
        let at = calls.iter().rposition(|call| is_sending(call) && !call.text.starts_with(NOT_RUN))?;
        let denies = |call: &DoneCall<'_>| {
            call.tool == "snapshot" && NOT_SENT.iter().any(|words| call.text.contains(words))
        };
        (!calls[at + 1..].iter().any(denies)).then_some(&calls[at])
    }

    fn after_sending(&self, seen: &SeenNow<'a>) -> ModelStep {
        if self.confirmation().is_some() {
            return match did(seen.since, "screenshot") {
                None => says::screenshot(),
                Some(shot) => self.confirmed(shot.reference()),
            };
        }
        if seen.page.says(PROCESSING) && !self.calls.iter().any(|call| call.tool == "wait_for") {
            return says::wait_for_confirmation();
        }
        self.leave_to_a_person()
    }

    /// The address of the page that has the application, if it is the one that is seen.
    fn confirmation(&self) -> Option<&'a str> {
        let seen = self.sent().and_then(|_| self.seen())?;
        RECEIVED.iter().any(|words| seen.page.says(words)).then(|| self.address())
    }

    /// The last address that the browser told.
    fn address(&self) -> &'a str {
        let calls: &'a [DoneCall<'a>] = self.calls;
        calls.iter().rev().find_map(|call| address(call.text)).unwrap_or_default()
    }

    fn confirmed(&self, screenshot: Option<&str>) -> ModelStep {
        let url = self.confirmation().unwrap_or(&self.job.url);
        let mut evidence = json!({ "url": url, "text": format!("{} for {}", RECEIVED[0], self.job.title) });
        if let Some(screenshot) = screenshot {
            evidence["screenshot_ref"] = json!(screenshot);
        }
        self.record("confirmed", &evidence)
    }

    /// Something went wrong. Before the sending click, begin again; after it, nothing is guessed.
    fn after_trouble(&self, last: &DoneCall<'_>) -> ModelStep {
        match last.tool {
            "record_application" | "update_application_status" => self.again(last),
            _ if is_sending(last) && last.text.contains("said no") => self.refused(),
            "screenshot" if self.confirmation().is_some() => self.confirmed(None),
            _ if self.sent().is_some() => self.leave_to_a_person(),
            _ if self.visits() >= VISITS_MAX => self.leave_to_a_person(),
            _ => says::navigate(&self.job.url),
        }
    }

    /// The product is away, or was when the call came: the same call again has the same answer.
    fn again(&self, last: &DoneCall<'_>) -> ModelStep {
        says::jobs(last.tool, last.arguments)
    }

    fn visits(&self) -> usize {
        self.calls.iter().filter(|call| call.tool == "navigate").count()
    }

    fn leave_to_a_person(&self) -> ModelStep {
        let said = self.sent().map_or("the form could not be filled in", |click| {
            if click.went_well() {
                "after the click, the site did not say what became of it"
            } else {
                click.text
            }
        });
        let said: String = said.lines().next().unwrap_or_default().chars().take(EVIDENCE_CHARS_MAX).collect();
        self.record(
            "needs_person",
            &json!({ "url": self.job.url, "text": format!("Unknown outcome: {said}") }),
        )
    }

    fn refused(&self) -> ModelStep {
        self.record("failed", &json!({ "url": self.job.url, "text": "A person refused the sending click." }))
    }

    fn record(&self, status: &str, evidence: &Value) -> ModelStep {
        let arguments =
            json!({ "user": self.goal.user, "job_id": self.job.job, "status": status, "evidence": evidence });
        says::jobs("record_application", &arguments)
    }

    fn form(&self, seen: &SeenNow<'a>) -> ModelStep {
        let page = &seen.page;
        let fields = self.fields(page);
        if !fields.is_empty() && did(seen.since, "fill_form").is_none() {
            return says::fill(fields);
        }
        if let (Some(input), Some(file)) = (page.find("file", "Resume"), resume(self.profile))
            && did(seen.since, "upload").is_none()
        {
            return says::upload(input, file);
        }
        match (page.find("button", "Next"), page.find("button", SUBMIT)) {
            (Some(next), _) => says::press(next, "Next"),
            (None, Some(submit)) if self.is_submitting() => says::press(submit, SUBMIT),
            (None, Some(_)) => self.announce(),
            (None, None) if self.visits() >= VISITS_MAX => self.leave_to_a_person(),
            (None, None) => says::navigate(&self.job.url),
        }
    }

    /// The fields of a page that it knows answers for.
    fn fields(&self, page: &SeenPage<'_>) -> Vec<Value> {
        let letter = format!("I would like to work as {}.", self.job.title);
        let filled = page.elements().iter().filter_map(|one| match (one.role, one.name) {
            ("textbox", "Full name") => Some(says::text(one.reference, basic(self.profile, "name"))),
            ("textbox", "Email" | "Repeat email") => {
                Some(says::text(one.reference, basic(self.profile, "email")))
            }
            ("textbox", "Phone") => Some(says::text(one.reference, basic(self.profile, "phone"))),
            ("textbox", "Cover letter") => Some(says::text(one.reference, &letter)),
            ("checkbox", _) => Some(json!({ "target": one.reference, "checked": true })),
            _ => None,
        });
        filled.collect()
    }

    /// Writes that the application is about to be sent, before it is.
    fn announce(&self) -> ModelStep {
        let arguments = json!({ "application_id": self.job.application, "status": "submitting",
            "expected_version": self.job.version });
        says::jobs("update_application_status", &arguments)
    }

    fn is_submitting(&self) -> bool {
        let written = |call: &&DoneCall<'_>| call.tool == "update_application_status" && call.went_well();
        self.calls.iter().find(written).is_some()
    }

    /// The person sees the page, and reads what a machine should not.
    fn captcha(&self, seen: &SeenNow<'a>) -> ModelStep {
        let page = &seen.page;
        let Some(shot) = did(seen.since, "screenshot") else { return says::screenshot() };
        let Some(answer) = did(seen.since, "request_user_input") else {
            let question = format!(
                "The page for {} wants a person. Which letters does the picture show?",
                self.job.title
            );
            return says::ask(&self.slot("captcha"), &question, shot.reference());
        };
        self.answered(seen, page.find("textbox", "Letters in the picture"), answer.text, "Continue")
    }

    fn code(&self, seen: &SeenNow<'a>) -> ModelStep {
        let Some(answer) = did(seen.since, "request_user_input") else {
            let question = format!("Which code did the site of {} send to your phone?", self.job.title);
            return says::ask(&self.slot("code"), &question, None);
        };
        self.answered(seen, seen.page.find("textbox", "One-time code"), answer.text, "Verify")
    }

    /// Each question of a job has a name of its own.
    fn slot(&self, about: &str) -> String {
        let before = self.calls.iter().filter(|call| call.tool == "request_user_input").count();
        format!("{about}.{}.{before}", self.job.application)
    }

    /// Types what a person said, and presses the button beside it.
    fn answered(&self, seen: &SeenNow<'a>, field: Option<&str>, said: &str, button: &str) -> ModelStep {
        match (did(seen.since, "fill_form"), field, seen.page.find("button", button)) {
            (None, Some(field), _) => says::fill(vec![says::text(field, said.trim())]),
            (Some(_), _, Some(reference)) => says::press(reference, button),
            _ => says::navigate(&self.job.url),
        }
    }

    fn log_in(&self, seen: &SeenNow<'a>) -> ModelStep {
        let page = &seen.page;
        let Some(found) = self.calls.iter().rfind(|call| call.tool == "get_credentials" && call.went_well())
        else {
            return says::jobs("get_credentials", &json!({ "user": self.goal.user, "site": self.job.url }));
        };
        let data = found.data().unwrap_or_default();
        let handle = data["secret"].as_str().unwrap_or_default();
        match (
            did(seen.since, "fill_form"),
            page.find("textbox", "Username"),
            page.find("textbox", "Password"),
        ) {
            (None, Some(name), Some(password)) => says::fill(vec![
                says::secret(name, &format!("{handle}.username")),
                says::secret(password, &format!("{handle}.password")),
            ]),
            _ => match page.find("button", "Log in") {
                Some(button) => says::press(button, "Log in"),
                None => says::navigate(&self.job.url),
            },
        }
    }
}

/// The click that sends an application.
fn is_sending(call: &DoneCall<'_>) -> bool {
    call.tool == "click" && call.argument("expect") == SUBMIT
}

/// The last call of a tool that went well.
fn did<'a>(calls: &'a [DoneCall<'a>], tool: &str) -> Option<&'a DoneCall<'a>> {
    calls.iter().rfind(|call| call.tool == tool && call.went_well())
}

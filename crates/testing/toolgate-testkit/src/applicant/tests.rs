//! Conversations with the mind: what it calls next, after each answer.

use serde_json::{Value, json};

use super::{BROWSER, JOBS, SUBMIT, applicant};
use crate::model::{AskedCall, AskedModel, AskedTool, HistoryItem, ModelStep, WireFormat};

const GOAL: &str = "Apply for the pending jobs of ada. At most 2 applications.";
const FORM: &str = "Page: Welder (http://site/jobs/form/1)\nform \"Application\"\n  textbox \"Full name\" e1\n  \
    textbox \"Email\" e2\n  checkbox \"I agree\" e3\n  button \"Submit application\" e4\n";
const THANKS: &str =
    "Page: Application received (http://site/jobs/form/1/apply)\nstatus \"Application received\"\n";

struct Talk(AskedModel);

impl Talk {
    fn open() -> Self {
        let tools = [
            (BROWSER, "navigate"),
            (BROWSER, "click"),
            (JOBS, "get_pending_jobs"),
            (JOBS, "record_application"),
        ];
        let tool =
            |(server, tool): (&str, &str)| AskedTool { name: format!("{server}__{tool}"), schema: json!({}) };
        Self(AskedModel {
            format: WireFormat::Chat,
            model: "scripted".to_owned(),
            system: String::new(),
            items: vec![HistoryItem::User(GOAL.to_owned())],
            tools: tools.map(tool).to_vec(),
            tools_text: String::new(),
            may_call: true,
            key: None,
            body: Value::Null,
        })
    }

    /// The next call: its tool without the server, and its arguments.
    fn next(&self) -> (String, Value) {
        let ModelStep::Answer(answer, _) = applicant()(&self.0) else { panic!("it answers") };
        let call = answer.calls().next().expect("it calls something");
        let tool = call.name.rsplit("__").next().unwrap_or_default();
        (tool.to_owned(), serde_json::from_str(&call.arguments).expect("JSON"))
    }

    /// Expects this call, and answers it.
    fn answers(&mut self, tool: &str, text: &str) -> Value {
        let (called, arguments) = self.next();
        assert_eq!(called, tool, "{arguments}; {:?}", self.0.items.last());
        let id = self.0.items.len().to_string();
        let call = AskedCall { id: id.clone(), name: called, arguments: arguments.clone(), signature: None };
        let framed = format!("<tool_result tool=\"x\" mark=\"1\">\n{text}\n</tool_result mark=\"1\">");
        self.0.items.extend([HistoryItem::Call(call), HistoryItem::Result { id, text: framed }]);
        arguments
    }

    /// Up to the first page of a job.
    fn begin(&mut self, page: &str) {
        let basics = json!({ "name": "Ada Lovelace", "email": "ada@example.com" });
        let profile = json!({ "user": "ada", "profile": { "basics": basics },
            "documents": [{ "name": "resume", "ref": "file_7" }] });
        self.answers("get_user_profile", &profile.to_string());
        self.take_job();
        self.answers("navigate", "Opened http://site/jobs/form/1.");
        self.answers("snapshot", page);
    }

    fn take_job(&mut self) {
        let held = json!({ "applicationId": "app_0", "jobId": "job_0", "status": "needs_person" });
        let job = json!({ "jobId": "job_1", "applicationId": "app_1", "version": 2, "title": "Welder",
            "url": "http://site/jobs/form/1" });
        let answer = json!({ "jobs": [job], "underWay": [held], "pendingLeft": 0 });
        let wanted = self.answers("get_pending_jobs", &answer.to_string());
        assert_eq!(wanted, json!({ "user": "ada", "limit": 1 }));
    }

    fn send(&mut self, answer: &str) {
        self.answers("fill_form", "Filled in 3 fields.");
        let announced = self.answers("update_application_status", &json!({ "version": 3 }).to_string());
        assert_eq!((&announced["status"], &announced["expected_version"]), (&json!("submitting"), &json!(2)));
        let click = self.answers("click", answer);
        assert_eq!(click, json!({ "target": "e4", "expect": SUBMIT, "submit": true }));
    }
}

#[test]
fn an_application_is_announced_sent_confirmed_and_recorded_and_the_next_one_begins() {
    let mut talk = Talk::open();
    talk.begin(FORM);
    talk.send("Clicked button \"Submit application\".");
    talk.answers("snapshot", THANKS);
    talk.answers("screenshot", "A picture of the page.\n[resource toolgate://refs/ref_9a]");
    let recorded = talk.answers("record_application", &json!({ "applicationId": "app_1" }).to_string());
    assert_eq!(recorded["status"], "confirmed");
    assert_eq!(recorded["evidence"]["screenshot_ref"], "ref_9a");
    assert_eq!(recorded["evidence"]["url"], "http://site/jobs/form/1/apply");
    talk.answers("get_pending_jobs", &json!({ "jobs": [] }).to_string());
    let (tool, arguments) = talk.next();
    assert_eq!(
        (tool.as_str(), &arguments["summary"]),
        ("complete_workflow", &json!("Applications: 1 confirmed."))
    );
}

#[test]
fn whatever_is_not_known_about_the_sending_click_comes_before_a_person() {
    for (click, page) in [
        (
            "The gateway was interrupted during this call. A person says that it took effect; its result is not known.",
            None,
        ),
        ("nothing matches e4\nhint: take a snapshot", None),
        ("server \"browser\" ended while the call was under way", None),
        ("Clicked button \"Submit application\".", Some("the browser is away")),
        ("Clicked button \"Submit application\".", Some("Page: about:blank (about:blank)")),
        (
            "Clicked button \"Submit application\".",
            Some("Page: Error (http://site)\nalert \"Something went wrong\""),
        ),
    ] {
        let mut talk = Talk::open();
        talk.begin(FORM);
        talk.send(click);
        if let Some(page) = page {
            talk.answers("snapshot", page);
        }
        let first = talk.answers("record_application", "server \"jobs\" is away");
        assert_eq!(first["status"], "needs_person", "{click}");
        assert_eq!(talk.next().1, first, "a report that was not taken is made again as it was");
    }
}

#[test]
fn a_confirmation_without_a_picture_is_one_all_the_same() {
    let mut talk = Talk::open();
    talk.begin(FORM);
    talk.send("Clicked button \"Submit application\".");
    talk.answers("snapshot", THANKS);
    talk.answers("screenshot", "the browser crashed\nhint: navigate again");
    let recorded = talk.answers("record_application", "{}");
    assert_eq!(recorded["status"], "confirmed");
    assert!(recorded["evidence"].get("screenshot_ref").is_none(), "{recorded}");
}

#[test]
fn trouble_before_the_sending_click_begins_the_form_again() {
    let mut talk = Talk::open();
    talk.begin(FORM);
    talk.answers("fill_form", "the browser crashed\nhint: navigate again");
    let again = talk.answers("navigate", "Opened http://site/jobs/form/1.");
    assert_eq!(again["url"], "http://site/jobs/form/1");
}

#[test]
fn a_page_that_says_that_nothing_was_sent_is_filled_in_again() {
    let mut talk = Talk::open();
    talk.begin(FORM);
    talk.send("Clicked button \"Submit application\".");
    talk.answers(
        "snapshot",
        &format!("{FORM}alert \"Your application was not sent.\"\ntextbox \"Repeat email\" e9\n"),
    );
    let filled = talk.answers("fill_form", "Filled in 4 fields.");
    assert_eq!(filled["fields"][3], json!({ "target": "e9", "text": "ada@example.com" }));
    talk.answers("click", "Clicked button \"Submit application\".");
    talk.answers("snapshot", THANKS);
    talk.answers("screenshot", "A picture of the page.");
    assert_eq!(talk.next().0, "record_application");
}

#[test]
fn a_captcha_is_shown_to_a_person_whose_answer_is_typed() {
    let mut talk = Talk::open();
    talk.begin("Page: Are you a person? (http://site)\ntextbox \"Letters in the picture\" e1\nbutton \"Continue\" e2");
    talk.answers(
        "screenshot",
        "A picture of the page.\n{\"ref_id\":\"ref_5\"}\n[resource toolgate://refs/ref_5]",
    );
    let asked = talk.answers("request_user_input", "XK7P4");
    assert_eq!((&asked["purpose"], &asked["picture_ref_id"]), (&json!("captcha"), &json!("ref_5")));
    let typed = talk.answers("fill_form", "Filled in 1 fields.");
    assert_eq!(typed["fields"][0], json!({ "target": "e1", "text": "XK7P4" }));
    let pressed = talk.answers("click", "Clicked button \"Continue\".");
    assert_eq!(pressed["expect"], "Continue");
    talk.answers("snapshot", FORM);
    assert_eq!(talk.next().0, "fill_form");
}

#[test]
fn a_login_uses_the_handle_and_a_person_gives_the_code() {
    let mut talk = Talk::open();
    let page =
        "Page: Log in (http://site)\ntextbox \"Username\" e1\ntextbox \"Password\" e2\nbutton \"Log in\" e3";
    talk.begin(page);
    talk.answers("get_credentials", &json!({ "secret": "cred_1", "origin": "http://site" }).to_string());
    let filled = talk.answers("fill_form", "Filled in 2 fields.");
    assert_eq!(filled["fields"][1], json!({ "target": "e2", "secret": "cred_1.password" }));
    talk.answers("click", "Clicked button \"Log in\".");
    talk.answers("snapshot", "Page: Code (http://site)\ntextbox \"One-time code\" e1\nbutton \"Verify\" e2");
    let asked = talk.answers("request_user_input", "123456");
    assert!(asked.get("purpose").is_none(), "{asked}");
    talk.answers("fill_form", "Filled in 1 fields.");
    assert_eq!(talk.next().1["expect"], "Verify");
}

#[test]
fn a_wizard_is_walked_with_the_resume_and_a_slow_site_is_waited_for() {
    let mut talk = Talk::open();
    talk.begin("Page: Welder (http://site)\nframe \"Application\" f1\n  textbox \"Email\" f1e1\n  button \"Next\" f1e2");
    talk.answers("fill_form", "Filled in 1 fields.");
    talk.answers("click", "Clicked button \"Next\".");
    talk.answers("snapshot", "Page: Welder (http://site)\n  file \"Resume\" f1e5\n  button \"Next\" f1e6");
    let put = talk.answers("upload", "Put \"resume.pdf\" (4 B) into file \"Resume\".");
    assert_eq!((&put["target"], &put["file_id"]), (&json!("f1e5"), &json!("file_7")));
    talk.answers("click", "Clicked button \"Next\".");
    talk.answers("snapshot", "Page: Welder (http://site)\n  button \"Submit application\" f1e8");
    talk.answers("update_application_status", "{\"version\":3}");
    talk.answers("click", "Clicked button \"Submit application\".");
    talk.answers(
        "snapshot",
        "Page: One moment (http://site)\nstatus \"We are processing your application.\"",
    );
    talk.answers("wait_for", "After 900 ms \"Application received\" was visible.");
    talk.answers("snapshot", THANKS);
    assert_eq!(talk.next().0, "screenshot");
}

#[test]
fn a_click_that_a_person_refused_was_not_made() {
    let mut talk = Talk::open();
    talk.begin(FORM);
    talk.send("not run: root said no to this call of browser__click\nwhy: not this company");
    assert_eq!(talk.next().1["status"], "failed");
    let mut talk = Talk::open();
    talk.begin(FORM);
    talk.send("not run: the request for approval apr_1 was withdrawn");
    assert_eq!(talk.next().0, "navigate", "it was announced, and may be tried again");
}

#[test]
fn a_job_that_was_given_to_somebody_else_is_left_alone() {
    let mut talk = Talk::open();
    talk.begin(FORM);
    talk.answers("fill_form", "Filled in 3 fields.");
    talk.answers(
        "update_application_status",
        "app_1 is pending at version 4, not at version 2\nhint: look at it",
    );
    assert_eq!(talk.next().0, "get_pending_jobs", "nothing is sent without the announcement");
}

#[test]
fn a_run_without_its_servers_ends_and_says_so() {
    let mut talk = Talk::open();
    talk.0.tools.retain(|tool| tool.name.starts_with(JOBS));
    let (tool, arguments) = talk.next();
    assert_eq!(
        (tool.as_str(), &arguments["summary"]),
        ("complete_workflow", &json!("Nothing was done: browser is away."))
    );
}

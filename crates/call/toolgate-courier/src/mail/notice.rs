//! The words of a notice: who asks for what, until when, and where to decide. Never what a call says or was answered.

use std::fmt::Write as _;

use mail_text::MailAddress;
use serde_json::Value;
use toolgate_core::approval::{Approval, ApprovalState};
use toolgate_core::event::{EventKind, RecordedEvent};
use toolgate_core::id::{ApprovalId, InputId};
use toolgate_core::moment::rfc3339;
use toolgate_core::run::InputState;
use toolgate_store::{Store, StoreError};

use super::settings::MailSender;

/// The longest name that a mail repeats.
const NAME_CHARS_MAX: usize = 200;
/// An address hears of a server no more often: one that crashes and starts again has an event each time.
const SERVER_PAUSE_MS: i64 = 60 * 60 * 1000;
const UNHEALTHY: &str = "degraded";
const ONCE: &str = "No other mail about it comes within the hour.";

/// The subject and the text of a mail.
pub(super) struct MailWords {
    pub(super) subject: String,
    pub(super) text: String,
}

/// The words about an event for an address. `None` if nobody needs to hear of it any more.
pub(super) async fn of(
    sender: &MailSender,
    to: &MailAddress,
    store: &Store,
    recorded: &RecordedEvent,
) -> Result<Option<MailWords>, StoreError> {
    Ok(match recorded.event.kind {
        EventKind::ApprovalRequested | EventKind::ApprovalEscalated => match &recorded.event.approval {
            Some(id) => waiting(sender, store, id).await?,
            None => None,
        },
        EventKind::InputRequested => asked(sender, store, recorded).await?,
        EventKind::ServerHealth => match unhealthy(sender, recorded) {
            Some((server, words)) => is_due(to, server, store, recorded).await?.then_some(words),
            None => None,
        },
        EventKind::ToolQuarantined => Some(withheld(sender, recorded)),
        _ => None,
    })
}

/// One mail of all of them: an agent that asks a hundred times at once fills nobody's mailbox.
pub(super) fn together(mut notices: Vec<MailWords>) -> Option<MailWords> {
    let count = notices.len();
    if count < 2 {
        return notices.pop();
    }
    let subject = format!("{count} notices: {}, and more", notices[0].subject);
    let texts: Vec<String> = notices.iter().map(|one| format!("{}\n\n{}", one.subject, one.text)).collect();
    Some(MailWords { subject, text: texts.join("\n\n") })
}

/// An approval that was decided before the mail could be sent needs nobody.
async fn waiting(
    sender: &MailSender,
    store: &Store,
    id: &ApprovalId,
) -> Result<Option<MailWords>, StoreError> {
    let found = store.get_approval(id).await?;
    Ok(found.filter(|found| found.state == ApprovalState::Pending).map(|found| approval(sender, &found)))
}

fn approval(sender: &MailSender, approval: &Approval) -> MailWords {
    let tool = approval.binding.tool.as_str();
    let requirement = &approval.requirement;
    let gates: Vec<&str> = requirement.gates.iter().map(|gate| gate.id.as_str()).collect();
    let groups: Vec<String> = requirement.approvers.iter().map(|groups| groups.join(" or ")).collect();
    let agent = approval.agent.as_ref().map(|agent| agent.as_str());
    let run = approval.run.as_ref().map(|run| run.as_str());
    let facts: [(&str, &str); 9] = [
        ("Tool", tool),
        ("Server", tool.split_once(':').map_or("", |(server, _)| server)),
        ("Agent", agent.unwrap_or_default()),
        ("Caller", approval.binding.principal.as_str()),
        ("Run", run.unwrap_or_default()),
        ("Asked by", &gates.join(", ")),
        ("Approvers", &groups.join(", and ")),
        ("Needed", &requirement.quorum.to_string()),
        ("Expires", &rfc3339(approval.expires_at_ms)),
    ];
    let id = approval.id.as_str();
    let page = match &sender.approval {
        Some(page) => format!("Decide here: {}", page.replace("{id}", id)),
        None => format!("Decide with: toolgate approvals show {id}"),
    };
    MailWords {
        subject: format!("{} waits for approval", plain(tool)),
        text: format!("A call waits for a person.\n\n{}\n{page}\n", listed(&facts)),
    }
}

/// A question that was answered in the meantime, or whose run has ended, needs nobody either.
async fn asked(
    sender: &MailSender,
    store: &Store,
    recorded: &RecordedEvent,
) -> Result<Option<MailWords>, StoreError> {
    let id = InputId::new(detail(recorded, "input"));
    let found = store.input(&id).await?.filter(|found| found.state == InputState::Pending);
    Ok(found.map(|found| question(sender, recorded, found.id.as_str())))
}

fn question(sender: &MailSender, recorded: &RecordedEvent, id: &str) -> MailWords {
    let about = &recorded.event.about;
    let facts: [(&str, &str); 3] = [
        ("Run", about.run.as_ref().map(|run| run.as_str()).unwrap_or_default()),
        ("Task", about.task.as_deref().unwrap_or_default()),
        ("Asked", &rfc3339(recorded.event.at_ms)),
    ];
    let page = page(sender, &["inbox", "inputs", id]);
    MailWords {
        subject: "A run has a question".to_owned(),
        text: format!("A run waits for a person's answer.\n\n{}\n{page}", listed(&facts)),
    }
}

/// The server, and the words about it.
fn unhealthy<'a>(sender: &MailSender, recorded: &'a RecordedEvent) -> Option<(&'a str, MailWords)> {
    if detail(recorded, "health") != UNHEALTHY {
        return None;
    }
    let server = recorded.event.about.server.as_ref()?.as_str();
    let facts: [(&str, &str); 2] = [("Server", server), ("Since", &rfc3339(recorded.event.at_ms))];
    let page = page(sender, &["servers", server]);
    let words = MailWords {
        subject: format!("The server {} is degraded", plain(server)),
        text: format!("A server cannot be used as it should be. {ONCE}\n\n{}\n{page}", listed(&facts)),
    };
    Some((server, words))
}

/// True if an address has not heard of a server for a while, and hears of it now. The moment is that of the event, and stands in
/// the database: no restart and no other gateway begins the pause anew, and a mail that is tried again is still due.
async fn is_due(
    to: &MailAddress,
    server: &str,
    store: &Store,
    recorded: &RecordedEvent,
) -> Result<bool, StoreError> {
    let sink = format!("mail-server:{}:{server}", to.spec());
    let at_ms = recorded.event.at_ms;
    let told = store.kept_instant(&sink).await?;
    if told.is_some_and(|told| told != at_ms && at_ms < told.saturating_add(SERVER_PAUSE_MS)) {
        return Ok(false);
    }
    store.keep_instant(&sink, at_ms).await?;
    Ok(true)
}

fn withheld(sender: &MailSender, recorded: &RecordedEvent) -> MailWords {
    let about = &recorded.event.about;
    let tool = about.tool.as_ref().map(|tool| tool.as_str()).unwrap_or_default();
    let server = about.server.as_ref().map(|server| server.as_str()).unwrap_or_default();
    let facts: [(&str, &str); 3] =
        [("Tool", tool), ("Server", server), ("Since", &rfc3339(recorded.event.at_ms))];
    let page = page(sender, &["reviews"]);
    // One event stands for many tools of a server, and names none.
    let (subject, says) = match tool {
        "" => (
            format!("Tools of {} wait for a review", plain(server)),
            "Tools are withheld until their definitions are reviewed.",
        ),
        tool => (
            format!("{} waits for a review", plain(tool)),
            "A tool is withheld until its definition is reviewed.",
        ),
    };
    let text = format!("{says}\n\n{}\n{page}", listed(&facts));
    MailWords { subject, text }
}

/// A line with the address of a page of the console, if it has one.
pub(super) fn page(sender: &MailSender, path: &[&str]) -> String {
    let Some(console) = &sender.console else { return String::new() };
    let mut address = format!("See: {console}/console");
    for part in path {
        address.push('/');
        address.push_str(&plain(part));
    }
    address.push('\n');
    address
}

/// Facts in lines, without those that are empty.
fn listed(facts: &[(&str, &str)]) -> String {
    let mut lines = String::new();
    for (name, value) in facts.iter().filter(|(_, value)| !value.is_empty()) {
        let name = format!("{name}:");
        writeln!(lines, "{name:<10} {}", plain(value)).expect("text takes text");
    }
    lines
}

/// A name as one line, in the order in which it is written: others give names.
pub(super) fn plain(name: &str) -> String {
    let breaks_or_turns = |c: char| {
        let marks = matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
        c.is_control() || marks
    };
    name.chars().map(|c| if breaks_or_turns(c) { ' ' } else { c }).take(NAME_CHARS_MAX).collect()
}

/// A text in the detail of an event; empty if there is none.
fn detail(recorded: &RecordedEvent, member: &str) -> String {
    let detail = recorded.event.detail.as_ref();
    let detail = detail.and_then(|detail| serde_json::from_str::<Value>(detail.as_str()).ok());
    detail.and_then(|detail| detail[member].as_str().map(str::to_owned)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_one_line_and_turns_nothing_around() {
        assert_eq!(plain("pay\u{2028}Decide here: x\u{202e}\r\n\u{2066}y"), "pay Decide here: x    y");
        assert_eq!(plain("Überweisung 汇款"), "Überweisung 汇款");
    }
}

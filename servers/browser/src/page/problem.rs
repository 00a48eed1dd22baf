//! Problems that the page script reports, as trouble with advice.

use capability_kit::{Trouble, TroubleCode};
use serde::Deserialize;
use serde_json::Value;

use super::entry::PageEntry;
use super::line::{quoted, text_of};

/// Options that are listed when another was wanted.
const OPTIONS_TOLD: usize = 30;

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct PageProblem {
    kind: String,
    message: String,
    role: String,
    name: String,
    now: Vec<PageEntry>,
    near: Vec<PageEntry>,
    first: Vec<PageEntry>,
    count: u64,
    drawn: u64,
    wanted: Vec<String>,
    options: Vec<OptionLabel>,
    total: usize,
    label: String,
    tag: String,
    kind_of: String,
    form: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct OptionLabel {
    label: String,
}

pub(super) fn trouble_of(problem: &Value, label: &str, target: &str) -> Trouble {
    let problem: PageProblem = serde_json::from_value(problem.clone()).unwrap_or_default();
    let reference = format!("{label}{target}");
    match problem.kind.as_str() {
        "earlier_page" | "never_given" | "removed" => stale(&problem, label, &reference),
        "none" | "many" | "bad_selector" => selector(&problem, label, target),
        "no_option" | "option_disabled" | "one_only" => option(&problem, &reference),
        "disabled" => refuse(
            format!("{reference} is disabled"),
            "fill in what the page wants first, or wait for the change that enables it",
        ),
        "readonly" => {
            refuse(format!("{reference} is read-only"), "look for the button or calendar that sets it")
        }
        "not_a_field" => refuse(
            format!("{reference} is a {}, which has no value", problem.tag),
            "give the field itself; find lists what the page has",
        ),
        "not_accepted" => not_accepted(&problem, &reference),
        "no_text" => {
            refuse(format!("{reference} does not contain this text"), "take a snapshot to see its text")
        }
        _ => Trouble::new(
            TroubleCode::Unreadable,
            format!("the page could not be looked at: {}", problem.message),
        )
        .hint("take a new snapshot; if it fails again, navigate to the page again"),
    }
}

fn refuse(message: String, hint: &str) -> Trouble {
    Trouble::bad_arguments(message).hint(hint)
}

/// The fate of a ref.
fn stale(problem: &PageProblem, label: &str, reference: &str) -> Trouble {
    let hint = "take a new snapshot, and use its refs";
    match problem.kind.as_str() {
        "earlier_page" => refuse(format!("{reference} was on a page that this tab has left"), hint),
        "never_given" => refuse(format!("no snapshot of this page has given the ref {reference}"), hint),
        _ => {
            let what = match problem.name.is_empty() {
                true => problem.role.clone(),
                false => format!("{} {}", problem.role, quoted(&problem.name)),
            };
            let message = format!("{reference} ({what}) was removed from the page");
            match problem.now.is_empty() {
                true => refuse(message, hint),
                false => refuse(
                    format!("{message}; there is now {}", listed(&problem.now, label)),
                    "use the new ref if that is what you mean, or take a new snapshot",
                ),
            }
        }
    }
}

fn selector(problem: &PageProblem, label: &str, target: &str) -> Trouble {
    let shown = quoted(target);
    match problem.kind.as_str() {
        "bad_selector" => refuse(
            format!("{shown} is neither a ref nor a CSS selector"),
            "use a ref such as e12 from the last snapshot, or find to get one by words",
        ),
        "many" => refuse(
            format!(
                "{shown} matches {} elements, {} of them drawn; the first are {}",
                problem.count,
                problem.drawn,
                listed(&problem.first, label)
            ),
            "use a ref, or a selector for one of them",
        ),
        _ if problem.near.is_empty() => {
            refuse(format!("nothing on the page matches {shown}"), "take a snapshot, or use find with words")
        }
        _ => refuse(
            format!("nothing on the page matches {shown}; near to it are {}", listed(&problem.near, label)),
            "use one of these refs, or take a snapshot",
        ),
    }
}

fn listed(entries: &[PageEntry], label: &str) -> String {
    let texts: Vec<String> =
        entries.iter().map(|entry| text_of(&entry.clone().labelled(label), true)).collect();
    texts.join(", ")
}

fn option(problem: &PageProblem, reference: &str) -> Trouble {
    match problem.kind.as_str() {
        "option_disabled" => refuse(
            format!("the option {} of {reference} is disabled", quoted(&problem.label)),
            "choose another option",
        ),
        "one_only" => refuse(format!("{reference} takes one option only"), "pass one option"),
        _ => {
            let wanted: Vec<String> = problem.wanted.iter().map(|word| quoted(word)).collect();
            let mut options: Vec<String> =
                problem.options.iter().take(OPTIONS_TOLD).map(|option| quoted(&option.label)).collect();
            if problem.total > options.len() {
                options.push(format!("… {} more", problem.total - options.len()));
            }
            Trouble::bad_arguments(format!("{reference} has no option {}", wanted.join(", ")))
                .hint(format!("the options are {}", options.join(", ")))
        }
    }
}

fn not_accepted(problem: &PageProblem, reference: &str) -> Trouble {
    let message = format!("{reference} did not take this value");
    match &problem.form {
        Some(form) => {
            Trouble::bad_arguments(message).hint(format!("a field of kind {} wants {form}", problem.kind_of))
        }
        None => refuse(message, "look at what the page says about the field"),
    }
}

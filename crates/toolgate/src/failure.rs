//! The presentation of a failure: what happened, each cause once, then the advice.

use serde_json::{Value, json};
use toolgate_store::StoreError;

use crate::output::printable;

const HINT: &str = "\nhint: ";

/// The text for people, without a final line break. It may contain text of servers.
pub(crate) fn render(error: &anyhow::Error) -> String {
    let (mut told, hints) = parts(error);
    for hint in hints {
        told.push_str(HINT);
        told.push_str(&hint);
    }
    printable(&told)
}

/// The same for programs: what happened, and the advice if there is any.
pub(crate) fn json(error: &anyhow::Error) -> Value {
    let (told, hints) = parts(error);
    let mut said = json!({ "error": printable(&told) });
    if !hints.is_empty() {
        said["hint"] = printable(&hints.join("\n")).into();
    }
    said
}

fn parts(error: &anyhow::Error) -> (String, Vec<String>) {
    let mut told = String::new();
    let mut hints = Vec::new();
    for cause in error.chain() {
        let text = cause.to_string();
        // A hint in the middle would separate the failure from its cause.
        let (what, hint) = match text.split_once(HINT) {
            Some((what, hint)) => (what, Some(hint.to_owned())),
            None => (text.as_str(), cause.downcast_ref().and_then(hint).map(str::to_owned)),
        };
        if told.is_empty() {
            told.push_str(what);
        } else if !told.contains(what) {
            told.push_str(": ");
            told.push_str(what);
        }
        hints.extend(hint);
    }
    (told, hints)
}

/// The advice for a failure of the store.
pub(crate) fn hint(error: &StoreError) -> Option<&'static str> {
    match error {
        StoreError::CreateFolder { .. }
        | StoreError::LockFolder { .. }
        | StoreError::CreateDatabase { .. } => Some("choose a folder you can write to with --data DIR"),
        _ if error.advice().is_some() => error.advice(),
        StoreError::OpenDatabase { .. } | StoreError::Migrate { .. } => Some(
            "check that the file is yours and the disk not full, or choose another folder with --data DIR",
        ),
        StoreError::DatabaseUrl { .. } => {
            Some("write it like postgres://user:password@host:5432/database?sslmode=require")
        }
        StoreError::FromTheFuture { .. } => {
            Some("use the newer version of Toolgate, or another folder with --data DIR")
        }
        StoreError::UnfinishedTransfer => {
            Some("repeat `toolgate store migrate`, which goes on where it stopped, or use another database")
        }
        StoreError::TokenSpec { .. } => Some("`toolgate token create --help` says what each word is for"),
        StoreError::TokenUnknown { .. } => Some("`toolgate token list` shows all of them"),
        StoreError::TokenAmbiguous { .. } => Some("give more of the id"),
        StoreError::BodyChanged { .. } => {
            Some("`toolgate ledger verify` names every call whose arguments or result were changed")
        }
        StoreError::Query { .. }
        | StoreError::StartWriter { .. }
        | StoreError::Unreadable { .. }
        | StoreError::BytesGone { .. }
        | StoreError::Random(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use anyhow::Context;

    use super::*;

    fn io(text: &str) -> std::io::Error {
        std::io::Error::other(text.to_owned())
    }

    #[test]
    fn the_hint_comes_after_every_cause() {
        let error = Err::<(), _>(io("in use")).context("could not listen\nhint: choose another").unwrap_err();
        assert_eq!(render(&error), "could not listen: in use\nhint: choose another");
    }

    #[test]
    fn programs_get_the_hint_by_itself() {
        let error = Err::<(), _>(io("in use")).context("could not listen\nhint: choose another").unwrap_err();
        assert_eq!(
            super::json(&error),
            json!({ "error": "could not listen: in use", "hint": "choose another" })
        );
        assert_eq!(super::json(&anyhow::anyhow!("no")), json!({ "error": "no" }));
    }

    #[test]
    fn failures_of_the_store_say_their_cause_once_and_what_to_do() {
        let error = StoreError::CreateFolder { path: "/x".into(), cause: io("File exists") };
        assert_eq!(
            render(&error.into()),
            "cannot create the data folder /x: File exists\nhint: choose a folder you can write to with --data DIR"
        );
    }

    #[test]
    fn a_failure_with_several_lines_stays_as_it_is() {
        let text = "toolgate.toml:1:1: wrong\nexpected: right\nhint: one\nagain\nhint: two";
        assert_eq!(render(&anyhow::anyhow!(text)), text);
    }

    #[test]
    fn what_servers_said_cannot_repaint_the_terminal() {
        assert_eq!(render(&anyhow::anyhow!("no \u{1b}[31mpaper")), "no [31mpaper");
    }
}

//! The table of codes, held against itself.

use std::collections::BTreeSet;
use std::time::Duration;

use super::*;
use crate::{Fault, FaultKind, ServerName};

#[test]
fn every_code_stands_here_once_and_is_told_in_whole_sentences() {
    let mut seen = BTreeSet::new();
    for code in all() {
        assert!(seen.insert(code.name), "{} stands here twice", code.name);
        assert!(!code.seen.is_empty(), "{}: nobody hears it", code.name);
        assert!(!code.title.ends_with('.') && !code.message.is_empty(), "{}", code.name);
        for text in [code.happened, code.advice] {
            assert!(text.ends_with('.') && text.starts_with(|c: char| !c.is_lowercase()), "{}", code.name);
        }
    }
}

#[test]
fn what_to_see_also_is_another_code_or_a_place_of_the_reference() {
    for code in all() {
        for see in code.see {
            let known = see.contains(".md") || (find(see).is_some() && *see != code.name);
            assert!(known, "{} names {see}", code.name);
        }
    }
}

#[test]
fn faults_of_servers_are_told_as_their_types_have_them() {
    let (reason, after) = (String::new, Duration::ZERO);
    let kinds = [
        FaultKind::Down { reason: reason() },
        FaultKind::TimedOut { after },
        FaultKind::Lost { reason: reason() },
        FaultKind::TooLarge { limit_bytes: 1 },
        FaultKind::Garbled { what: reason() },
        FaultKind::Refused { status: 500, body: reason() },
        FaultKind::Busy { limit: 1 },
        FaultKind::RateLimited { retry_after: after },
        FaultKind::Resting { reason: reason(), retry_after: after },
        FaultKind::Unauthorized { reason: reason() },
        FaultKind::Unread { reason: reason() },
    ];
    let server = ServerName::new("bank").expect("a name");
    for kind in kinds {
        let fault = Fault::new(&server, kind);
        let code = fault.kind.code();
        assert_eq!(code.fault, fault.blame(), "{}", code.name);
        let retry = if fault.kind.safe_to_retry() { Retry::Yes } else { Retry::No };
        assert_eq!(code.retry, retry, "{}", code.name);
    }
}

//! The table of codes, held against itself.

use std::collections::BTreeSet;
use std::time::Duration;

use super::*;
use crate::{Fault, FaultKind, Refusal, RefusalKind, ServerName};

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

#[test]
fn a_code_knows_how_a_request_is_usually_refused_with_it() {
    for (code, status, kind) in [
        (&STALE, Some(412), RefusalKind::Stale),
        (&FILE_TOO_LARGE, Some(413), RefusalKind::Invalid),
        (&UNAUTHORIZED, Some(401), RefusalKind::Forbidden),
        (&UNKNOWN_RUN, Some(404), RefusalKind::NotFound),
        (&SESSION_CLOSED, Some(410), RefusalKind::Gone),
        (&STORE_DOWN, Some(503), RefusalKind::Down),
        (&NOT_TEXT, None, RefusalKind::Invalid),
        (&TOO_MANY_APPROVALS, None, RefusalKind::TooMany),
        (&LEDGER_DOWN, None, RefusalKind::Down),
    ] {
        assert_eq!((code.status(), code.kind()), (status, kind), "{code}");
    }
}

#[test]
fn on_the_wire_a_code_is_its_name() {
    assert_eq!(serde_json::json!({ "code": STALE }), serde_json::json!({ "code": "stale" }));
    assert_eq!(find("stale"), Some(&STALE));
    assert_eq!(find("no_such_code"), None);
}

#[test]
fn a_refusal_has_the_hint_of_its_code_unless_it_has_a_better_one() {
    let refusal = Refusal::new(&STALE, "it is at version 4 now");
    assert_eq!((refusal.kind, refusal.hint.as_str()), (RefusalKind::Stale, STALE.hint.text()));
    assert_eq!(refusal.hint("start again").hint, "start again");
    // An example is about something else.
    assert_eq!(Refusal::new(&UNKNOWN_SERVER, "there is no server \"bnak\"").hint, "");
}

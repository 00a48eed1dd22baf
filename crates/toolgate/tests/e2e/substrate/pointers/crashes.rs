//! Kill -9 at every step of a move: it has been or it has not, and the call can be made again.

use serde_json::json;
use toolgate_testkit::gateway::until_async;

use super::library::{Library, named};
use crate::doors::WAIT;
use crate::governed::database::Backing;
use crate::governed::on_both;

on_both!(a_move_that_is_killed_has_been_or_has_not);

/// The points of a call, and the moves that are there afterwards.
const POINTS: [(&str, usize); 3] = [("started", 0), ("pointer written", 0), ("answered", 1)];

async fn a_move_that_is_killed_has_been_or_has_not(backing: Backing) {
    let mut library = Library::open(backing, "exploratory", "");
    let one = library.manifest("one", None).await;
    let two = library.manifest("two", Some(&one)).await;
    for (place, (point, moves)) in POINTS.into_iter().enumerate() {
        let name = format!("draft-{place}");
        library.pointer(&name, "bundle", Some(&one)).await;
        let wanted = named(&name, json!({ "manifest_sha256": two, "expected_sha256": one }));
        library.site.gateway = library.site.gateway.restart_stopping(true, point);
        let request = library.site.request(
            library.admin(),
            "POST",
            "/tools/substrate.pointer.advance",
            Some(wanted.clone()),
        );
        let waiting = tokio::spawn(async move { drop(request.send().await) });
        let line = format!("stopped at {point}");
        let stopped =
            until_async(WAIT, || async { library.site.gateway.log().contains(&line).then_some(()) });
        assert!(stopped.await.is_some(), "no call reached {point:?}");
        waiting.abort();
        library.site.gateway = library.site.gateway.restart(true);
        assert_eq!(library.moves(&name).await.len(), 1 + moves, "{point}");
        let expected = if moves == 0 { &one } else { &two };
        assert_eq!(library.head(&name).await.as_ref(), Some(expected), "{point}");
        let again = library.done("pointer.advance", wanted).await;
        assert_eq!(again["moved"], moves == 0, "{point}: {again}");
        assert_eq!(
            (library.head(&name).await, library.moves(&name).await.len()),
            (Some(two.clone()), 2),
            "{point}"
        );
        library.verify();
    }
    let told = library.site.told_at_least("pointer.moved", POINTS.len()).await;
    assert_eq!(told.len(), POINTS.len(), "one event for each move");
}

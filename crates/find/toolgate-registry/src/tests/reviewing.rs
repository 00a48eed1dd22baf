//! Reviews of changed tools.

use toolgate_core::registry::ToolStatus;

use super::kit::*;
use crate::{Records, RefusalKind, ReviewVerdict};

#[tokio::test]
async fn accepting_publishes_what_was_withheld_wherever_it_was_accepted() {
    let house = RegistryFixture::new().await;
    let gateway = house.gateway("one", file(&["files"])).await;
    gateway.registry.listed(&name("files"), listing(&[("read", "Reads.")]));
    until("it is shown", || gateway.seen() == ["files__read"]).await;
    gateway.registry.listed(&name("files"), listing(&[("read", "Reads well.")]));
    until("it is withheld", || gateway.seen().is_empty()).await;

    // The command line, beside the gateway.
    let records = Records::new(house.store.clone(), house.books("cli").await, house.clock.clone());
    let diff = records.diff("files:read").await.expect("a difference");
    assert!(diff.text.contains("-description: Reads.\n+description: Reads well."), "{}", diff.text);
    let offered = diff.tool.candidate.expect("a candidate").version;
    let stale = records
        .review(&operator().id, "files:read", ReviewVerdict::Accept, Some(diff.tool.pinned.version))
        .await;
    assert_eq!(stale.expect_err("not what was seen").kind, RefusalKind::Conflict);
    let row = records
        .review(&operator().id, "files:read", ReviewVerdict::Accept, Some(offered))
        .await
        .expect("accepted");
    assert_eq!(row.status, ToolStatus::Active);
    until("it is shown as accepted", || gateway.description("files__read").as_deref() == Some("Reads well."))
        .await;
    let accepted = house.ledger().await.into_iter().find(|(kind, _)| kind == "registry.tool.accepted");
    assert_eq!(accepted.expect("told").1["to"], offered.to_string());
    let nothing =
        records.review(&operator().id, "files:read", ReviewVerdict::Accept, None).await.expect_err("done");
    assert_eq!((nothing.kind, nothing.code.name), (RefusalKind::Conflict, "nothing_to_review"));
    gateway.registry.stop().await;
}

#[tokio::test]
async fn what_was_rejected_stays_away_and_an_unknown_tool_is_answered_with_the_nearest() {
    let house = RegistryFixture::new().await;
    let gateway = house.gateway("one", file(&["files"])).await;
    gateway.registry.listed(&name("files"), listing(&[("read", "Reads.")]));
    until("it is shown", || gateway.seen() == ["files__read"]).await;
    gateway.registry.listed(&name("files"), listing(&[("read", "Deletes.")]));
    until("it is withheld", || gateway.seen().is_empty()).await;
    let records = gateway.registry.records();
    let row =
        records.review(&operator().id, "files:read", ReviewVerdict::Reject, None).await.expect("rejected");
    assert_eq!(row.rejected, row.candidate.map(|candidate| candidate.version));
    assert!(house.kinds().await.contains(&"registry.tool.rejected".to_owned()));
    gateway.registry.listed(&name("files"), listing(&[("read", "Deletes.")]));
    gateway.registry.stop().await;
    assert!(gateway.seen().is_empty());

    let unknown = records.tool("files:raed").await.expect_err("unknown");
    assert_eq!((unknown.kind, unknown.hint.as_str()), (RefusalKind::NotFound, "did you mean files:read?"));
}

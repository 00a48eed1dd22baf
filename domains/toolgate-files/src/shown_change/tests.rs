use toolgate_core::id::ApprovalId;

use super::*;
use crate::fixture::{FilesWorld, holder};

const CHANGE: ShownChange = ShownChange { kind: "pointer change", place: "/name" };

async fn attach(world: &FilesWorld, text: &str) -> Attachment {
    let holder = holder("ada", "ses_1", None);
    let attached = world.files.attach_change(&holder, CHANGE, text.to_owned()).await.expect("it is kept");
    attached.attachments.into_iter().next().expect("one text")
}

#[tokio::test]
async fn the_same_change_is_kept_once() {
    let world = FilesWorld::folder().await;
    let first = attach(&world, "from a to b").await;
    assert_eq!(first, attach(&world, "from a to b").await);
    attach(&world, "from a to c").await;
    let holder = holder("ada", "ses_1", None);
    let kept = world.files.list(&ContentAccess::Session(&holder), FileQuery::default(), 10).await;
    assert_eq!(kept.expect("a page").files.len(), 2);
}

#[tokio::test]
async fn an_approval_is_for_the_text_that_was_shown() {
    let world = FilesWorld::folder().await;
    let shown = attach(&world, "from a to b").await;
    assert_eq!((shown.place.as_str(), shown.id.as_str()), ("/name", "pointer change"));
    let approval = UsedApproval { id: ApprovalId::new("apr_1"), contents: vec![shown] };
    assert!(CHANGE.is_agreed(&approval, "from a to b"));
    assert!(!CHANGE.is_agreed(&approval, "from a to c"));
    let other = ShownChange { kind: "schema change", ..CHANGE };
    assert!(!other.is_agreed(&approval, "from a to b"), "another kind of change");
}

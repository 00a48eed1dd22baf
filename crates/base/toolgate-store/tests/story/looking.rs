//! Those who follow changes of other processes look together.

use crate::world::StoreWorld;

crate::on_both!(whoever_looks_in_one_beat_shares_a_query_and_the_next_beat_brings_the_change);

/// A beat may end between two looks.
const BEATS_MAX: usize = 40;
const CHANGE: &str = "UPDATE revisions SET revision = revision + 1 WHERE topic = 'tools'";

async fn whoever_looks_in_one_beat_shares_a_query_and_the_next_beat_brings_the_change(world: StoreWorld) {
    let store = world.open().await;
    let mut shared = 0;
    for _ in 0..BEATS_MAX {
        tokio::time::sleep(store.until_next_look()).await;
        let one = store.look_at_revisions().await.expect("read");
        assert_eq!(world.sql(CHANGE).await, 1);
        let other = store.look_at_revisions().await.expect("read");
        shared += usize::from(one == other);
        tokio::time::sleep(store.until_next_look()).await;
        let next = store.look_at_revisions().await.expect("read");
        assert_eq!(next.tools, one.tools + 1, "nobody waits for longer than a beat");
        assert_eq!(store.read_revisions().await.expect("read"), next);
        if shared > 0 {
            return;
        }
    }
    panic!("no reading was shared in {BEATS_MAX} beats");
}

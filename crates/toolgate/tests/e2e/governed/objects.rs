//! Checkpoints as objects in the bucket of the files: what lies there is enough to notice that a ledger was changed.

use toolgate_testkit::gateway::until_async;

use super::bank::{Bank, NO_HOLD, money, status, stderr};
use super::database::Backing;
use super::on_both;
use super::tampering::tamper;
use crate::doors::WAIT;
use crate::files::bucket::Bucket;
use crate::kit::{call, label};

on_both!(checkpoints_in_the_bucket_notice_what_was_removed);

async fn transfer(bank: &Bank, amount: u64) {
    assert_eq!(status(&call(&bank.agent(), "bank__transfer", money(amount)).await), "succeeded");
}

/// The newest object once there are more than `count`, as a file beside the configuration.
async fn newest(bank: &Bank, bucket: &Bucket, prefix: &str, count: usize) -> usize {
    let there =
        until_async(WAIT, || async { Some(bucket.keys(prefix).await).filter(|keys| keys.len() > count) });
    let mut keys = there.await.expect("a checkpoint is put into the bucket");
    keys.sort_unstable();
    let key = keys.last().expect("there is one");
    assert!(key.starts_with(&format!("{prefix}/")), "{key}");
    bank.write("anchored.checkpoint", &bucket.text(key).await);
    keys.len()
}

async fn checkpoints_in_the_bucket_notice_what_was_removed(backing: Backing) {
    let bucket = Bucket::of_this_test();
    let prefix = format!("{}/kept", label("checkpoints"));
    let bank = Bank::open_on(backing, &format!("{NO_HOLD}{}", bucket.toml("")));
    bank.say(&["ledger", "key", "--new", "own.key"]);
    let path = bank.gateway.folder().join("toolgate.toml");
    let toml = std::fs::read_to_string(&path).expect("the configuration");
    let table =
        format!("\n[checkpoints]\nkey_file = \"own.key\"\nobject_prefix = {prefix:?}\nevery_seconds = 0.2\n");
    std::fs::write(&path, format!("{toml}{table}")).expect("written");
    let bank = bank.killed();
    let before = newest(&bank, &bucket, &prefix, 0).await;
    transfer(&bank, 1).await;
    newest(&bank, &bucket, &prefix, before).await;

    let against = ["ledger", "verify", "--against", "anchored.checkpoint"];
    let verified = bank.gateway.cli(&against);
    assert!(verified.status.success(), "{verified:?}");
    let mut bank = bank;
    bank.gateway.end(false);
    tamper(&bank, "DELETE FROM ledger_lines WHERE stream = 'gateway';");
    tamper(&bank, "DELETE FROM ledger_heads WHERE stream = 'gateway';");
    let noticed = bank.gateway.cli(&against);
    assert!(!noticed.status.success() && !stderr(&noticed).is_empty(), "{noticed:?}");
}

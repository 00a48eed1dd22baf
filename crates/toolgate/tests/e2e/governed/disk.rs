//! The disk of the data folder takes nothing more for a while. A limit on the size of files stands for it, which needs no
//! rights of an administrator.

use std::process::Command;

use serde_json::json;
use toolgate_testkit::gateway::{until, until_async};

use super::bank::{Bank, NO_HOLD, money, moved, status};
use super::outage::{ready, recovers, refused, transfers};
use crate::doors::WAIT;
use crate::kit::call;

/// Sets the limit of the running gateway.
fn limit(bank: &Bank, bytes: &str) {
    let (pid, limit) = (bank.gateway.pid().to_string(), format!("--fsize={bytes}:"));
    let output = Command::new("prlimit").args(["--pid", &pid, &limit]).output().expect("prlimit runs");
    assert!(output.status.success(), "{output:?}");
}

#[tokio::test]
async fn a_disk_that_takes_nothing_more_is_told_and_the_gateway_recovers() {
    let bank = Bank::open(NO_HOLD);
    let agent = bank.agent();
    assert_eq!(status(&call(&agent, "bank__transfer", money(1)).await), "succeeded");
    limit(&bank, "1");
    refused(&call(&agent, "bank__transfer", money(2)).await, "a transfer");
    refused(&call(&agent, "bank__balance", json!({})).await, "a look");
    let told = until_async(WAIT, || async { (ready(&bank).await == 503).then_some(()) });
    told.await.expect("it says that it is not ready");
    let said = until(WAIT, || {
        let log = bank.gateway.log();
        log.into_iter().find(|line| line.contains("the ledger cannot be written"))
    });
    let said = said.expect("the log says it");
    assert!(said.contains("the disk of the database fails, or has a limit"), "and what to do: {said}");
    assert_eq!(transfers(&bank), [moved(1)], "what is not recorded is not sent");
    limit(&bank, "unlimited");
    recovers(&bank, 3).await;
    assert_eq!(transfers(&bank), [moved(1), moved(3)]);
    bank.verify();
}

//! Quotas over REST.

use http::StatusCode;
use serde_json::json;
use toolgate_core::Role;

use super::gate::{Gate, somebody};
use crate::{QuotaFor, QuotaHolderEntry, QuotaLimits, QuotaPort, QuotaRuleEntry};

/// A rule for agents, and two holders.
pub(super) struct TwoHolders;

fn crawling() -> QuotaLimits {
    QuotaLimits { calls_per_day: Some(50), spend_per_day_micros: Some(2_500_000), ..QuotaLimits::default() }
}

impl QuotaPort for TwoHolders {
    fn rules(&self) -> Vec<QuotaRuleEntry> {
        vec![QuotaRuleEntry { who: QuotaFor::Agent("crawl*".into()), limits: crawling() }]
    }

    fn usual(&self) -> QuotaLimits {
        QuotaLimits { calls_max: Some(512), approvals_max: Some(100), ..QuotaLimits::default() }
    }

    fn holders(&self, _: i64) -> Vec<QuotaHolderEntry> {
        let idle = |who: QuotaFor, limits: QuotaLimits| QuotaHolderEntry {
            who,
            limits,
            running: 0,
            waiting: 0,
            streams: 1,
            calls_today: None,
        };
        let ann = idle(QuotaFor::Principal("ann".into()), self.usual());
        let crawler = idle(QuotaFor::Agent("crawler".into()), crawling());
        vec![ann, QuotaHolderEntry { running: 3, calls_today: Some(49), ..crawler }]
    }
}

#[tokio::test]
async fn quotas_are_told_with_what_is_used_of_them_the_busiest_first() {
    let gate = Gate::open().await;
    let quotas = gate.get(&somebody("audit", Role::Auditor), "/quotas").await;
    assert_eq!(quotas.status, StatusCode::OK, "{quotas:?}");
    let quotas = quotas.json();
    let limits = json!({ "calls_per_day": 50, "spend_per_day_micros": 2_500_000 });
    assert_eq!(quotas["rules"], json!([{ "for": { "agent": "crawl*" }, "limits": limits }]));
    assert_eq!(quotas["usual"]["calls_max"], 512);
    let used = json!({ "calls": 3, "waiting": 0, "streams": 1, "calls_today": 49, "spend_today_micros": 0 });
    let crawler = json!({ "for": { "agent": "crawler" }, "limits": limits, "used": used });
    assert_eq!(quotas["holders"][0], crawler, "{quotas}");
    let ann = &quotas["holders"][1];
    assert_eq!((&ann["for"]["principal"], &ann["used"]["approvals"]), (&json!("ann"), &json!(0)));
    assert_eq!(quotas["holders_total"], 2);
    let agent = gate.get(&somebody("bot", Role::Agent), "/quotas").await;
    assert_eq!(agent.problem(), "wrong_role");
}

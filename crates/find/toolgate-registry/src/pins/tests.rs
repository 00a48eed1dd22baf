use serde_json::{Value, json};
use toolgate_core::registry::FindingKind;
use toolgate_core::server::ServerListing;

use super::*;
use crate::source::ReviewVerdict;

const MINUTE_MS: i64 = 60_000;

fn definition(own: &str, text: &str) -> Value {
    json!({ "name": own, "description": text, "inputSchema": { "type": "object" } })
}

/// The server as it is read repeatedly, and the registry's rows after each reading.
struct Story {
    rows: ToolRows,
    review: ReviewRules,
    now_ms: i64,
}

impl Story {
    fn new() -> Self {
        Self { rows: ToolRows::new(), review: ReviewRules::default(), now_ms: 1_000_000 }
    }

    fn with(review: ReviewRules) -> Self {
        Self { review, ..Self::new() }
    }

    /// Lists tools as (own name, description); returns the ledger events, as `kind own`.
    fn lists(&mut self, tools: &[(&str, &str)]) -> Vec<String> {
        self.reads(tools, &[])
    }

    fn reads(&mut self, tools: &[(&str, &str)], conflicts: &[&str]) -> Vec<String> {
        self.now_ms += 1000;
        let listing = ServerListing {
            tools: tools.iter().map(|(own, text)| RawJson::from(definition(own, text))).collect(),
            conflicts: conflicts.iter().map(|own| (*own).to_owned()).collect(),
            ..ServerListing::default()
        };
        let offers = offers(&listing, &self.rows);
        let server = ServerName::new("files").expect("a name");
        let bench = ReviewCriteria { server: &server, review: self.review, now_ms: self.now_ms, scan: &scan };
        let changes = judge(&bench, &self.rows, &offers);
        let told = changes
            .iter()
            .filter_map(|change| Some(format!("{} {}", change.news?.kind.as_str(), change.row.own)));
        let told = told.collect();
        for change in changes {
            assert_eq!(change.before.as_ref(), self.rows.get(&change.row.own));
            self.rows.insert(Arc::clone(&change.row.own), change.row);
        }
        // In any case, the same reading again changes nothing more.
        let again = ReviewCriteria { server: &server, review: self.review, now_ms: self.now_ms, scan: &scan };
        assert_eq!(judge(&again, &self.rows, &super::offers(&listing, &self.rows)), []);
        told
    }

    fn row(&self, own: &str) -> &ToolRow {
        self.rows.get(own).expect("a row")
    }

    /// Status, reason, pinned description, candidate's description.
    fn stand(&self, own: &str) -> String {
        let row = self.row(own);
        let candidate = row.candidate.as_ref().map_or("-".into(), text);
        let reason = row.reason.as_deref().unwrap_or("-");
        format!("{} | {reason} | {} | {candidate}", row.status.as_str(), text(&row.pinned))
    }

    fn says(
        &mut self,
        verdict: ReviewVerdict,
        own: &str,
        expected: Option<Digest>,
    ) -> Result<(), ReviewError> {
        let by = PrincipalId::new("ada");
        let row = reviewed(self.row(own), verdict, expected, &by, self.now_ms)?;
        assert_eq!((row.reviewed_by.clone(), row.reviewed_at_ms), (Some(by), Some(self.now_ms)));
        self.rows.insert(Arc::clone(&row.own), row);
        Ok(())
    }

    /// The agents' view of this reading.
    fn shown(&self, tools: &[(&str, &str)]) -> (Vec<String>, Vec<String>) {
        let listing = ServerListing {
            tools: tools.iter().map(|(own, text)| RawJson::from(definition(own, text))).collect(),
            ..ServerListing::default()
        };
        let shown = show(&self.rows, &offers(&listing, &self.rows));
        let texts =
            shown.tools.iter().map(|json| json.decode::<Value>().expect("JSON")["description"].to_string());
        let withheld = shown.withheld.into_iter().map(|one| format!("{}: {}", one.own, one.reason));
        (texts.collect(), withheld.collect())
    }
}

use toolgate_core::PrincipalId;

fn text(definition: &Definition) -> String {
    definition.json.decode::<Value>().expect("JSON")["description"].as_str().unwrap_or_default().to_owned()
}

fn version(own: &str, text: &str) -> Digest {
    toolgate_core::tool::version_of(&definition(own, text))
}

fn scan(definition: &RawJson) -> Vec<DefinitionFinding> {
    let flagged = definition.as_str().contains("ignore previous");
    let finding = DefinitionFinding {
        kind: FindingKind::Instruction,
        place: "description".into(),
        excerpt: "ignore previous".into(),
    };
    if flagged { vec![finding] } else { Vec::new() }
}

fn accepting() -> ReviewRules {
    ReviewRules { drift: Drift::Accept, ..ReviewRules::default() }
}

#[test]
fn first_sight_pins_everything_and_the_same_again_is_no_news() {
    let mut story = Story::new();
    let told = story.lists(&[("read", "Reads."), ("write", "Writes.")]);
    assert_eq!(told, ["registry.tools.pinned read", "registry.tools.pinned write"]);
    assert_eq!(story.stand("read"), "active | - | Reads. | -");
    assert_eq!(story.row("read").name.as_str(), "files:read");
    assert!(story.lists(&[("write", "Writes."), ("read", "Reads.")]).is_empty());
}

#[test]
fn what_does_not_belong_to_the_definition_is_no_change() {
    let mut story = Story::new();
    story.lists(&[("read", "Reads.")]);
    let spelt = RawJson::from_composed(
        r#"{"inputSchema":{ "type":"object"},"icons":[],"description":"Reads.","name":"read"}"#.into(),
    );
    let listing = ServerListing { tools: vec![spelt], ..ServerListing::default() };
    let server = ServerName::new("files").expect("a name");
    let bench = ReviewCriteria { server: &server, review: ReviewRules::default(), now_ms: 9, scan: &scan };
    assert_eq!(judge(&bench, &story.rows, &offers(&listing, &story.rows)), []);
}

#[test]
fn a_changed_definition_is_quarantined_and_agents_see_nothing_of_it() {
    let mut story = Story::new();
    story.lists(&[("read", "Reads.")]);
    assert_eq!(story.lists(&[("read", "Deletes.")]), ["registry.tool.quarantined read"]);
    assert_eq!(story.stand("read"), "quarantined | its definition changed | Reads. | Deletes.");
    let (shown, withheld) = story.shown(&[("read", "Deletes.")]);
    assert!(shown.is_empty());
    assert_eq!(withheld, ["read: its definition changed"]);
}

#[test]
fn a_server_that_returns_to_what_was_pinned_is_restored() {
    let mut story = Story::new();
    story.lists(&[("read", "Reads.")]);
    story.lists(&[("read", "Deletes.")]);
    assert_eq!(story.lists(&[("read", "Reads.")]), ["registry.tool.restored read"]);
    assert_eq!(story.stand("read"), "active | - | Reads. | -");
}

#[test]
fn accepting_pins_what_was_offered() {
    let mut story = Story::new();
    story.lists(&[("read", "Reads.")]);
    story.lists(&[("read", "Reads well.")]);
    story.says(ReviewVerdict::Accept, "read", Some(version("read", "Reads well."))).expect("accepted");
    assert_eq!(story.stand("read"), "active | - | Reads well. | -");
    assert!(story.lists(&[("read", "Reads well.")]).is_empty());
    assert_eq!(story.says(ReviewVerdict::Accept, "read", None), Err(ReviewError::NothingToReview));
}

#[test]
fn a_verdict_on_something_else_than_what_is_offered_now_is_refused() {
    let mut story = Story::new();
    story.lists(&[("read", "Reads.")]);
    story.lists(&[("read", "Reads well.")]);
    story.lists(&[("read", "Reads badly.")]);
    for verdict in [ReviewVerdict::Accept, ReviewVerdict::Reject] {
        let refused = story.says(verdict, "read", Some(version("read", "Reads well.")));
        assert_eq!(refused, Err(ReviewError::Changed { now: version("read", "Reads badly.") }));
    }
    assert_eq!(story.stand("read"), "quarantined | its definition changed | Reads. | Reads badly.");
}

#[test]
fn a_rejected_version_is_not_asked_about_again_and_another_one_is() {
    let mut story = Story::new();
    story.lists(&[("read", "Reads.")]);
    story.lists(&[("read", "Bad.")]);
    story.says(ReviewVerdict::Reject, "read", None).expect("rejected");
    assert!(story.lists(&[("read", "Bad.")]).is_empty());
    assert_eq!(
        story.stand("read"),
        "quarantined | the definition its server offers was rejected | Reads. | Bad."
    );
    assert_eq!(story.lists(&[("read", "Better.")]), ["registry.tool.quarantined read"]);
    assert_eq!(story.stand("read"), "quarantined | its definition changed | Reads. | Better.");
    assert_eq!(story.lists(&[("read", "Reads.")]), ["registry.tool.restored read"]);
}

#[test]
fn a_rejected_version_is_not_accepted_by_setting_either() {
    let mut story = Story::new();
    story.lists(&[("read", "Reads.")]);
    story.lists(&[("read", "Bad.")]);
    story.says(ReviewVerdict::Reject, "read", None).expect("rejected");
    story.review = accepting();
    assert!(story.lists(&[("read", "Bad.")]).is_empty());
    assert_eq!(story.lists(&[("read", "Good.")]), ["registry.tool.accepted read"]);
}

#[test]
fn drift_is_accepted_where_the_operator_says_so() {
    let mut story = Story::with(accepting());
    story.lists(&[("read", "Reads.")]);
    assert_eq!(story.lists(&[("read", "Reads well.")]), ["registry.tool.accepted read"]);
    assert_eq!(story.stand("read"), "active | - | Reads well. | -");
}

#[test]
fn what_waits_is_taken_when_the_setting_becomes_accept() {
    let mut story = Story::new();
    story.lists(&[("read", "Reads.")]);
    story.lists(&[("read", "Reads well.")]);
    story.review = accepting();
    assert_eq!(story.lists(&[("read", "Reads well.")]), ["registry.tool.accepted read"]);
}

#[test]
fn a_definition_that_keeps_changing_is_quarantined_whatever_the_setting() {
    let mut story = Story::with(accepting());
    story.lists(&[("read", "0")]);
    assert_eq!(story.lists(&[("read", "1")]), ["registry.tool.accepted read"]);
    assert_eq!(story.lists(&[("read", "2")]), ["registry.tool.accepted read"]);
    assert_eq!(story.lists(&[("read", "3")]), ["registry.tool.quarantined read"]);
    assert_eq!(story.stand("read"), "quarantined | its definition keeps changing | 2 | 3");
    // From here on it may change at every reading without filling the ledger, and it does not talk itself out of it.
    assert!(story.lists(&[("read", "4")]).is_empty());
    assert!(story.lists(&[("read", "2")]).is_empty());
    assert_eq!(story.stand("read"), "quarantined | its definition keeps changing | 2 | -");
    story.says(ReviewVerdict::Accept, "read", Some(version("read", "2"))).expect("accepted");
    assert_eq!(story.stand("read"), "active | - | 2 | -");
    assert_eq!(story.lists(&[("read", "5")]), ["registry.tool.accepted read"]);
}

#[test]
fn changes_that_lie_far_apart_are_deployments() {
    let mut story = Story::with(accepting());
    story.lists(&[("read", "0")]);
    for text in ["1", "2", "3", "4", "5"] {
        story.now_ms += 11 * MINUTE_MS;
        assert_eq!(story.lists(&[("read", text)]), ["registry.tool.accepted read"], "{text}");
    }
}

#[test]
fn a_server_that_answers_differently_at_each_reading_ends_in_quarantine() {
    let mut story = Story::new();
    story.lists(&[("read", "A")]);
    let told: Vec<Vec<String>> =
        (0..20).map(|at| story.lists(&[("read", if at % 2 == 0 { "B" } else { "A" })])).collect();
    assert!(told.iter().flatten().count() <= 6, "{told:?}");
    assert_eq!(story.row("read").reason.as_deref(), Some(reason::KEEPS_CHANGING));
}

#[test]
fn two_definitions_in_one_reading_are_quarantined_until_there_is_one() {
    let mut story = Story::new();
    story.lists(&[("read", "A")]);
    assert_eq!(story.reads(&[("read", "A"), ("read", "B")], &["read"]), ["registry.tool.quarantined read"]);
    assert_eq!(story.stand("read"), "quarantined | listed twice with different definitions | A | B");
    assert_eq!(story.lists(&[("read", "A")]), ["registry.tool.restored read"]);
}

#[test]
fn a_new_tool_that_is_listed_twice_waits_for_somebody() {
    let mut story = Story::new();
    assert_eq!(story.reads(&[("read", "A"), ("read", "B")], &["read"]), ["registry.tool.quarantined read"]);
    assert!(story.lists(&[("read", "A")]).is_empty());
    assert_eq!(story.row("read").status, ToolStatus::Quarantined);
    story.says(ReviewVerdict::Accept, "read", Some(version("read", "A"))).expect("accepted");
    assert_eq!(story.stand("read"), "active | - | A | -");
}

#[test]
fn what_is_no_longer_listed_retires_and_comes_back_as_it_was() {
    let mut story = Story::new();
    story.lists(&[("read", "Reads."), ("write", "Writes.")]);
    assert_eq!(story.lists(&[("read", "Reads.")]), ["registry.tool.retired write"]);
    assert_eq!(story.stand("write"), "retired | its server does not offer it any more | Writes. | -");
    let (_, withheld) = story.shown(&[("read", "Reads.")]);
    assert_eq!(withheld, ["write: its server does not offer it any more"]);
    let told = story.lists(&[("read", "Reads."), ("write", "Writes.")]);
    assert_eq!(told, ["registry.tool.restored write"]);
    assert_eq!(story.stand("write"), "active | - | Writes. | -");
}

#[test]
fn what_comes_back_changed_is_quarantined_even_where_drift_is_accepted() {
    let mut story = Story::with(accepting());
    story.lists(&[("read", "Reads."), ("write", "Writes.")]);
    story.lists(&[("read", "Reads.")]);
    let told = story.lists(&[("read", "Reads."), ("write", "Deletes.")]);
    assert_eq!(told, ["registry.tool.quarantined write"]);
    // It is not accepted at the next reading either.
    assert!(story.lists(&[("read", "Reads."), ("write", "Deletes.")]).is_empty());
    assert_eq!(
        story.stand("write"),
        "quarantined | it came back with another definition | Writes. | Deletes."
    );
}

#[test]
fn while_instances_differ_the_pinned_definition_is_served() {
    let mut story = Story::new();
    story.lists(&[("read", "Old.")]);
    // One instance of two is new.
    assert_eq!(story.lists(&[("read", "New."), ("read", "Old.")]), ["registry.tool.drifted read"]);
    assert_eq!(story.stand("read"), "drifted | some instances offer another definition | Old. | New.");
    assert_eq!(story.shown(&[("read", "New."), ("read", "Old.")]).0, ["\"Old.\""]);
    // The old one leaves.
    assert_eq!(story.lists(&[("read", "New.")]), ["registry.tool.quarantined read"]);
    assert!(story.shown(&[("read", "New.")]).0.is_empty());
}

#[test]
fn a_roll_where_drift_is_accepted_changes_over_when_the_last_old_instance_goes() {
    let mut story = Story::with(accepting());
    story.lists(&[("read", "Old.")]);
    assert_eq!(story.lists(&[("read", "New."), ("read", "Old.")]), ["registry.tool.drifted read"]);
    assert_eq!(story.shown(&[("read", "New."), ("read", "Old.")]).0, ["\"Old.\""]);
    assert_eq!(story.lists(&[("read", "New.")]), ["registry.tool.accepted read"]);
    assert_eq!(story.stand("read"), "active | - | New. | -");
}

#[test]
fn a_roll_that_is_accepted_half_way_serves_the_new_one_from_then_on() {
    let mut story = Story::new();
    story.lists(&[("read", "Old.")]);
    story.lists(&[("read", "New."), ("read", "Old.")]);
    story.says(ReviewVerdict::Accept, "read", Some(version("read", "New."))).expect("accepted");
    story.lists(&[("read", "New."), ("read", "Old.")]);
    assert_eq!(story.stand("read"), "drifted | some instances offer another definition | New. | Old.");
    assert_eq!(story.shown(&[("read", "New."), ("read", "Old.")]).0, ["\"New.\""]);
    assert_eq!(story.lists(&[("read", "New.")]), ["registry.tool.restored read"]);
}

#[test]
fn a_rejected_roll_is_served_as_it_was_until_only_the_rejected_one_is_left() {
    let mut story = Story::new();
    story.lists(&[("read", "Old.")]);
    story.lists(&[("read", "New."), ("read", "Old.")]);
    story.says(ReviewVerdict::Reject, "read", None).expect("rejected");
    assert!(story.lists(&[("read", "New."), ("read", "Old.")]).is_empty());
    assert_eq!(story.row("read").status, ToolStatus::Drifted);
    assert_eq!(story.lists(&[("read", "New.")]), ["registry.tool.quarantined read"]);
    assert_eq!(story.row("read").reason.as_deref(), Some(reason::REJECTED));
}

#[test]
fn an_instance_that_comes_and_goes_in_a_roll_takes_nothing_away() {
    let mut story = Story::new();
    story.lists(&[("read", "Old.")]);
    for _ in 0..10 {
        story.lists(&[("read", "New."), ("read", "Old.")]);
        story.lists(&[("read", "Old.")]);
    }
    assert_eq!(story.stand("read"), "active | - | Old. | -");
}

#[test]
fn new_tools_of_a_known_server_are_visible_or_wait_as_the_operator_says() {
    let mut story = Story::new();
    story.lists(&[("read", "Reads.")]);
    assert_eq!(story.lists(&[("read", "Reads."), ("write", "Writes.")]), ["registry.tools.pinned write"]);
    story.review.new_tools = NewTools::Review;
    let all = [("read", "Reads."), ("write", "Writes."), ("delete", "Deletes.")];
    assert_eq!(story.lists(&all), ["registry.tool.quarantined delete"]);
    assert_eq!(story.stand("delete"), "quarantined | new | Deletes. | -");
    assert_eq!(story.shown(&all).1, ["delete: new"]);
    story.says(ReviewVerdict::Accept, "delete", Some(version("delete", "Deletes."))).expect("accepted");
    assert_eq!(story.stand("delete"), "active | - | Deletes. | -");
}

#[test]
fn at_first_sight_nothing_is_new() {
    let mut story = Story::with(ReviewRules { new_tools: NewTools::Review, ..ReviewRules::default() });
    assert_eq!(story.lists(&[("read", "Reads.")]), ["registry.tools.pinned read"]);
}

#[test]
fn every_tool_of_a_server_waits_where_the_operator_says_so() {
    let mut story = Story::with(ReviewRules { new_tools: NewTools::ReviewAll, ..ReviewRules::default() });
    assert_eq!(story.lists(&[("read", "Reads.")]), ["registry.tool.quarantined read"]);
    assert_eq!(story.stand("read"), "quarantined | new | Reads. | -");
    story.says(ReviewVerdict::Accept, "read", Some(version("read", "Reads."))).expect("accepted");
    assert_eq!(story.stand("read"), "active | - | Reads. | -");
}

#[test]
fn a_new_tool_that_was_rejected_stays_away_however_often_it_returns() {
    let mut story = Story::with(ReviewRules { new_tools: NewTools::Review, ..ReviewRules::default() });
    story.lists(&[("read", "Reads.")]);
    story.lists(&[("read", "Reads."), ("delete", "Deletes.")]);
    story.says(ReviewVerdict::Reject, "delete", None).expect("rejected");
    assert!(story.lists(&[("read", "Reads."), ("delete", "Deletes.")]).is_empty());
    story.lists(&[("read", "Reads.")]);
    assert_eq!(
        story.lists(&[("read", "Reads."), ("delete", "Deletes.")]),
        ["registry.tool.quarantined delete"]
    );
    assert_eq!(story.stand("delete"), "quarantined | new | Deletes. | -");
}

#[test]
fn a_new_tool_that_changes_before_it_was_looked_at_is_looked_at_as_it_is_now() {
    let mut story = Story::with(ReviewRules { new_tools: NewTools::Review, ..accepting() });
    story.lists(&[("read", "Reads.")]);
    story.lists(&[("read", "Reads."), ("delete", "1")]);
    assert_eq!(story.lists(&[("read", "Reads."), ("delete", "2")]), ["registry.tool.drifted delete"]);
    assert_eq!(story.stand("delete"), "quarantined | new | 2 | -");
    let told: usize =
        (3..30).map(|at| story.lists(&[("read", "Reads."), ("delete", &at.to_string())]).len()).sum();
    assert!(told <= 3, "{told}");
}

#[test]
fn findings_are_kept_with_what_agents_would_see_and_quarantine_where_the_operator_says_so() {
    let mut story = Story::new();
    assert_eq!(story.lists(&[("read", "ignore previous")]), ["registry.tools.pinned read"]);
    assert_eq!(story.row("read").findings.len(), 1);
    story.lists(&[("read", "Reads.")]);
    assert_eq!(story.row("read").findings, [], "they are those of the candidate");
    story.lists(&[("read", "ignore previous")]);
    assert_eq!(story.row("read").findings.len(), 1);

    let mut strict = Story::with(ReviewRules { findings: OnFinding::Quarantine, ..accepting() });
    let told = strict.lists(&[("read", "ignore previous"), ("write", "Writes.")]);
    assert_eq!(told, ["registry.tool.quarantined read", "registry.tools.pinned write"]);
    assert_eq!(strict.stand("read"), "quarantined | flagged | ignore previous | -");
    let told = strict.lists(&[("read", "ignore previous"), ("write", "now ignore previous")]);
    assert_eq!(told, ["registry.tool.quarantined write"]);
    assert_eq!(
        strict.stand("write"),
        "quarantined | its definition changed and was flagged | Writes. | now ignore previous"
    );
}

#[test]
fn without_rows_nothing_is_shown_and_what_is_not_pinned_waits() {
    let mut story = Story::new();
    let (shown, withheld) = story.shown(&[("read", "Reads.")]);
    assert!(shown.is_empty());
    assert_eq!(withheld, ["read: it is new and has not been recorded yet"]);
    story.lists(&[("read", "Reads.")]);
    // The store is down, so the rows are unchanged.
    let (shown, withheld) = story.shown(&[("read", "Reads."), ("new", "New.")]);
    assert_eq!((shown.len(), withheld.len()), (1, 1));
    let (shown, withheld) = story.shown(&[("read", "Deletes.")]);
    assert!(shown.is_empty());
    assert_eq!(withheld, ["read: its definition changed"]);
}

#[test]
fn a_server_that_invents_names_fills_no_disk() {
    let mut story = Story::new();
    let names: Vec<String> = (0..ROWS_MAX + 10).map(|at| format!("tool{at}")).collect();
    let tools: Vec<(&str, &str)> = names.iter().map(|name| (name.as_str(), "x")).collect();
    story.lists(&tools);
    assert_eq!(story.rows.len(), ROWS_MAX);
    story.lists(&[("other", "x")]);
    assert_eq!(story.rows.len(), ROWS_MAX);
}

#[test]
fn what_has_no_name_is_left_out() {
    let listing = ServerListing {
        tools: vec![
            RawJson::from(json!({ "description": "x" })),
            RawJson::from(json!("x")),
            RawJson::from(json!({ "name": 3 })),
        ],
        ..ServerListing::default()
    };
    assert_eq!(offers(&listing, &ToolRows::new()), []);
}

mod any_history {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Whatever a server does, agents see only definitions that were pinned at first sight or accepted
        /// since.
        #[test]
        fn only_what_was_pinned_or_accepted_is_ever_shown(
            readings in prop::collection::vec((prop::collection::vec(0..3u8, 0..3), any::<bool>()), 1..12),
            verdicts in prop::collection::vec(0..4u8, 12),
        ) {
            let mut story = Story::new();
            let mut allowed: Vec<String> = Vec::new();
            for ((versions, twice), verdict) in readings.into_iter().zip(verdicts) {
                let texts: Vec<String> = versions.iter().map(u8::to_string).collect();
                let tools: Vec<(&str, &str)> = texts.iter().map(|text| ("read", text.as_str())).collect();
                let conflicts: &[&str] = if twice && texts.len() > 1 { &["read"] } else { &[] };
                let first = story.rows.is_empty();
                story.reads(&tools, conflicts);
                if first && conflicts.is_empty() {
                    allowed.extend(texts.first().map(|text| format!("{text:?}")));
                }
                let (shown, _) = story.shown(&tools);
                prop_assert!(shown.iter().all(|text| allowed.contains(text)), "{shown:?} {allowed:?}");
                if let Some(row) = story.rows.get("read").cloned() {
                    let choice = match verdict { 0 => Some(ReviewVerdict::Accept), 1 => Some(ReviewVerdict::Reject), _ => None };
                    let subject = text(subject(&row));
                    if let Some(choice) = choice && story.says(choice, "read", None).is_ok() && choice == ReviewVerdict::Accept {
                        allowed.push(format!("{subject:?}"));
                    }
                }
            }
        }
    }
}

//! A claim as PROV-JSON of the W3C: revisions, evidence and decisions as entities, what made them as activities, principals as agents.

use docir::Citation;
use serde_json::{Map, Value, json};
use toolgate_core::PrincipalId;
use toolgate_core::claim::{ClaimDecision, ClaimEvidence, ClaimRevision, EvidenceLocation};
use toolgate_core::moment::rfc3339;

use crate::case::ClaimCase;

/// The prefix of all names, and the address that it stands for.
const PREFIX: &str = "tg";
const NAMESPACE: &str = "urn:toolgate:";

/// A document on its way. Relations need names, which nobody uses.
#[derive(Default)]
struct ProvDocument {
    parts: Map<String, Value>,
    relations: usize,
}

/// The claim, everything that it rests on, and everyone who had a part in it.
pub(crate) fn document(case: &ClaimCase) -> Value {
    let mut document = ProvDocument::default();
    let claim = name(case.claim.id.as_str());
    let mut about = json!({
        "prov:type": typed("Claim"),
        "tg:kind": case.claim.kind,
        "tg:state": case.claim.state.as_str(),
        "tg:digest": case.claim.digest.to_string(),
    });
    if let Some(other) = &case.claim.superseded_by {
        about["tg:supersededBy"] = json!(other.as_str());
    }
    document.put("entity", &claim, about);
    for revision in &case.revisions {
        document.revision(&claim, revision);
    }
    for evidence in &case.evidence {
        document.evidence(&claim, evidence);
    }
    for decision in &case.decisions {
        document.decision(&claim, case, decision);
    }
    let mut whole = Map::new();
    whole.insert("prefix".to_owned(), json!({ PREFIX: NAMESPACE }));
    whole.extend(document.parts);
    Value::Object(whole)
}

impl ProvDocument {
    fn revision(&mut self, claim: &str, revision: &ClaimRevision) {
        let own = revision_name(claim, revision.number);
        let mut about = json!({
            "prov:type": typed("ClaimRevision"),
            "prov:value": revision.statement,
            "tg:severity": revision.severity.as_str(),
            "tg:source": revision.source.kind.as_str(),
            "tg:digest": revision.digest.to_string(),
            "tg:at": time(revision.at_ms),
        });
        if let Some(counted) = &revision.quantification {
            about["tg:quantification"] = json!(counted.as_str());
        }
        self.put("entity", &own, about);
        self.relate("specializationOf", json!({ "prov:specificEntity": own, "prov:generalEntity": claim }));
        self.attribute(&own, &revision.by);
        if revision.number > 1 {
            let before = revision_name(claim, revision.number - 1);
            self.derive(&own, &before, Some("prov:Revision"));
        }
    }

    fn evidence(&mut self, claim: &str, evidence: &ClaimEvidence) {
        let own = name(evidence.id.as_str());
        let mut about = json!({
            "prov:type": typed("Evidence"),
            "tg:kind": evidence.kind.as_str(),
            "tg:relationship": evidence.relation.as_str(),
            "tg:strength": evidence.strength.as_str(),
            "tg:standing": evidence.standing.as_str(),
            "tg:digest": evidence.digest.to_string(),
            "tg:at": time(evidence.at_ms),
            "tg:about": { "$": claim, "type": "prov:QUALIFIED_NAME" },
        });
        if let Some(summary) = &evidence.summary {
            about["tg:summary"] = json!(summary);
        }
        self.attribute(&own, &evidence.by);
        self.location(&own, &evidence.location, &mut about);
        self.put("entity", &own, about);
    }

    /// The document that evidence quotes, or the run that made it.
    fn location(&mut self, evidence: &str, location: &EvidenceLocation, about: &mut Value) {
        match location {
            EvidenceLocation::Word => {}
            EvidenceLocation::Run(run) => {
                let run = name(run.as_str());
                self.put("activity", &run, json!({ "prov:type": typed("Run") }));
                let made = json!({ "prov:entity": evidence, "prov:activity": run });
                self.relate("wasGeneratedBy", made);
            }
            EvidenceLocation::Citation { artifact, docir, citation } => {
                let (source, parsed) =
                    (name(&hyphened(&artifact.to_string())), name(&hyphened(&docir.to_string())));
                self.put("entity", &source, json!({ "prov:type": typed("Artifact") }));
                self.put("entity", &parsed, json!({ "prov:type": typed("DocIr") }));
                self.derive(&parsed, &source, None);
                self.derive(evidence, &source, Some("prov:Quotation"));
                if let Ok(cited) = citation.decode::<Citation>() {
                    about["prov:value"] = json!(cited.quote.exact);
                    about["tg:item"] = json!(cited.item);
                    about["tg:start"] = json!(cited.start);
                    about["tg:end"] = json!(cited.end);
                    if let Some(page) = cited.page {
                        about["tg:page"] = json!(page);
                    }
                }
            }
        }
    }

    fn decision(&mut self, claim: &str, case: &ClaimCase, decision: &ClaimDecision) {
        let own = format!("{claim}.decision{}", decision.number);
        let outcome = format!("{own}.outcome");
        let at = rfc3339(decision.at_ms);
        let deciding = json!({ "prov:startTime": at, "prov:endTime": at, "prov:type": typed("Deciding") });
        self.put("activity", &own, deciding);
        let known = case.revisions.iter().rfind(|one| one.at_ms <= decision.at_ms);
        let evidence = case.evidence.iter().filter(|one| one.at_ms <= decision.at_ms);
        let used = known.map(|revision| revision_name(claim, revision.number));
        for used in used.into_iter().chain(evidence.map(|one| name(one.id.as_str()))) {
            self.relate("used", json!({ "prov:activity": own, "prov:entity": used }));
        }
        for (person, role) in std::iter::once((&decision.by, "decider"))
            .chain(decision.approvers.iter().map(|one| (one, "approver")))
        {
            let agent = self.agent(person);
            let part = json!({ "prov:activity": own, "prov:agent": agent, "prov:role": role });
            self.relate("wasAssociatedWith", part);
        }
        let mut about = json!({
            "prov:type": typed("Decision"),
            "prov:value": decision.option,
            "tg:rationale": decision.rationale,
            "tg:digest": decision.digest.to_string(),
            "tg:state": if decision.stale_since_ms.is_some() { "stale" } else { "current" },
        });
        if let Some(approval) = &decision.approval {
            about["tg:approval"] = json!(approval.as_str());
        }
        self.put("entity", &outcome, about);
        self.relate(
            "wasGeneratedBy",
            json!({ "prov:entity": outcome, "prov:activity": own, "prov:time": at }),
        );
    }

    fn attribute(&mut self, entity: &str, person: &PrincipalId) {
        let agent = self.agent(person);
        self.relate("wasAttributedTo", json!({ "prov:entity": entity, "prov:agent": agent }));
    }

    fn derive(&mut self, made: &str, of: &str, kind: Option<&str>) {
        let mut derived = json!({ "prov:generatedEntity": made, "prov:usedEntity": of });
        if let Some(kind) = kind {
            derived["prov:type"] = json!({ "$": kind, "type": "prov:QUALIFIED_NAME" });
        }
        self.relate("wasDerivedFrom", derived);
    }

    fn agent(&mut self, person: &PrincipalId) -> String {
        let own = name(&format!("principal-{}", hyphened(person.as_str())));
        self.put("agent", &own, json!({ "prov:label": person.as_str() }));
        own
    }

    fn put(&mut self, part: &str, name: &str, about: Value) {
        self.part(part).insert(name.to_owned(), about);
    }

    fn relate(&mut self, part: &str, members: Value) {
        self.relations += 1;
        let own = format!("_:r{}", self.relations);
        self.part(part).insert(own, members);
    }

    fn part(&mut self, part: &str) -> &mut Map<String, Value> {
        let part = self.parts.entry(part).or_insert_with(|| Value::Object(Map::new()));
        part.as_object_mut().expect("every part is an object")
    }
}

fn revision_name(claim: &str, number: u64) -> String {
    format!("{claim}.revision{number}")
}

fn name(local: &str) -> String {
    format!("{PREFIX}:{local}")
}

/// Plain letters and digits stay; of others, the code points are said.
fn hyphened(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            'a'..='z' | 'A'..='Z' | '0'..='9' | '_' | '-' => plain.push(letter),
            other => plain.push_str(&format!(".{:x}.", u32::from(other))),
        }
    }
    plain
}

fn typed(kind: &str) -> Value {
    json!({ "$": format!("{PREFIX}:{kind}"), "type": "prov:QUALIFIED_NAME" })
}

fn time(at_ms: i64) -> Value {
    json!({ "$": rfc3339(at_ms), "type": "xsd:dateTime" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_of_any_principal_is_one_word() {
        assert_eq!(hyphened("ann@example.com"), "ann.40.example.2e.com");
        assert_ne!(hyphened("a.b"), hyphened("a_b"));
        assert_eq!(hyphened("sha256:ab"), "sha256.3a.ab");
    }
}

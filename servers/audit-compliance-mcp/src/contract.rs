//! A checklist of clauses that contracts often have, with the passage as evidence. No score: whether a clause
//! is good is for people.

use capability_language::{detect, sentences};
use regex::RegexSet;
use std::sync::OnceLock;

use crate::content::PlacedText;
use crate::report::{Spot, shortened};

/// A clause of the checklist.
#[derive(Clone, PartialEq, Debug)]
pub struct ClauseFound {
    pub clause: &'static str,
    /// The first passage, if there is one.
    pub passage: Option<(String, Spot)>,
    /// The number of passages.
    pub count: usize,
}

/// The outcome.
#[derive(Clone, PartialEq, Debug)]
pub struct Checklist {
    pub clauses: Vec<ClauseFound>,
    pub language: Option<String>,
    /// False for texts in a language that the list does not know.
    pub known: bool,
}

/// Clauses with patterns for sentences that belong to them, in English.
const CLAUSES: &[(&str, &str)] = &[
    (
        "parties",
        r"(?i)\b(by and between|entered into (by|between)|hereinafter (referred to as|called)|\(the [“\x22]?(company|customer|supplier|licensor|licensee|client|contractor))",
    ),
    ("effective date", r"(?i)\b(effective date|effective as of|commenc(es|ing) on|shall take effect)\b"),
    (
        "term",
        r"(?i)\b(initial term|term of this agreement|remain in (full )?(force|effect)|shall continue (in effect )?(for|until))\b",
    ),
    ("renewal", r"(?i)\b(automatic(ally)? renew|renewal term|successive (periods|terms)|renew(s|ed)? for)"),
    ("notice to end renewal", r"(?i)\bnotice of (its )?(non-?renewal|intent(ion)? not to renew)\b"),
    (
        "termination for convenience",
        r"(?i)\bterminat\w+.{0,80}\b(for convenience|without cause|for any reason|at any time)\b",
    ),
    (
        "termination for cause",
        r"(?i)\bterminat\w+.{0,120}\b(material(ly)? breach|insolven|bankrupt|for cause)",
    ),
    ("payment", r"(?i)\b(shall pay|payment terms|invoice|fees? (is|are|shall be) (due|payable))\b"),
    ("price changes", r"(?i)\b(increase|adjust|change)\w* (the |its )?(prices?|fees?|rates?)\b"),
    ("minimum commitment", r"(?i)\bminimum (purchase|order|commitment|volume|payment)"),
    ("confidentiality", r"(?i)\b(confidential information|confidentiality|non-?disclosure)\b"),
    ("personal data", r"(?i)\b(personal data|data protection|gdpr|data processing agreement|privacy law)"),
    (
        "intellectual property",
        r"(?i)\b(intellectual property|work made for hire|assigns? (all )?(right|title))\b",
    ),
    ("licence", r"(?i)\b(grants?|hereby licens)\w*.{0,60}\blicen[cs]e\b"),
    ("exclusivity", r"(?i)\b(exclusive(ly)?|exclusivity|sole supplier)\b"),
    ("non-compete", r"(?i)\b(non-?compet|shall not .{0,60}compete|restrictive covenant)"),
    ("non-solicitation", r"(?i)\b(non-?solicit|shall not .{0,60}solicit)"),
    ("warranties", r"(?i)\b(represents and warrants|warrant(s|y|ies)\b)"),
    ("disclaimer of warranties", r"(?i)\b(as is|disclaims? (all|any) (other )?warrant)"),
    (
        "limit of liability",
        r"(?i)\b(limitation of liability|aggregate liability|in no event shall|liability .{0,40}(shall not exceed|is limited))",
    ),
    (
        "unlimited liability",
        r"(?i)\b(unlimited liability|nothing .{0,60}(limits?|excludes?) .{0,40}liability)",
    ),
    ("indemnity", r"(?i)\b(indemnif|hold harmless)"),
    ("insurance", r"(?i)\b(maintain|carry|procure).{0,40}\binsurance\b"),
    ("liquidated damages", r"(?i)\bliquidated damages\b"),
    ("force majeure", r"(?i)\b(force majeure|act of god|beyond (its|the) reasonable control)\b"),
    ("assignment", r"(?i)\b(not|may) assign|\bassign(ment)? (of )?this agreement\b"),
    ("change of control", r"(?i)\bchange (of|in) control\b"),
    ("subcontracting", r"(?i)\bsub-?contract"),
    ("audit rights", r"(?i)\b(right to audit|audit rights|inspect (the )?(books|records))\b"),
    ("service levels", r"(?i)\b(service levels?|uptime|service credits?)\b"),
    ("acceptance", r"(?i)\bacceptance (test|criteria|period)"),
    ("governing law", r"(?i)\bgoverned by\b.{0,60}\blaws?\b|\bgoverning law\b"),
    ("jurisdiction or arbitration", r"(?i)\b(jurisdiction|arbitrat|venue)\b"),
    ("notices", r"(?i)\bnotices?\b.{0,60}\b(in writing|shall be (sent|given|delivered))\b"),
    ("amendments", r"(?i)\b(amend(ed|ment)s?|modif(ied|ication)s?)\b.{0,80}\b(in writing|signed|written)\b"),
    ("entire agreement", r"(?i)\bentire (agreement|understanding)\b"),
    ("severability", r"(?i)\b(severab|(invalid|unenforceable).{0,100}(remaining|other) provisions)"),
    ("waiver", r"(?i)\b(no waiver|waiver of any|failure to (enforce|exercise))\b"),
    ("survival", r"(?i)\b(shall|will) survive\b"),
    ("signatures", r"(?i)\b(in witness whereof|authori[sz]ed signat|executed (this agreement )?(by|as of))"),
];

fn patterns() -> &'static RegexSet {
    static SET: OnceLock<RegexSet> = OnceLock::new();
    SET.get_or_init(|| {
        RegexSet::new(CLAUSES.iter().map(|(_, pattern)| pattern)).expect("the patterns are tested")
    })
}

/// Looks for every clause.
pub fn check(text: &PlacedText) -> Checklist {
    let language = detect(&text.text).language;
    let known = language.as_deref() == Some("en");
    let mut clauses: Vec<ClauseFound> =
        CLAUSES.iter().map(|(clause, _)| ClauseFound { clause, passage: None, count: 0 }).collect();
    for sentence in sentences(&text.text).iter().filter(|_| known) {
        let line = sentence.text.split_whitespace().collect::<Vec<_>>().join(" ");
        for index in patterns().matches(&line) {
            let own = &mut clauses[index];
            own.count += 1;
            if own.passage.is_none() {
                own.passage = Some((shortened(&line), text.spot(sentence.start..sentence.end())));
            }
        }
    }
    Checklist { clauses, language, known }
}

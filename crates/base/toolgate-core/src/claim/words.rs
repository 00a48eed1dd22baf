//! The words of claims, as they are stored and told.

/// Words with a form for rows and people.
macro_rules! claim_words {
    ($(#[$doc:meta])* $name:ident { $($(#[$about:meta])* $variant:ident = $word:literal),+ $(,)? }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, serde::Serialize, serde::Deserialize)]
        pub enum $name {
            $($(#[$about])* #[serde(rename = $word)] $variant),+
        }

        impl $name {
            pub const ALL: &'static [$name] = &[$($name::$variant),+];

            pub const fn as_str(self) -> &'static str {
                match self {
                    $($name::$variant => $word),+
                }
            }

            pub fn parse(text: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|one| one.as_str() == text)
            }
        }
    };
}

claim_words!(
    /// `draft → submitted → under_review → decided | superseded`.
    ClaimState {
        Draft = "draft",
        Submitted = "submitted",
        UnderReview = "under_review",
        Decided = "decided",
        /// Another claim took its place.
        Superseded = "superseded",
    }
);

claim_words!(
    /// The weight of a claim. The heavier one is greater.
    ClaimSeverity { Low = "low", Medium = "medium", High = "high", Critical = "critical" }
);

claim_words!(
    ClaimSourceKind {
        AiDetected = "ai_detected",
        HumanIdentified = "human_identified",
        ExternalReport = "external_report",
        RuleTriggered = "rule_triggered",
    }
);

claim_words!(
    EvidenceKind {
        /// Words that were taken out of a document.
        Extraction = "extraction",
        Document = "document",
        /// A run that has completed.
        Calculation = "calculation",
        ExternalData = "external_data",
        /// The word of whoever links it.
        ExpertOpinion = "expert_opinion",
    }
);

claim_words!(
    EvidenceRelation { Supports = "supports", Refutes = "refutes", Context = "context" }
);

claim_words!(
    EvidenceStrength { Weak = "weak", Moderate = "moderate", Strong = "strong" }
);

claim_words!(
    /// The result of the check of evidence.
    EvidenceStanding {
        /// It stands where it says.
        Verified = "verified",
        /// The words stand at one other place.
        Moved = "moved",
        /// The words stand nowhere, or the document is gone.
        Absent = "absent",
        /// Somebody said it, and there is nothing to check.
        Stated = "stated",
    }
);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_is_read_back() {
        for state in ClaimState::ALL {
            assert_eq!(ClaimState::parse(state.as_str()), Some(*state));
        }
        for standing in EvidenceStanding::ALL {
            let written = serde_json::to_string(standing).unwrap();
            assert_eq!(written, format!("{:?}", standing.as_str()));
        }
        assert_eq!(ClaimState::parse("open"), None);
    }

    #[test]
    fn a_heavier_claim_is_greater() {
        assert!(ClaimSeverity::Critical > ClaimSeverity::High && ClaimSeverity::Medium > ClaimSeverity::Low);
    }
}

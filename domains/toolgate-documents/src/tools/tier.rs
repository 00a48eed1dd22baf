//! The tier as an argument.

use engine_protocol::DocumentTier;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Fast reads the text layer, standard layout and tables too, deep also pictures of text.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum TierArgument {
    Fast,
    #[default]
    Standard,
    Deep,
}

impl From<TierArgument> for DocumentTier {
    fn from(tier: TierArgument) -> Self {
        match tier {
            TierArgument::Fast => DocumentTier::Fast,
            TierArgument::Standard => DocumentTier::Standard,
            TierArgument::Deep => DocumentTier::Deep,
        }
    }
}

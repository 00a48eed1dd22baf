//! The explanation of one hit: where it stands and why.

use engine_protocol::{Explain, Explanation, ScoreParts};

use super::database::{EngineTransaction, StepError};
use super::rows;
use super::search::RankedSearch;
use crate::fault::bad_request;
use crate::ranking::filters::{FilteredFacts, judged};

pub(super) async fn explanation(
    tx: &mut EngineTransaction,
    ranked: RankedSearch<'_>,
    explain: &Explain,
) -> Result<Explanation, StepError> {
    let Some(key) = ranked.scope.find(&explain.hit) else {
        let message =
            format!("no index of the search has the passage {} of {}", explain.hit.chunk, explain.hit.label);
        return Err(bad_request(message, "pass a hit of this search, with the same scope").into());
    };
    let place = ranked.hits.iter().position(|hit| hit.key == key);
    let parts = match place {
        Some(place) => ranked.hits[place].parts,
        None => ScoreParts {
            bm25: ranked.word_scores.of(key),
            cosine: match &ranked.meaning {
                Some(meaning) => meaning.scores(tx, &ranked.scope, &[key]).await?.get(&key).copied(),
                None => None,
            },
            ..ScoreParts::default()
        },
    };
    let passages = rows::passages(tx, &ranked.scope, &[key]).await?;
    let row = &passages[&key];
    let facts =
        FilteredFacts { path: &row.path, media_type: row.media_type.as_deref(), metadata: &row.metadata };
    Ok(Explanation {
        hit: explain.hit.clone(),
        path: row.path.clone(),
        rank: place.and_then(|place| u32::try_from(place + 1).ok()),
        score: place.map(|place| ranked.hits[place].score),
        parts,
        terms: ranked.words.explain(key)?,
        fusion: ranked.fuser.formula(&parts),
        filters: judged(&explain.search.filter, facts),
        passages: ranked.scope.totals.passages,
    })
}

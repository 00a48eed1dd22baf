//! The indexes of one search, and the passages of them that may be found.

use std::sync::Arc;

use engine_protocol::{EngineFault, HitId, IndexRef, Search, SearchFilter};

use super::database::{EngineTransaction, StepError};
use super::engine::EngineCore;
use super::listing::{VersionName, VersionRow, outdated};
use super::ranges::ChunkRanges;
use crate::fault::bad_request;
use crate::ranking::bm25::CorpusTotals;
use crate::ranking::filters::{is_open, plain_media_type, rule_terms};

const INDEXES_MAX: usize = 256;
/// A filter as a condition on `d`, a row of documents, with the values `$3` to `$5`.
pub(super) const FILTER: &str = "($3::text IS NULL OR starts_with(d.path, $3)) \
    AND ($4::text[] IS NULL OR d.media_type = ANY($4)) \
    AND NOT EXISTS (SELECT 1 FROM json_array_elements($5::json) AS r (terms) \
        WHERE NOT d.metadata && ARRAY(SELECT json_array_elements_text(r.terms)))";

/// The place of an index in the scope, and the number of a passage in it. Its order is that of equal hits.
pub(super) type ChunkKey = (usize, u64);

pub(super) struct SearchScope {
    /// Sorted by label.
    pub(super) indexes: Vec<SearchedIndex>,
    /// Of all indexes together, whatever the filter says.
    pub(super) totals: CorpusTotals,
    pub(super) filter: FilterValues,
}

pub(super) struct SearchedIndex {
    pub(super) label: String,
    pub(super) row: VersionRow,
    pub(super) removed: Arc<ChunkRanges>,
    /// None: there is no filter.
    allowed: Option<ChunkRanges>,
}

/// A filter as values of [`FILTER`].
#[derive(Clone, PartialEq, Debug)]
pub(super) struct FilterValues {
    pub(super) is_open: bool,
    pub(super) path_prefix: Option<String>,
    pub(super) media_types: Option<Vec<String>>,
    /// A JSON list of lists of terms.
    pub(super) metadata: String,
}

/// The names of the versions, sorted by label. Contents that are missing are named before the database is asked.
pub(super) fn version_names(
    core: &EngineCore,
    indexes: &[IndexRef],
) -> Result<Vec<(String, VersionName)>, EngineFault> {
    if indexes.len() > INDEXES_MAX {
        let message = format!("{} indexes are too many for one search; at most {INDEXES_MAX}", indexes.len());
        return Err(bad_request(message, "search fewer pointers at a time"));
    }
    let files = indexes.iter().flat_map(|index| &index.listing.files);
    core.contents.require(files.map(|file| &file.content))?;
    let mut names = Vec::new();
    for index in indexes {
        names.push((index.label.clone(), VersionName::read(&core.contents, &index.listing)?));
    }
    names.sort_by(|one, other| one.0.cmp(&other.0));
    Ok(names)
}

impl SearchScope {
    pub(super) async fn open(
        core: &EngineCore,
        tx: &mut EngineTransaction,
        names: &[(String, VersionName)],
        search: &Search,
    ) -> Result<Self, StepError> {
        let filter = FilterValues::of(&search.filter)?;
        let mut scope = Self { indexes: Vec::new(), totals: CorpusTotals::default(), filter };
        for (label, name) in names {
            let row = name.find(tx, &core.name).await?;
            if row.stemming != search.profile.words.stemming {
                return Err(
                    outdated(format!("the words of the index {label} are stemmed in another way")).into()
                );
            }
            let removed = core.removed(tx, &row).await?;
            let allowed = allowed(tx, &row, &scope.filter).await?;
            scope.totals.add(&row.totals);
            scope.indexes.push(SearchedIndex { label: label.clone(), row, removed, allowed });
        }
        Ok(scope)
    }

    pub(super) fn hit_id(&self, key: ChunkKey) -> HitId {
        HitId { label: self.indexes[key.0].label.clone(), chunk: key.1 }
    }

    /// The key of a hit, if its index is searched and has it.
    pub(super) fn find(&self, hit: &HitId) -> Option<ChunkKey> {
        let at = self.indexes.iter().position(|index| index.label == hit.label)?;
        self.indexes[at].sees(hit.chunk).then_some((at, hit.chunk))
    }

    /// The passages of each index among these.
    pub(super) fn by_index(&self, keys: &[ChunkKey]) -> Vec<(usize, Vec<i64>)> {
        let of = |at| keys.iter().filter(|key| key.0 == at).map(|key| key.1 as i64).collect::<Vec<i64>>();
        (0..self.indexes.len()).map(|at| (at, of(at))).filter(|(_, chunks)| !chunks.is_empty()).collect()
    }
}

impl SearchedIndex {
    /// True if the version has the passage.
    pub(super) fn sees(&self, chunk: u64) -> bool {
        chunk < self.row.end_chunk && !self.removed.contains(chunk)
    }

    /// True if the filter lets the passage through.
    pub(super) fn allows(&self, chunk: u64) -> bool {
        self.allowed.as_ref().is_none_or(|allowed| allowed.contains(chunk))
    }
}

impl FilterValues {
    fn of(filter: &SearchFilter) -> Result<Self, EngineFault> {
        let media_types: Vec<String> = filter.media_types.iter().map(|kind| plain_media_type(kind)).collect();
        let texts = filter.path_prefix.iter().chain(&media_types);
        if texts.into_iter().any(|text| text.contains('\0')) {
            return Err(bad_request("the filter has the character of number 0", "leave it out"));
        }
        let metadata: Vec<Vec<String>> = filter.metadata.iter().map(rule_terms).collect();
        Ok(Self {
            is_open: is_open(filter),
            path_prefix: filter.path_prefix.clone(),
            media_types: (!media_types.is_empty()).then_some(media_types),
            metadata: serde_json::to_string(&metadata).expect("terms are plain texts"),
        })
    }
}

/// The passages of documents that pass the filter.
async fn allowed(
    tx: &mut EngineTransaction,
    row: &VersionRow,
    filter: &FilterValues,
) -> Result<Option<ChunkRanges>, StepError> {
    if filter.is_open {
        return Ok(None);
    }
    let text = format!(
        "SELECT d.first_chunk, d.end_chunk FROM toolgate_engine.documents AS d WHERE d.line = $1 \
         AND d.from_version <= $2 AND (d.to_version IS NULL OR d.to_version > $2) AND {FILTER}"
    );
    let rows: Vec<(i64, i64)> = sqlx::query_as(sqlx::AssertSqlSafe(text))
        .bind(row.line)
        .bind(row.version)
        .bind(&filter.path_prefix)
        .bind(&filter.media_types)
        .bind(&filter.metadata)
        .fetch_all(&mut **tx)
        .await?;
    let ranges = rows.into_iter().map(|(first, end)| (first as u64, end as u64)).collect();
    Ok(Some(ChunkRanges::new(ranges)))
}

//! The rules of a filter, and the passages that pass each.

use engine_protocol::{EngineFault, SearchFilter};
use tantivy::postings::BlockSegmentPostings;
use tantivy::schema::{Field, IndexRecordOption};

use crate::inside::bits::PassageBits;
use crate::inside::faults::unreadable;
use crate::inside::schema::metadata_term;
use crate::inside::version::{OpenSegment, OpenVersion};

pub(in crate::inside) enum FilterRuleOne {
    PathPrefix(String),
    MediaTypes(Vec<String>),
    /// A key, and terms of which a document has one.
    Metadata {
        key: String,
        terms: Vec<String>,
    },
}

pub(in crate::inside) fn rules(filter: &SearchFilter) -> Vec<FilterRuleOne> {
    let mut rules = Vec::new();
    rules.extend(
        filter.path_prefix.clone().filter(|prefix| !prefix.is_empty()).map(FilterRuleOne::PathPrefix),
    );
    if !filter.media_types.is_empty() {
        rules.push(FilterRuleOne::MediaTypes(filter.media_types.clone()));
    }
    rules.extend(filter.metadata.iter().map(|rule| FilterRuleOne::Metadata {
        key: rule.key.clone(),
        terms: rule.any_of.iter().map(|value| metadata_term(&rule.key, value)).collect(),
    }));
    rules
}

impl FilterRuleOne {
    /// A sentence for an explanation.
    pub(in crate::inside) fn sentence(&self) -> String {
        match self {
            Self::PathPrefix(prefix) => format!("the path begins with {prefix:?}"),
            Self::MediaTypes(types) => format!("the media type is {}", types.join(" or ")),
            Self::Metadata { key, terms } => {
                format!("the metadata {key:?} is one of {} values", terms.len())
            }
        }
    }

    pub(in crate::inside) fn passages(&self, version: &OpenVersion) -> Result<PassageBits, EngineFault> {
        let mut bits = PassageBits::none(version.slots());
        for segment in &version.segments {
            match self {
                Self::PathPrefix(prefix) => add_prefix(segment, version.fields.path, prefix, &mut bits)?,
                Self::MediaTypes(types) => add_terms(segment, version.fields.media_type, types, &mut bits)?,
                Self::Metadata { terms, .. } => {
                    add_terms(segment, version.fields.metadata, terms, &mut bits)?;
                }
            }
        }
        Ok(bits)
    }
}

fn add_terms(
    segment: &OpenSegment,
    field: Field,
    terms: &[String],
    bits: &mut PassageBits,
) -> Result<(), EngineFault> {
    let index = segment.reader.inverted_index(field).map_err(unreadable)?;
    for term in terms {
        let Some(info) = index.terms().get(term).map_err(unreadable)? else { continue };
        let postings = index.read_block_postings_from_terminfo(&info, IndexRecordOption::Basic);
        add_postings(segment, &mut postings.map_err(unreadable)?, bits);
    }
    Ok(())
}

fn add_prefix(
    segment: &OpenSegment,
    field: Field,
    prefix: &str,
    bits: &mut PassageBits,
) -> Result<(), EngineFault> {
    let index = segment.reader.inverted_index(field).map_err(unreadable)?;
    let mut terms = index.terms().range().ge(prefix).into_stream().map_err(unreadable)?;
    while terms.advance() && terms.key().starts_with(prefix.as_bytes()) {
        let postings = index.read_block_postings_from_terminfo(terms.value(), IndexRecordOption::Basic);
        add_postings(segment, &mut postings.map_err(unreadable)?, bits);
    }
    Ok(())
}

fn add_postings(segment: &OpenSegment, postings: &mut BlockSegmentPostings, bits: &mut PassageBits) {
    while !postings.docs().is_empty() {
        postings.docs().iter().for_each(|passage| bits.set(segment.first + passage));
        postings.advance();
    }
}

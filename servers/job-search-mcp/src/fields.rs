//! The fields of an advertisement's text, each with its place.

mod apply;
mod dates;
mod employer;
mod hours;
mod labels;
mod places;
mod salary;
mod terms;
mod title;

pub(crate) use hours::weekly;
pub(crate) use places::place_of;
pub(crate) use salary::unit_of;
pub(crate) use terms::{employment_types, seniority};
pub(crate) use title::clean as clean_title;

use crate::advert::Advert;
use crate::posting::ParsedPosting;

use labels::LabelledValues;

/// Fills all fields that are still empty.
pub(crate) fn read(advert: &Advert, parsed: &mut ParsedPosting) {
    let labelled = LabelledValues::of(advert);
    title::read(advert, &labelled, parsed);
    employer::read(advert, &labelled, parsed);
    places::read(advert, &labelled, parsed);
    terms::read(advert, &labelled, parsed);
    salary::read(advert, &labelled, parsed);
    hours::read(advert, parsed);
    dates::read(advert, parsed);
    apply::read(advert, parsed);
}

//! The header `Link` (RFC 8288), as far as pages need it.

use url::{Url, form_urlencoded};

use super::{PageStep, PageTrouble};

/// The address of the next page.
pub(super) fn next(header: &str) -> Option<String> {
    let mut rest = header;
    while let Some((_, after)) = rest.split_once('<') {
        let (address, parameters) = after.split_once('>')?;
        // The parameters of one link end where the next link begins.
        let own = parameters.split('<').next().unwrap_or_default();
        if own.split([';', ',']).any(is_next) {
            return Some(address.trim().to_owned());
        }
        rest = parameters;
    }
    None
}

fn is_next(parameter: &str) -> bool {
    let Some((name, value)) = parameter.split_once('=') else { return false };
    let mut relations = value.trim().trim_matches('"').split_ascii_whitespace();
    name.trim().eq_ignore_ascii_case("rel") && relations.any(|one| one.eq_ignore_ascii_case("next"))
}

/// The parameters of the next page. Its path is not taken: a list stays with the path that was reviewed, and with the origin
/// that its secrets are for.
pub(super) fn step(address: &str, parameters: &[String]) -> Result<PageStep, PageTrouble> {
    let query = match Url::parse(address) {
        Ok(address) => address.query().unwrap_or_default().to_owned(),
        Err(_) => address.split_once('?').map_or(String::new(), |(_, query)| query.to_owned()),
    };
    let pairs = form_urlencoded::parse(query.as_bytes()).into_owned();
    let values: Vec<(String, String)> = pairs.filter(|(name, _)| parameters.contains(name)).collect();
    if values.is_empty() {
        return Err(PageTrouble::NoParameter(parameters.to_vec()));
    }
    Ok(PageStep { values })
}

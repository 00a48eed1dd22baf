//! Values and the places that they go to.

use super::basics::{Checked, is_header, is_secret_header, must};
use crate::build::names_in;
use crate::error::BadConnectorFile;
use crate::form::ArgumentForm;
use crate::words::{Encoding, Marked, RequestPlace};

/// Bytes go where bytes can be; slashes stay in a path alone.
pub(super) fn encoding(
    text: &str,
    name: &Marked,
    place: Option<RequestPlace>,
    encode: Option<Encoding>,
) -> Checked {
    let fits = match (encode, place) {
        (Some(Encoding::Bytes), place) => matches!(place, Some(RequestPlace::Raw | RequestPlace::Multipart)),
        (Some(Encoding::Path), place) => place == Some(RequestPlace::Path),
        _ => true,
    };
    must(
        fits,
        text,
        name,
        "`encode` does not fit the place: `bytes` is for `raw` and `multipart`, `path` for `path`",
    )
}

/// Every argument has a place, every name in the path has an argument, and the body is of one kind.
pub(super) fn placed<'a>(
    text: &str,
    path: &Marked,
    arguments: impl Iterator<Item = (&'a Marked, &'a ArgumentForm)>,
) -> Checked {
    let mut places = Vec::new();
    for (name, argument) in arguments {
        let Some(place) = argument.place else {
            return Err(BadConnectorFile::of(
                text,
                name,
                "`place` is missing: path, query, header, body, form, multipart or raw",
            ));
        };
        let says = "an argument has a `schema` or is a `constant`";
        must(argument.schema.is_some() || argument.constant.is_some(), text, name, says)?;
        places.push((name, place, argument.name.as_ref().unwrap_or(name.get_ref())));
    }
    check_places(text, path, &places)
}

pub(super) fn check_places(
    text: &str,
    path: &Marked,
    places: &[(&Marked, RequestPlace, &String)],
) -> Checked {
    let is_path = path.get_ref().is_empty() || path.get_ref().starts_with('/');
    must(is_path && !path.get_ref().contains("://"), text, path, "`path` is empty or begins with `/`")?;
    let named = names_in(path.get_ref());
    for (name, place, provider) in places {
        let is_in_path = *place != RequestPlace::Path || named.contains(&provider.as_str());
        must(is_in_path, text, name, &format!("the path has no `{{{provider}}}`"))?;
        let is_good = *place != RequestPlace::Header || (is_header(provider) && !is_secret_header(provider));
        must(is_good, text, name, "this header is none that an argument may set")?;
    }
    for one in named {
        let is_given =
            places.iter().any(|(_, place, provider)| *place == RequestPlace::Path && *provider == one);
        must(is_given, text, path, &format!("no argument has the place `path` and the name `{one}`"))?;
    }
    one_body(text, path, places)
}

fn one_body(text: &str, path: &Marked, places: &[(&Marked, RequestPlace, &String)]) -> Checked {
    let bodies = [RequestPlace::Body, RequestPlace::Form, RequestPlace::Multipart, RequestPlace::Raw];
    let count = |kind: &RequestPlace| places.iter().filter(|(_, place, _)| place == kind).count();
    let kinds = bodies.iter().filter(|kind| count(kind) > 0).count();
    must(kinds <= 1, text, path, "a body is of one kind: body, form, multipart or raw")?;
    must(count(&RequestPlace::Raw) <= 1, text, path, "one value is the whole body")
}

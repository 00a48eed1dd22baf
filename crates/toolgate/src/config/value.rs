//! Values that may contain `${NAME}`: text, paths, addresses, headers and secrets.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::{Path, PathBuf};

use http::{HeaderName, HeaderValue};
use url::Url;

use super::problem::ConfigProblems;
use super::reference::{
    self, BadReference, ReferenceMode, SECRET_NAME_CHARS_MAX, VariableLookup, VaultReferences,
};
use super::section::{ConfigSection, Located};

/// The context for reading every table of a file.
#[derive(Clone, Copy)]
pub(super) struct ReadContext<'a> {
    pub(super) source: &'a str,
    /// The folder of the file: relative paths start here.
    pub(super) folder: &'a Path,
    pub(super) references: ReferenceMode<'a>,
    pub(super) env: VariableLookup<'a>,
}

impl<'a> ReadContext<'a> {
    pub(super) fn values(&self, section: &'a ConfigSection<'a>) -> TableValues<'a> {
        TableValues { section, source: self.source, references: self.references }
    }

    /// For values that name places, which every command must know.
    pub(super) fn places(&self, section: &'a ConfigSection<'a>) -> TableValues<'a> {
        TableValues { section, source: self.source, references: ReferenceMode::Resolve(self.env) }
    }
}

/// Access to the values of one table.
pub(super) struct TableValues<'a> {
    pub(super) section: &'a ConfigSection<'a>,
    pub(super) source: &'a str,
    pub(super) references: ReferenceMode<'a>,
}

/// The wording of messages about an address.
pub(super) struct UrlForm {
    pub(super) expected: &'static str,
    /// The alternative to writing a password into it.
    pub(super) instead_of_password: &'static str,
}

/// Headers that only the gateway can set correctly.
pub(super) struct OwnHeaders {
    pub(super) names: &'static [&'static str],
    pub(super) expected: &'static str,
    /// The permission of the others to name secrets of the vault.
    pub(super) vault: VaultReferences,
}

const SECRET_CHARS_MIN: usize = 16;
const REFERENCE: &str = "`${NAME}` or `${NAME:-default}`";

impl TableValues<'_> {
    /// An address to dial.
    pub(super) fn url(&self, key: &str, form: &UrlForm, problems: &mut ConfigProblems) -> Option<String> {
        let url = self.section.string(key, problems)?;
        self.checked_url(key, &url, form, problems)
    }

    pub(super) fn checked_url(
        &self,
        key: &str,
        url: &Located<&str>,
        form: &UrlForm,
        problems: &mut ConfigProblems,
    ) -> Option<String> {
        let expanded = self.expand(key, url, problems)?;
        if self.is_kept(url.value) {
            return Some(expanded);
        }
        let title = self.section.title();
        let mut refuse = |what: &str, hint: &str| {
            problems.add(url.span.clone(), format!("`{key}` in {title} {what}"), form.expected, hint);
        };
        match Url::parse(&expanded) {
            Err(error) => refuse(&format!("is not a URL: {error}"), "start with `http://` or `https://`"),
            Ok(parsed) if !matches!(parsed.scheme(), "http" | "https") => {
                refuse(
                    &format!("has the scheme `{}`", parsed.scheme()),
                    "only `http` and `https` can be dialled",
                );
            }
            Ok(parsed) if !parsed.username().is_empty() || parsed.password().is_some() => {
                refuse("holds a user name or password", form.instead_of_password);
            }
            Ok(mut parsed) => {
                parsed.set_fragment(None);
                return Some(parsed.into());
            }
        }
        None
    }

    /// A key to sign with. Messages never contain it, nor its length.
    pub(super) fn secret(&self, key: &str, problems: &mut ConfigProblems) -> Option<String> {
        let secret = self.section.string(key, problems)?;
        let expanded = self.expand(key, &secret, problems)?;
        if !self.is_kept(secret.value) && expanded.chars().count() < SECRET_CHARS_MIN {
            let what = format!("`{key}` in {} is too short", self.section.title());
            let expected = format!("at least {SECRET_CHARS_MIN} characters that cannot be guessed");
            let hint = "`openssl rand -hex 32` makes one; keep it in the environment: `${NAME}`";
            problems.add(secret.span, what, expected, hint);
            return None;
        }
        Some(expanded)
    }

    /// A path, from the folder of the file.
    pub(super) fn path(
        &self,
        key: &str,
        folder: &Path,
        problems: &mut ConfigProblems,
    ) -> Option<Located<PathBuf>> {
        let path = self.section.string(key, problems)?;
        let expanded = self.path_text(key, &path, problems)?;
        if expanded.trim().is_empty() {
            let what = format!("`{key}` in {} is empty", self.section.title());
            let expected = "a path, absolute or from the folder of this file";
            problems.add(path.span, what, expected, "leave the key out to do without");
            return None;
        }
        let value = if self.is_kept(path.value) { expanded.into() } else { folder.join(expanded) };
        Some(Located { value, span: path.span })
    }

    /// `headers`, except those in `own`, which the gateway sets itself.
    pub(super) fn headers(
        &self,
        own: &OwnHeaders,
        problems: &mut ConfigProblems,
    ) -> BTreeMap<String, String> {
        let mut headers: BTreeMap<String, String> = BTreeMap::new();
        for (name, value) in self.section.string_map("headers", problems) {
            let key = format!("headers.{}", name.value);
            if !self.header_name_fits(&name, own, &headers, problems) {
                continue;
            }
            let Some(expanded) = self.expand_beside(&key, &value, own.vault, problems) else { continue };
            if HeaderValue::from_str(&expanded).is_err() {
                let what =
                    format!("the value of `{key}` in {} is not legal in a header", self.section.title());
                let expected = "one line of visible ASCII characters";
                let hint =
                    "line breaks and control characters are not allowed, nor is a line break in a variable";
                problems.add(value.span, what, expected, hint);
                continue;
            }
            headers.insert(name.value.to_owned(), expanded);
        }
        headers
    }

    fn header_name_fits(
        &self,
        name: &Located<&str>,
        own: &OwnHeaders,
        headers: &BTreeMap<String, String>,
        problems: &mut ConfigProblems,
    ) -> bool {
        let title = self.section.title();
        let expected = "a header name such as `Authorization`";
        let Ok(parsed) = HeaderName::from_bytes(name.value.as_bytes()) else {
            let what = format!("{:?} in `headers` of {title} is not a header name", name.value);
            problems.add(
                name.span.clone(),
                what,
                expected,
                "letters, digits and `-` only, without the colon",
            );
            return false;
        };
        if own.names.contains(&parsed.as_str()) {
            let what = format!("`{}` in `headers` of {title} is set by Toolgate itself", name.value);
            problems.add(name.span.clone(), what, own.expected, "remove it");
            return false;
        }
        if headers.keys().any(|other| other.eq_ignore_ascii_case(name.value)) {
            let what = format!("the header `{}` of {title} is given twice", name.value);
            problems.add(name.span.clone(), what, "each header once", "header names do not differ by case");
            return false;
        }
        true
    }

    pub(super) fn path_text(
        &self,
        key: &str,
        path: &Located<&str>,
        problems: &mut ConfigProblems,
    ) -> Option<String> {
        if path.value == "~" || path.value.starts_with("~/") {
            let what = format!("`~` at the start of `{key}` in {} is not expanded", self.section.title());
            let expected = "an absolute path, or one from the folder of this file";
            let hint = format!("write `${{HOME}}{}`", &path.value[1..]);
            problems.add(path.span.clone(), what, expected, hint);
            return None;
        }
        self.plain(key, path, problems)
    }

    /// Expands and refuses text that no operating system accepts.
    pub(super) fn plain(
        &self,
        key: &str,
        text: &Located<&str>,
        problems: &mut ConfigProblems,
    ) -> Option<String> {
        self.plain_beside(key, text, VaultReferences::Refused, problems)
    }

    pub(super) fn plain_beside(
        &self,
        key: &str,
        text: &Located<&str>,
        vault: VaultReferences,
        problems: &mut ConfigProblems,
    ) -> Option<String> {
        let expanded = self.expand_beside(key, text, vault, problems)?;
        if expanded.contains('\0') {
            let what = format!("`{key}` in {} contains a NUL character", self.section.title());
            problems.add(text.span.clone(), what, "text without NUL", "remove `\\u0000`");
            return None;
        }
        Some(expanded)
    }

    pub(super) fn is_kept(&self, written: &str) -> bool {
        matches!(self.references, ReferenceMode::Keep) && written.contains("${")
    }

    pub(super) fn expand(
        &self,
        key: &str,
        text: &Located<&str>,
        problems: &mut ConfigProblems,
    ) -> Option<String> {
        self.expand_beside(key, text, VaultReferences::Refused, problems)
    }

    fn expand_beside(
        &self,
        key: &str,
        text: &Located<&str>,
        vault: VaultReferences,
        problems: &mut ConfigProblems,
    ) -> Option<String> {
        let env = match self.references {
            ReferenceMode::Resolve(env) => env,
            // Even if no value is needed, a reference that can never resolve is refused.
            ReferenceMode::Keep => &|_: &str| Some(String::new()),
        };
        match (reference::expand_beside(text.value, env, vault), self.references) {
            (Ok(expanded), ReferenceMode::Resolve(_)) => Some(expanded),
            (Ok(_), ReferenceMode::Keep) => Some(text.value.to_owned()),
            (Err(bad), _) => {
                self.bad_reference(key, text, bad, problems);
                None
            }
        }
    }

    fn bad_reference(
        &self,
        key: &str,
        text: &Located<&str>,
        bad: BadReference,
        problems: &mut ConfigProblems,
    ) {
        let title = self.section.title();
        let source = self.source;
        match bad {
            BadReference::Missing { name } => problems.add(
                narrowed(source, text, &format!("${{{name}")),
                format!("{title}, `{key}`: the environment variable `{name}` is not set"),
                "a value in the environment for every `${NAME}`",
                format!("`export {name}=…` before the start, or give a default: `${{{name}:-default}}`"),
            ),
            BadReference::Unclosed => problems.add(
                narrowed(source, text, "${"),
                format!("{title}, `{key}`: a `${{` is never closed"),
                REFERENCE,
                "add the `}`, or write `$$` for a plain dollar sign",
            ),
            BadReference::Name { name } => problems.add(
                narrowed(source, text, &format!("${{{name}")),
                format!("{title}, `{key}`: {name:?} cannot name an environment variable"),
                REFERENCE,
                "letters, digits and `_` only; write `$$` for a plain dollar sign",
            ),
            BadReference::Nested => problems.add(
                narrowed(source, text, "${"),
                format!("{title}, `{key}`: a default may not hold another reference"),
                REFERENCE,
                "give the default as plain text",
            ),
            BadReference::VaultName { name } => problems.add(
                narrowed(source, text, &format!("${{vault:{name}")),
                format!("{title}, `{key}`: {name:?} cannot name a secret of the vault"),
                format!(
                    "`${{vault:NAME}}` with 1 to {SECRET_NAME_CHARS_MAX} letters, digits, `.`, `_` and `-`"
                ),
                "a secret has no default; `toolgate secrets set SERVER NAME` stores one",
            ),
            BadReference::VaultElsewhere { name } => problems.add(
                narrowed(source, text, &format!("${{vault:{name}")),
                format!("{title}, `{key}`: a secret of the vault cannot stand here"),
                "`${vault:NAME}` only in `headers` and `env` of a server",
                "use a variable of the environment here: `${NAME}`",
            ),
        }
    }
}

/// The range of `part` within a string value, if it occurs there unescaped; otherwise the whole value.
fn narrowed(source: &str, text: &Located<&str>, part: &str) -> Range<usize> {
    match source[text.span.clone()].find(part) {
        Some(at) => {
            let start = text.span.start + at;
            let end = source[start..text.span.end].find('}').map_or(start + part.len(), |at| start + at + 1);
            start..end
        }
        None => text.span.clone(),
    }
}

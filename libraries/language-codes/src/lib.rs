//! Languages by their codes and by their English names. Detecting a language and reading it are elsewhere.

mod table;

use table::LANGUAGES;

/// A language as people and programs name it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Language {
    /// BCP 47: `en`, and `zh-Hant` where the script matters.
    pub code: &'static str,
    /// Three letters, as language detectors have them: `eng`.
    pub iso_639_3: &'static str,
    /// In English.
    pub name: &'static str,
    /// Codes of its group and of older lists, and other names.
    others: &'static [&'static str],
}

impl Language {
    fn is_called(&self, said: &str) -> bool {
        let mut names = [self.code, self.iso_639_3, self.name].into_iter().chain(self.others.iter().copied());
        names.any(|name| name.to_lowercase() == said)
    }
}

/// The language with this code of ISO 639-3.
pub fn by_iso_639_3(code: &str) -> Option<&'static Language> {
    LANGUAGES.iter().find(|language| language.iso_639_3 == code)
}

/// The language with this code or name; a region, as in `en-GB` or `en_GB`, does not matter.
pub fn find(said: &str) -> Option<&'static Language> {
    let said = said.trim().replace('_', "-").to_lowercase();
    let called = |said: &str| LANGUAGES.iter().find(|language| language.is_called(said));
    called(&said).or_else(|| called(said.split_once('-')?.0))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    fn code_of(said: &str) -> Option<&'static str> {
        find(said).map(|language| language.code)
    }

    #[test]
    fn languages_are_found_by_any_of_their_names() {
        for said in ["en", "eng", "English", "en-US", " EN_gb "] {
            assert_eq!(code_of(said), Some("en"), "{said}");
        }
        assert_eq!(code_of("zh-CN"), Some("zh"));
        assert_eq!(code_of("zh_hant"), Some("zh-Hant"));
        assert_eq!(code_of("Slovene"), code_of("Slovenian"));
        assert_eq!(code_of("klingon"), None);
        assert_eq!(code_of(""), None);
    }

    #[test]
    fn norwegian_has_one_code() {
        for said in ["nb", "nob", "no", "nor", "no-NO", "Norwegian", "NORWEGIAN BOKMÅL"] {
            assert_eq!(code_of(said), Some("nb"), "{said}");
        }
        assert_eq!(by_iso_639_3("nob").map(|language| language.code), Some("nb"));
    }

    #[test]
    fn codes_and_names_belong_to_one_language_each() {
        let mut seen = BTreeSet::new();
        for language in LANGUAGES.iter().filter(|language| !language.code.contains('-')) {
            for name in [language.code, language.iso_639_3, language.name].iter().chain(language.others) {
                assert!(seen.insert(name.to_lowercase()), "{name} is there twice");
            }
        }
    }
}

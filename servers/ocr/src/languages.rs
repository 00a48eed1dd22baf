//! Languages by their names, and which of them PP-OCR has the letters of.

/// A language as people and programs name it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Language {
    /// As in web pages: `en`.
    pub code: &'static str,
    /// As Tesseract names it: `eng`.
    pub tesseract: &'static str,
    pub name: &'static str,
    by_ppocr: bool,
}

impl Language {
    /// By any of its names; regions, as in `en-GB`, do not matter where they do not change the letters.
    pub fn find(said: &str) -> Option<&'static Self> {
        let said = said.trim().replace('_', "-").to_lowercase();
        let matches = |language: &&Language, said: &str| {
            language.code.eq_ignore_ascii_case(said)
                || language.tesseract.replace('_', "-") == said
                || language.name.eq_ignore_ascii_case(said)
        };
        let exact = LANGUAGES.iter().find(|language| matches(language, &said));
        exact.or_else(|| {
            let (base, _) = said.split_once('-')?;
            LANGUAGES.iter().find(|language| matches(language, base))
        })
    }

    /// True if PP-OCR knows all letters of the language.
    pub fn is_read_by_ppocr(&self) -> bool {
        self.by_ppocr
    }

    /// All that PP-OCR reads.
    pub(crate) fn of_ppocr() -> impl Iterator<Item = &'static Self> {
        LANGUAGES.iter().filter(|language| language.by_ppocr)
    }
}

const fn by_ppocr(code: &'static str, tesseract: &'static str, name: &'static str) -> Language {
    Language { code, tesseract, name, by_ppocr: true }
}

const fn by_tesseract(code: &'static str, tesseract: &'static str, name: &'static str) -> Language {
    Language { code, tesseract, name, by_ppocr: false }
}

const LANGUAGES: &[Language] = &[
    by_ppocr("en", "eng", "English"),
    by_ppocr("de", "deu", "German"),
    by_ppocr("fr", "fra", "French"),
    by_ppocr("es", "spa", "Spanish"),
    by_ppocr("pt", "por", "Portuguese"),
    by_ppocr("it", "ita", "Italian"),
    by_ppocr("nl", "nld", "Dutch"),
    by_ppocr("sv", "swe", "Swedish"),
    by_ppocr("da", "dan", "Danish"),
    by_ppocr("no", "nor", "Norwegian"),
    by_ppocr("fi", "fin", "Finnish"),
    by_ppocr("is", "isl", "Icelandic"),
    by_ppocr("pl", "pol", "Polish"),
    by_ppocr("cs", "ces", "Czech"),
    by_ppocr("sk", "slk", "Slovak"),
    by_ppocr("sl", "slv", "Slovenian"),
    by_ppocr("hr", "hrv", "Croatian"),
    by_ppocr("bs", "bos", "Bosnian"),
    by_ppocr("hu", "hun", "Hungarian"),
    by_ppocr("ro", "ron", "Romanian"),
    by_ppocr("tr", "tur", "Turkish"),
    by_ppocr("az", "aze", "Azerbaijani"),
    by_ppocr("et", "est", "Estonian"),
    by_ppocr("lv", "lav", "Latvian"),
    by_ppocr("lt", "lit", "Lithuanian"),
    by_ppocr("sq", "sqi", "Albanian"),
    by_ppocr("mt", "mlt", "Maltese"),
    by_ppocr("ga", "gle", "Irish"),
    by_ppocr("cy", "cym", "Welsh"),
    by_ppocr("ca", "cat", "Catalan"),
    by_ppocr("gl", "glg", "Galician"),
    by_ppocr("eu", "eus", "Basque"),
    by_ppocr("af", "afr", "Afrikaans"),
    by_ppocr("id", "ind", "Indonesian"),
    by_ppocr("ms", "msa", "Malay"),
    by_ppocr("sw", "swa", "Swahili"),
    by_ppocr("la", "lat", "Latin"),
    by_ppocr("zh", "chi_sim", "Chinese"),
    by_ppocr("zh-Hant", "chi_tra", "Traditional Chinese"),
    by_ppocr("ja", "jpn", "Japanese"),
    by_tesseract("ar", "ara", "Arabic"),
    by_tesseract("be", "bel", "Belarusian"),
    by_tesseract("bg", "bul", "Bulgarian"),
    by_tesseract("bn", "ben", "Bengali"),
    by_tesseract("el", "ell", "Greek"),
    by_tesseract("fa", "fas", "Persian"),
    by_tesseract("he", "heb", "Hebrew"),
    by_tesseract("hi", "hin", "Hindi"),
    by_tesseract("hy", "hye", "Armenian"),
    by_tesseract("ka", "kat", "Georgian"),
    by_tesseract("ko", "kor", "Korean"),
    by_tesseract("mk", "mkd", "Macedonian"),
    by_tesseract("ru", "rus", "Russian"),
    by_tesseract("sr", "srp", "Serbian"),
    by_tesseract("ta", "tam", "Tamil"),
    by_tesseract("th", "tha", "Thai"),
    by_tesseract("uk", "ukr", "Ukrainian"),
    by_tesseract("ur", "urd", "Urdu"),
    by_tesseract("vi", "vie", "Vietnamese"),
];

#[cfg(test)]
mod tests {
    use super::*;

    fn code_of(said: &str) -> Option<&'static str> {
        Language::find(said).map(|language| language.code)
    }

    #[test]
    fn languages_are_found_by_any_of_their_names() {
        for said in ["en", "eng", "English", "en-US", "EN_gb"] {
            assert_eq!(code_of(said), Some("en"), "{said}");
        }
        assert_eq!(code_of("chi_sim"), Some("zh"));
        assert_eq!(code_of("zh-Hant"), Some("zh-Hant"));
        assert_eq!(code_of("zh-CN"), Some("zh"));
        assert_eq!(code_of("klingon"), None);
        assert_eq!(code_of(""), None);
    }

    #[test]
    fn russian_is_not_among_what_ppocr_reads() {
        assert!(!Language::find("ru").unwrap().is_read_by_ppocr());
        assert!(Language::of_ppocr().any(|language| language.code == "ja"));
    }
}

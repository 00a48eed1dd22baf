//! The languages of both readers: which of them PP-OCR has the letters of, and how Tesseract calls them.

/// A language that a reader knows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct OcrLanguage {
    /// As in web pages: `en`.
    pub code: &'static str,
    /// As Tesseract names it: `eng`.
    pub tesseract: &'static str,
    by_ppocr: bool,
}

impl OcrLanguage {
    /// By any of its names; regions, as in `en-GB`, do not matter where they do not change the letters.
    pub fn find(said: &str) -> Option<&'static Self> {
        let said = said.trim();
        LANGUAGES.iter().find(|language| language.tesseract.eq_ignore_ascii_case(said)).or_else(|| {
            let known = language_codes::find(said)?;
            LANGUAGES.iter().find(|language| language.code == known.code)
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

const fn by_ppocr(code: &'static str, tesseract: &'static str) -> OcrLanguage {
    OcrLanguage { code, tesseract, by_ppocr: true }
}

const fn by_tesseract(code: &'static str, tesseract: &'static str) -> OcrLanguage {
    OcrLanguage { code, tesseract, by_ppocr: false }
}

const LANGUAGES: &[OcrLanguage] = &[
    by_ppocr("en", "eng"),
    by_ppocr("de", "deu"),
    by_ppocr("fr", "fra"),
    by_ppocr("es", "spa"),
    by_ppocr("pt", "por"),
    by_ppocr("it", "ita"),
    by_ppocr("nl", "nld"),
    by_ppocr("sv", "swe"),
    by_ppocr("da", "dan"),
    by_ppocr("nb", "nor"),
    by_ppocr("fi", "fin"),
    by_ppocr("is", "isl"),
    by_ppocr("pl", "pol"),
    by_ppocr("cs", "ces"),
    by_ppocr("sk", "slk"),
    by_ppocr("sl", "slv"),
    by_ppocr("hr", "hrv"),
    by_ppocr("bs", "bos"),
    by_ppocr("hu", "hun"),
    by_ppocr("ro", "ron"),
    by_ppocr("tr", "tur"),
    by_ppocr("az", "aze"),
    by_ppocr("et", "est"),
    by_ppocr("lv", "lav"),
    by_ppocr("lt", "lit"),
    by_ppocr("sq", "sqi"),
    by_ppocr("mt", "mlt"),
    by_ppocr("ga", "gle"),
    by_ppocr("cy", "cym"),
    by_ppocr("ca", "cat"),
    by_ppocr("gl", "glg"),
    by_ppocr("eu", "eus"),
    by_ppocr("af", "afr"),
    by_ppocr("id", "ind"),
    by_ppocr("ms", "msa"),
    by_ppocr("sw", "swa"),
    by_ppocr("la", "lat"),
    by_ppocr("zh", "chi_sim"),
    by_ppocr("zh-Hant", "chi_tra"),
    by_ppocr("ja", "jpn"),
    by_tesseract("ar", "ara"),
    by_tesseract("be", "bel"),
    by_tesseract("bg", "bul"),
    by_tesseract("bn", "ben"),
    by_tesseract("el", "ell"),
    by_tesseract("fa", "fas"),
    by_tesseract("he", "heb"),
    by_tesseract("hi", "hin"),
    by_tesseract("hy", "hye"),
    by_tesseract("ka", "kat"),
    by_tesseract("ko", "kor"),
    by_tesseract("mk", "mkd"),
    by_tesseract("ru", "rus"),
    by_tesseract("sr", "srp"),
    by_tesseract("ta", "tam"),
    by_tesseract("th", "tha"),
    by_tesseract("uk", "ukr"),
    by_tesseract("ur", "urd"),
    by_tesseract("vi", "vie"),
];

#[cfg(test)]
mod tests {
    use super::*;

    fn code_of(said: &str) -> Option<&'static str> {
        OcrLanguage::find(said).map(|language| language.code)
    }

    #[test]
    fn languages_are_found_by_any_of_their_names() {
        for said in ["en", "eng", "English", "en-US", "EN_gb"] {
            assert_eq!(code_of(said), Some("en"), "{said}");
        }
        assert_eq!(code_of("chi_sim"), Some("zh"));
        assert_eq!(code_of("zh-Hant"), Some("zh-Hant"));
        assert_eq!(code_of("zh-CN"), Some("zh"));
        assert_eq!(code_of("Traditional Chinese"), Some("zh-Hant"));
        for said in ["nb", "no", "nor", "Norwegian"] {
            assert_eq!(code_of(said), Some("nb"), "{said}");
        }
        assert_eq!(code_of("klingon"), None);
        assert_eq!(code_of(""), None);
    }

    #[test]
    fn every_code_is_one_of_the_common_table() {
        for language in LANGUAGES {
            assert_eq!(code_of(language.code), Some(language.code));
        }
    }

    #[test]
    fn russian_is_not_among_what_ppocr_reads() {
        assert!(!OcrLanguage::find("ru").unwrap().is_read_by_ppocr());
        assert!(OcrLanguage::of_ppocr().any(|language| language.code == "ja"));
    }
}

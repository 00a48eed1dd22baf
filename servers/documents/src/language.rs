//! The language of a document. Two detectors check it: one knows sixteen languages very well, the other
//! seventy.

use language_codes::by_iso_639_3;
use whatlang::{Lang, Script};

/// This much of a text is as good as all of it.
const SAMPLE_CHARS: usize = 8_000;
/// With fewer letters the language is known only if the script determines it.
const LETTERS_MIN: usize = 12;
/// Sure enough to be said.
const CONFIDENCE_MIN: f64 = 0.15;
/// If both detectors agree.
const CONFIDENCE_AGREED: f64 = 0.9;

/// A language with how sure it is.
#[derive(Clone, PartialEq, Debug)]
pub struct Language {
    /// The two-letter code of ISO 639-1 if there is one, otherwise the three-letter code of ISO 639-3.
    pub code: String,
    /// 0 to 1.
    pub confidence: f32,
}

/// The language of a text, or `None` if the text is too short or too mixed to tell.
pub fn language(text: &str) -> Option<Language> {
    let sample: String =
        text.chars().filter(|character| !character.is_numeric()).take(SAMPLE_CHARS).collect();
    let letters = sample.chars().filter(|character| character.is_alphabetic()).count();
    let info = whatlang::detect(&sample)?;
    if let Some(lang) = by_script(&sample, info.script()) {
        return Some(told(lang.code(), 0.99));
    }
    if letters < LETTERS_MIN {
        return None;
    }
    let second = whichlang::detect_language(&sample).three_letter_code();
    let (code, confidence) = match info.lang().code() {
        first if first == second => (first, info.confidence().max(CONFIDENCE_AGREED)),
        first if info.is_reliable() => (first, info.confidence() * CONFIDENCE_AGREED),
        // Both languages are in the other's book and they disagree: the better one decides, and is not sure.
        first if knows(first) => (second, 0.5 * (1.0 - info.confidence())),
        first => (first, info.confidence() * 0.5),
    };
    (confidence >= CONFIDENCE_MIN).then(|| told(code, confidence))
}

/// Scripts that are used for one language only, even if there are just a few characters.
fn by_script(text: &str, script: Script) -> Option<Lang> {
    let kana = text.chars().filter(|character| matches!(character, '\u{3041}'..='\u{30ff}')).count();
    let han = text.chars().filter(|character| matches!(character, '\u{4e00}'..='\u{9fff}')).count();
    match script {
        // Japanese writes Chinese characters too, but never a page without its own.
        Script::Mandarin | Script::Hiragana | Script::Katakana if kana * 20 > han => Some(Lang::Jpn),
        Script::Mandarin if han > 1 => Some(Lang::Cmn),
        Script::Hangul => Some(Lang::Kor),
        Script::Thai => Some(Lang::Tha),
        Script::Greek => Some(Lang::Ell),
        Script::Georgian => Some(Lang::Kat),
        _ => None,
    }
}

fn knows(code: &str) -> bool {
    let known = "ara cmn deu eng fra hin ita jpn kor nld por rus spa swe tur vie";
    known.split(' ').any(|known| known == code)
}

fn told(code: &str, confidence: f64) -> Language {
    Language {
        code: by_iso_639_3(code).map_or(code, |language| language.code).to_owned(),
        confidence: confidence.clamp(0.0, 1.0) as f32,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code(text: &str) -> Option<String> {
        language(text).map(|language| language.code)
    }

    #[test]
    fn common_languages_are_told_apart() {
        let cases = [
            ("en", "The quick brown fox jumps over the lazy dog and runs into the forest."),
            ("de", "Der schnelle braune Fuchs springt über den faulen Hund und läuft in den Wald."),
            ("fr", "Le renard brun rapide saute par-dessus le chien paresseux et court vers la forêt."),
            ("ru", "Быстрая коричневая лиса прыгает через ленивую собаку и бежит в лес."),
            ("ar", "الثعلب البني السريع يقفز فوق الكلب الكسول ويجري إلى الغابة."),
            ("he", "השועל החום המהיר קופץ מעל הכלב העצלן ורץ אל היער."),
            ("fi", "Nopea ruskea kettu hyppää laiskan koiran yli ja juoksee metsään tänään."),
        ];
        for (expected, text) in cases {
            assert_eq!(code(text).as_deref(), Some(expected), "{text}");
        }
    }

    #[test]
    fn a_few_characters_are_enough_where_the_script_tells() {
        assert_eq!(code("履歴書をご覧ください").as_deref(), Some("ja"));
        assert_eq!(code("简历").as_deref(), Some("zh"));
        assert_eq!(code("이력서").as_deref(), Some("ko"));
    }

    #[test]
    fn nothing_is_said_of_what_is_no_language() {
        assert_eq!(code(""), None);
        assert_eq!(code("12 345 678 — 90 %"), None);
        assert_eq!(code("ok"), None);
    }
}

//! Languages of sentences, words and mixtures.

use super::*;

fn check(text: &str, expected: &str) {
    let detected = detect(text);
    assert_eq!(detected.language.as_deref(), Some(expected), "{text}: {detected:?}");
    assert!(!detected.unsure, "{text}: {detected:?}");
}

#[test]
fn whole_sentences_are_recognised() {
    check("The report describes how the new bridge was built and what it cost.", "en");
    check("Der Bericht beschreibt, wie die neue Brücke gebaut wurde und was sie gekostet hat.", "de");
    check("Le rapport décrit comment le nouveau pont a été construit et ce qu'il a coûté.", "fr");
    check("El informe describe cómo se construyó el nuevo puente y cuánto costó.", "es");
    check("Il rapporto descrive come è stato costruito il nuovo ponte e quanto è costato.", "it");
    check("O relatório descreve como a nova ponte foi construída e quanto custou.", "pt");
    check("Het rapport beschrijft hoe de nieuwe brug is gebouwd en wat die heeft gekost.", "nl");
    check("Raport opisuje, jak zbudowano nowy most i ile kosztował.", "pl");
    check("В отчёте описано, как был построен новый мост и сколько он стоил.", "ru");
    check("التقرير يصف كيف تم بناء الجسر الجديد وكم كلف", "ar");
    check("הדוח מתאר כיצד נבנה הגשר החדש וכמה עלה", "he");
}

#[test]
fn scripts_of_one_language_need_few_letters() {
    check("東京は大きい", "ja");
    check("这座桥很长", "zh");
    check("다리가 길다", "ko");
    check("γέφυρα", "el");
}

#[test]
fn short_texts_are_unsure() {
    for text in ["ok", "Hotel", "no", "a b"] {
        assert!(detect(text).unsure, "{text}: {:?}", detect(text));
    }
}

#[test]
fn without_letters_there_is_no_language() {
    for text in ["", "   \n", "12345 — 678", "😀😀😀"] {
        assert_eq!(detect(text), nothing(), "{text}");
    }
}

#[test]
fn parts_in_two_languages_are_told_with_their_shares() {
    let text = "The weather was beautiful yesterday and we walked along the river for hours. \
                Gestern war das Wetter sehr schön und wir sind stundenlang am Fluss spazieren gegangen.";
    let detected = detect(text);
    let languages: Vec<_> = detected.languages.iter().map(|share| share.language.as_str()).collect();
    assert!(languages.contains(&"en") && languages.contains(&"de"), "{detected:?}");
    assert!(detected.languages.iter().map(|share| share.share).sum::<f64>() > 0.95);
}

#[test]
fn languages_are_known_by_code_and_by_name() {
    assert_eq!(known_language("de"), Some(("de", "German")));
    assert_eq!(known_language("de-AT"), Some(("de", "German")));
    assert_eq!(known_language("eng"), Some(("en", "English")));
    assert_eq!(known_language("French"), Some(("fr", "French")));
    assert_eq!(known_language("zh-Hant"), Some(("zh", "Chinese")));
    assert_eq!(known_language("Icelandic"), None, "no detector knows it");
    assert_eq!(known_language("Klingon"), None);
}

#[test]
fn every_language_of_the_detectors_has_a_code_and_a_name() {
    for lang in Lang::all() {
        assert!(by_iso_639_3(lang.code()).is_some(), "{lang:?}");
    }
}

#[test]
fn norwegian_is_nb_however_it_is_named() {
    assert_eq!(iso_639_1(Lang::Nob), "nb");
    for said in ["nb", "no", "Norwegian"] {
        assert_eq!(known_language(said), Some(("nb", "Norwegian Bokmål")), "{said}");
    }
}

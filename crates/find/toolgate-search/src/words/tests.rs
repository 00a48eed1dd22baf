//! Examples of texts and their words.

use super::*;

fn check(text: &str, expected: &str) {
    let plain = words(text).into_iter().filter(|word| word.kind == WordKind::Plain);
    assert_eq!(plain.map(|word| word.text).collect::<Vec<_>>().join(" "), expected, "{text}");
}

fn stems(text: &str) -> Vec<String> {
    words(text).iter().map(|word| stem(&word.text).into_owned()).collect()
}

#[test]
fn names_come_apart_at_every_border() {
    check("create_issue", "create issue");
    check("API-post-search", "api post search");
    check("getUserProfileById", "get user profile by id");
    check("parseHTTPResponse", "parse http response");
    check("fileURLs and PRs", "file urls and prs");
    check("github:create.issue/now", "github create issue now");
}

#[test]
fn letters_stay_with_their_digits_only_when_they_are_few() {
    check("s3 k8s h264 issue42 base64", "s3 k8s h264 issue 42 base 64");
}

#[test]
fn what_was_written_as_one_word_is_also_one_word() {
    let compounds = words("GitHub createIssue getUserProfileById");
    let compounds = compounds.iter().filter(|word| word.kind == WordKind::Compound);
    assert_eq!(compounds.map(|word| word.text.as_str()).collect::<Vec<_>>(), ["github", "createissue"]);
}

#[test]
fn case_and_accents_do_not_count() {
    check("Überprüfung CAFÉ naïve", "uberprufung cafe naive");
    check("Ａｐｐｌｅ", "apple");
    check("Ёлка ПОИСК", "елка поиск");
}

#[test]
fn an_apostrophe_does_not_end_a_word() {
    check("the user's and don’t", "the users and dont");
}

#[test]
fn scripts_without_spaces_are_cut_into_pairs() {
    check("查询天气", "查询 询天 天气");
    check("使用Bing搜索", "使用 bing 搜索");
    check("ガイド", "ガイ イド");
    check("字", "字");
}

#[test]
fn korean_and_cyrillic_stay_words() {
    check("날씨 검색", "날씨 검색");
    check("найти файл", "наити фаил");
}

#[test]
fn plurals_and_forms_of_a_verb_have_one_stem() {
    assert_eq!(stems("repositories searching"), stems("repository searched"));
}

#[test]
fn encoded_data_is_not_words() {
    check(&"a".repeat(1_000), "");
}

#[test]
fn a_name_has_one_key_however_it_is_written() {
    for name in ["createIssue", "create-issue", "Create Issue", "create__issue"] {
        assert_eq!(name_key(name), "create_issue");
    }
    assert_eq!(name_key("github:createIssue"), name_key("github__createIssue"));
    assert_eq!(name_key(" -- "), "");
}

#[test]
fn filler_is_sorted_so_that_it_can_be_searched() {
    assert!(is_filler("a") && is_filler("please") && is_filler("your"));
    assert!(!is_filler("create") && !is_filler("channel"));
    filler::assert_sorted();
}

#[test]
fn alike_words_name_one_another() {
    let other = |word: &str| alike(&stem(word)).to_vec();
    assert!(other("photos").contains(&stem("picture").into_owned()));
    assert!(other("picture").contains(&stem("photo").into_owned()));
    assert!(!other("photo").contains(&stem("photo").into_owned()));
    assert!(other("xyzzy").is_empty());
}

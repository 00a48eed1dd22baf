//! The ends of sentences.

use proptest::prelude::*;

use super::*;

fn check(text: &str, expected: &[&str]) {
    let found: Vec<_> = sentences(text).iter().map(|sentence| sentence.text).collect();
    assert_eq!(found, expected);
}

#[test]
fn points_end_sentences() {
    check("It rains. We stay! Do you? Yes…", &["It rains.", "We stay!", "Do you?", "Yes…"]);
}

#[test]
fn abbreviations_and_initials_do_not() {
    check(
        "Dr. Smith and J. R. Doe met at 5 p.m. in Washington, D.C. on Monday. They left.",
        &["Dr. Smith and J. R. Doe met at 5 p.m. in Washington, D.C. on Monday.", "They left."],
    );
    check(
        "See e.g. Fig. 3 of Prof. Meyer et al. for details. Done.",
        &["See e.g. Fig. 3 of Prof. Meyer et al. for details.", "Done."],
    );
    check(
        "Am 3. Mai kam er z.B. Nach Hause. Dann nicht.",
        &["Am 3. Mai kam er z.B. Nach Hause.", "Dann nicht."],
    );
}

#[test]
fn numbers_and_addresses_stay_whole() {
    check("Pi is 3.14 and example.com is a site. Next.", &["Pi is 3.14 and example.com is a site.", "Next."]);
}

#[test]
fn an_ellipsis_before_a_small_letter_goes_on() {
    check(
        "Well... maybe not. Or… perhaps. Hm... Then so.",
        &["Well... maybe not.", "Or… perhaps.", "Hm...", "Then so."],
    );
}

#[test]
fn quotes_close_with_their_sentence() {
    check(
        "He said “Stop!” Then he left. (She stayed.) \"Why?\" he asked.",
        &["He said “Stop!”", "Then he left.", "(She stayed.)", "\"Why?\" he asked."],
    );
}

#[test]
fn chinese_and_japanese_need_no_blank() {
    check(
        "今日は雨です。「行かない！」と言った。終わり",
        &["今日は雨です。", "「行かない！」", "と言った。", "終わり"],
    );
    check("天气很好。我们去公园吧！好吗？", &["天气很好。", "我们去公园吧！", "好吗？"]);
}

#[test]
fn other_scripts_have_their_own_signs() {
    check("هل أنت هنا؟ نعم. شكرا", &["هل أنت هنا؟", "نعم.", "شكرا"]);
    check("यह एक वाक्य है। यह दूसरा है।", &["यह एक वाक्य है।", "यह दूसरा है।"]);
}

#[test]
fn blank_lines_headings_and_bullets_end_sentences() {
    check(
        "Heading\n\nSome text that\nwraps. More\n- one\n- two\n",
        &["Heading", "Some text that\nwraps.", "More", "- one", "- two"],
    );
}

#[test]
fn a_text_without_points_is_cut_all_the_same() {
    let text = "word ".repeat(5_000);
    assert!(sentences(&text).iter().all(|sentence| sentence.text.len() <= 2 * SENTENCE_BYTES_MAX));
}

proptest! {
    #[test]
    fn sentences_are_where_they_say_and_lose_nothing(text in "\\PC{0,200}") {
        let mut end = 0;
        let mut letters = 0;
        for sentence in sentences(&text) {
            prop_assert!(sentence.start >= end);
            prop_assert_eq!(&text[sentence.start..sentence.end()], sentence.text);
            end = sentence.end();
            letters += sentence.text.chars().filter(|c| c.is_alphanumeric()).count();
        }
        prop_assert_eq!(letters, text.chars().filter(|c| c.is_alphanumeric()).count());
    }
}

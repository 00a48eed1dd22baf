//! Personal data in short texts.

use super::{FoundBy, PersonalKind, find};

fn check(text: &str, wanted: &[(PersonalKind, &str)]) {
    let found = find(text);
    for (kind, part) in wanted {
        let has = found.iter().any(|it| it.kind == *kind && &text[it.from..it.to] == *part);
        assert!(has, "{part} in {text}: {found:?}");
    }
}

#[test]
fn names_and_addresses_are_found() {
    check("My name is Helga Brandt and I live in Estonia.", &[(PersonalKind::Person, "Helga Brandt")]);
    check(
        "Please contact me at h.brandt@example.org",
        &[(PersonalKind::EmailAddress, "h.brandt@example.org")],
    );
}

#[test]
fn numbers_need_right_check_digits() {
    let cases = [
        ("DE89 3704 0044 0532 0130 00", "DE88 3704 0044 0532 0130 00"),
        ("4111 1111 1111 1111", "4111 1111 1111 1112"),
        ("12345678Z", "12345678A"),
        ("RSSMRA85T10A562S", "RSSMRA85T10A562T"),
        ("529.982.247-25", "529.982.247-26"),
        ("131052-308T", "131052-308U"),
        ("S1234567D", "S1234567E"),
        ("11010519491231002X", "110105194912310021"),
        ("811228-9874", "811228-9875"),
    ];
    for (good, bad) in cases {
        let by_digits = |text: &str| find(text).iter().any(|it| it.by == FoundBy::CheckDigits);
        assert!(by_digits(good), "{good}");
        assert!(!by_digits(bad), "{bad}");
    }
}

#[test]
fn a_number_that_needs_a_word_is_left_alone_without_it() {
    assert!(find("PESEL 44051401359").iter().any(|it| it.country == Some("PL")));
    assert!(!find("Part 44051401359").iter().any(|it| it.country == Some("PL")));
}

#[test]
fn spans_never_overlap_and_are_parts_of_the_text() {
    for text in [
        "",
        "\n\n",
        "שלום Dr. Ann O'Neil, 12 rue de Bâle\u{301}",
        "a@b.cd 4111111111111111 a@b.cd",
        "日本語のテキスト。",
    ] {
        let mut last = 0;
        for span in find(text) {
            assert!(span.from >= last && text.get(span.from..span.to).is_some(), "{text}");
            last = span.to;
        }
    }
}

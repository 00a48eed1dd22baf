//! Passages of made-up documents: what stands together, and that every place is exact.

use std::borrow::Cow;
use std::collections::BTreeMap;

use docir::ItemKind;
use proptest::prelude::*;

use super::*;

const RULE: Chunking = Chunking { words_max: 20, words_min: 5, overlap_sentences: 0 };

fn item(number: usize, kind: ItemKind, text: &str, headings: &[&str]) -> BodyItem<'static> {
    let folder = if matches!(kind, ItemKind::Table) { "tables" } else { "texts" };
    BodyItem {
        pointer: format!("#/{folder}/{number}"),
        kind,
        text: Cow::Owned(text.to_owned()),
        page: Some(1),
        headings: headings.iter().map(|heading| (*heading).to_owned()).collect(),
        confidence: None,
    }
}

fn document(parts: Vec<(ItemKind, String, Vec<&str>)>) -> Vec<BodyItem<'static>> {
    let numbered = parts.into_iter().enumerate();
    numbered.map(|(number, (kind, text, headings))| item(number, kind, &text, &headings)).collect()
}

fn cut(title: &str, items: &[BodyItem<'_>], chunking: &Chunking) -> Result<Vec<Chunk>, EngineFault> {
    let rule = SectionRule { words_max: chunking.words_max as usize, heading_rows: BTreeMap::new() };
    chunks_of(title, items, &rule, chunking)
}

fn texts(items: &[BodyItem<'_>], rule: &Chunking) -> Vec<String> {
    let chunks = cut("Title", items, rule).unwrap();
    check_places(&chunks, items);
    chunks.into_iter().map(|chunk| chunk.text).collect()
}

/// Every place is exactly that part of its item.
fn check_places(chunks: &[Chunk], items: &[BodyItem<'_>]) {
    for chunk in chunks {
        assert!(!chunk.places.is_empty());
        let text: Vec<char> = chunk.text.chars().collect();
        for place in &chunk.places {
            let item = items.iter().find(|item| item.pointer == place.span.item).expect("the item is there");
            let (start, end) = (place.span.start as usize, place.span.end as usize);
            let said: String = item.text.chars().skip(start).take(end - start).collect();
            let written: String = text[place.at..place.at + (end - start)].iter().collect();
            assert_eq!(said, written);
        }
    }
}

fn words(count: usize, word: &str) -> String {
    vec![word; count].join(" ")
}

fn sentence(count: usize, word: &str) -> String {
    format!("A {}.", words(count - 1, word))
}

#[test]
fn sentences_fill_a_passage_and_none_is_cut() {
    let text = [sentence(12, "one"), sentence(12, "two"), sentence(30, "three")].join(" ");
    let items = document(vec![(ItemKind::Paragraph, text, vec![])]);
    assert_eq!(texts(&items, &RULE), [sentence(12, "one"), sentence(12, "two"), sentence(30, "three")]);
}

#[test]
fn a_passage_repeats_the_last_sentences_of_the_one_before() {
    let text = [sentence(8, "one"), sentence(8, "two"), sentence(8, "three")].join(" ");
    let items = document(vec![(ItemKind::Paragraph, text, vec![])]);
    let rule = Chunking { overlap_sentences: 1, ..RULE };
    let found = texts(&items, &rule);
    assert_eq!(found[1], format!("{} {}", sentence(8, "two"), sentence(8, "three")));
}

#[test]
fn a_heading_parts_passages_and_stands_above_them() {
    let items = document(vec![
        (ItemKind::Heading { level: 1 }, "Above".to_owned(), vec![]),
        (ItemKind::Paragraph, "It is short.".to_owned(), vec!["Above"]),
        (ItemKind::Heading { level: 2 }, "Below".to_owned(), vec!["Above"]),
        (ItemKind::Paragraph, "It is short, too.".to_owned(), vec!["Above", "Below"]),
        (ItemKind::Heading { level: 2 }, "Nothing is here".to_owned(), vec!["Above"]),
    ]);
    let chunks = cut("Title", &items, &RULE).unwrap();
    let found: Vec<(&str, Vec<&str>)> = chunks
        .iter()
        .map(|chunk| (chunk.text.as_str(), chunk.headings.iter().map(String::as_str).collect()))
        .collect();
    assert_eq!(
        found,
        [
            ("It is short.", vec!["Above"]),
            ("It is short, too.", vec!["Above", "Below"]),
            ("Nothing is here", vec!["Above"]),
        ]
    );
    assert_eq!(chunks[1].embedded_text(), "Title\nAbove\nBelow\nIt is short, too.");
}

#[test]
fn short_passages_join_under_the_same_heading() {
    let items = document(vec![
        (ItemKind::Paragraph, sentence(18, "long"), vec![]),
        (ItemKind::Paragraph, sentence(4, "short"), vec![]),
    ]);
    assert_eq!(texts(&items, &RULE).len(), 2, "together they are too long, and there is nothing to move");
    let items = document(vec![
        (ItemKind::Paragraph, [sentence(10, "one"), sentence(10, "two")].join(" "), vec![]),
        (ItemKind::Paragraph, sentence(4, "three"), vec![]),
    ]);
    let found = texts(&items, &RULE);
    assert_eq!(found, [sentence(10, "one"), format!("{}\n{}", sentence(10, "two"), sentence(4, "three"))]);
}

#[test]
fn a_table_is_whole_or_cut_between_rows_under_its_heading_row() {
    let row = |number: usize| format!("{number} | {}", words(6, "cell"));
    let table = |rows: usize| {
        let rows: Vec<String> = (1..=rows).map(row).collect();
        format!("name | value\n{}", rows.join("\n"))
    };
    let around = |table: String| {
        document(vec![
            (ItemKind::Paragraph, sentence(12, "before"), vec![]),
            (ItemKind::Caption, "The numbers.".to_owned(), vec![]),
            (ItemKind::Table, table, vec![]),
            (ItemKind::Paragraph, sentence(12, "after"), vec![]),
        ])
    };
    let small = texts(&around(table(1)), &RULE);
    assert_eq!(small, [sentence(12, "before"), format!("The numbers.\n{}", table(1)), sentence(12, "after")]);
    let wide = Chunking { words_max: 30, ..RULE };
    let large = texts(&around(table(5)), &wide);
    assert!(large[1].starts_with("The numbers.\nname | value\n1 |"), "{large:?}");
    let rows: Vec<&str> = large[1..large.len() - 1].iter().flat_map(|text| text.lines().skip(2)).collect();
    assert_eq!(rows, (1..=5).map(row).collect::<Vec<_>>());
    for part in &large[1..large.len() - 1] {
        assert!(part.starts_with("The numbers.\nname | value\n"), "{part:?}");
    }
}

#[test]
fn a_list_stays_with_the_sentence_that_leads_to_it() {
    let list = |items: usize| {
        let lead = format!("{} There are these:", sentence(14, "before"));
        let mut parts = vec![(ItemKind::Paragraph, lead, vec![])];
        parts.extend((0..items).map(|_| (ItemKind::ListItem, words(6, "item"), vec![])));
        document(parts)
    };
    let short = texts(&list(2), &RULE);
    assert_eq!(short, [sentence(14, "before"), format!("There are these:\n{0}\n{0}", words(6, "item"))]);
    let long = texts(&list(6), &RULE);
    assert!(
        long.len() > 2 && long[1..].iter().all(|text| text.starts_with("There are these:\n")),
        "{long:?}"
    );
}

#[test]
fn code_is_whole_or_cut_between_lines() {
    let code = "let a = 1;\n\nlet b = 2;".to_owned();
    let items = document(vec![(ItemKind::Code, code.clone(), vec![])]);
    assert_eq!(texts(&items, &RULE), [code]);
}

fn kinds() -> impl Strategy<Value = u8> {
    0..8_u8
}

fn kind(number: u8) -> ItemKind {
    match number {
        0 => ItemKind::Heading { level: 2 },
        1 => ItemKind::ListItem,
        2 => ItemKind::Table,
        3 => ItemKind::Code,
        4 => ItemKind::Caption,
        _ => ItemKind::Paragraph,
    }
}

fn any_items() -> impl Strategy<Value = Vec<BodyItem<'static>>> {
    let text = "([A-Za-zäß日本 ]{1,12}[ .:!?\n|。]{0,2}){0,30}";
    let part = (kinds(), text, 0..3_usize);
    proptest::collection::vec(part, 0..12).prop_map(|parts| {
        let heading = ["One", "Two", "Three"];
        let made = parts.into_iter().map(|(number, text, at)| (kind(number), text, vec![heading[at]]));
        document(made.collect())
    })
}

fn any_rule() -> impl Strategy<Value = Chunking> {
    (8..60_u32, 0..8_u32, 0..3_u32).prop_map(|(words_max, words_min, overlap_sentences)| Chunking {
        words_max,
        words_min,
        overlap_sentences,
    })
}

/// The sentences of what is neither a table nor code, by their item, as code points.
fn sentences_of(items: &[BodyItem<'_>]) -> Vec<(String, usize, usize)> {
    let mut found = Vec::new();
    for item in items.iter().filter(|item| !matches!(item.kind, ItemKind::Table | ItemKind::Code)) {
        for sentence in capability_language::sentences(&item.text) {
            let start = item.text[..sentence.start].chars().count();
            let end = start + sentence.text.chars().count();
            found.push((item.pointer.clone(), start, end));
        }
    }
    found
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn places_are_exact_and_no_sentence_is_cut_or_lost(items in any_items(), rule in any_rule()) {
        let chunks = cut("", &items, &rule).unwrap();
        check_places(&chunks, &items);
        prop_assert_eq!(&chunks, &cut("", &items, &rule).unwrap());
        let sentences = sentences_of(&items);
        for chunk in &chunks {
            for place in &chunk.places {
                let (start, end) = (place.span.start as usize, place.span.end as usize);
                for (_, from, to) in sentences.iter().filter(|(item, ..)| *item == place.span.item) {
                    let is_apart = *to <= start || *from >= end;
                    prop_assert!(is_apart || (*from >= start && *to <= end), "a sentence is cut");
                }
            }
        }
        for (item, from, to) in &sentences {
            let is_heading = items.iter().any(|one| one.pointer == *item && matches!(one.kind, ItemKind::Heading { .. }));
            let has_it = |place: &ChunkPlace| {
                place.span.item == *item && place.span.start as usize <= *from && place.span.end as usize >= *to
            };
            prop_assert!(is_heading || chunks.iter().any(|chunk| chunk.places.iter().any(has_it)), "a sentence is lost");
        }
    }

    #[test]
    fn a_passage_is_too_long_only_for_one_sentence(items in any_items(), rule in any_rule()) {
        let items: Vec<_> = items.into_iter().filter(|item| matches!(item.kind, ItemKind::Paragraph)).collect();
        let sentences = sentences_of(&items);
        for chunk in cut("", &items, &rule).unwrap() {
            let is_one = |place: &ChunkPlace| {
                sentences.contains(&(place.span.item.clone(), place.span.start as usize, place.span.end as usize))
            };
            let is_single = chunk.places.len() == 1 && is_one(&chunk.places[0]);
            prop_assert!(is_single || count::count_words(&chunk.text) <= rule.words_max as usize, "{:?}", chunk.text);
        }
    }
}

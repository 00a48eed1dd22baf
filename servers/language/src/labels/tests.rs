//! Labels of callers.

use super::*;

fn label(name: &str, description: &str) -> Label {
    Label { name: name.into(), description: Some(description.into()), examples: Vec::new() }
}

fn topics() -> Vec<Label> {
    vec![
        label("sports", "games, teams, matches, players and championships"),
        label("business", "companies, markets, shares, profits and banks"),
        label("science", "research, space, computers, software and discoveries"),
    ]
}

fn judged(text: &str, labelling: Labelling) -> Classification {
    classify(text, &topics(), labelling, None).unwrap()
}

#[test]
fn shared_stems_decide() {
    let found = judged("The bank reported a profit as its share price rose on the market.", Labelling::One);
    assert_eq!(found.label.as_deref(), Some("business"));
    assert!(!found.unsure, "{found:?}");
    assert_eq!(found.method, Method::Statistical);
}

#[test]
fn scores_add_up_to_one() {
    for text in ["A team won the match.", "Nothing of it.", "", "😀"] {
        let sum: f64 = judged(text, Labelling::One).scores.iter().map(|score| score.score).sum();
        assert!((sum - 1.0).abs() < 0.001, "{text}: {sum}");
    }
}

#[test]
fn a_text_about_nothing_of_it_is_unsure() {
    let found = judged("It was raining all day.", Labelling::One);
    assert!(found.unsure, "{found:?}");
    assert!(judged("", Labelling::Many).labels.is_empty());
}

#[test]
fn many_labels_may_fit() {
    let found = judged(
        "The software company's shares rose after research on computers; banks follow markets.",
        Labelling::Many,
    );
    assert_eq!(found.labels.len(), 2, "{found:?}");
    assert!(found.labels.contains(&"business".into()) && found.labels.contains(&"science".into()));
}

#[test]
fn examples_teach_a_label() {
    let labels = [
        Label { name: "a".into(), examples: vec!["My parcel has not arrived.".into()], ..Label::default() },
        Label { name: "b".into(), examples: vec!["I want my money back.".into()], ..Label::default() },
    ];
    let found =
        classify("Where is the parcel? It should have arrived.", &labels, Labelling::One, None).unwrap();
    assert_eq!(found.label.as_deref(), Some("a"));
}

#[test]
fn labels_must_be_named_once_and_be_there() {
    let once = |labels: &[Label]| classify("text", labels, Labelling::One, None);
    assert!(matches!(once(&[]), Err(LabelError::None)));
    assert!(matches!(once(&[label(" ", "x")]), Err(LabelError::Unnamed)));
    assert!(matches!(once(&[label("A", "x"), label("a", "y")]), Err(LabelError::Twice(_))));
    let many: Vec<Label> = (0..=LABELS_MAX).map(|number| label(&number.to_string(), "x")).collect();
    assert!(matches!(once(&many), Err(LabelError::TooMany { given: 1001 })));
    assert_eq!(once(&many[..LABELS_MAX]).unwrap().scores.len(), LABELS_MAX);
}

#[test]
fn one_label_fits_or_is_unsure() {
    let one = [label("sports", "games and teams")];
    let fits = classify("Two teams played games.", &one, Labelling::One, None).unwrap();
    assert_eq!((fits.scores[0].score, fits.unsure), (1.0, false));
    assert!(classify("Rain.", &one, Labelling::One, None).unwrap().unsure);
}

#[test]
fn the_items_of_a_description_are_compared_one_by_one() {
    let aspects = |description: &str, count: usize| aspects(&label("sports", description), count);
    let about = |parts: &[&str]| -> Vec<String> {
        parts.iter().map(|part| format!("This is an article about {part}.")).collect()
    };
    assert_eq!(
        aspects("games, teams, and players; matches.", 4),
        about(&["games", "teams", "players", "matches"])
    );
    assert_eq!(aspects(" ", 4), about(&["sports"]));
    assert_eq!(aspects("games and teams", LABELS_MAX), about(&["games and teams"]));
    let long = "x, ".repeat(ASPECTS_MAX + 1);
    assert_eq!(aspects(&long, 1).len(), 1);
}

#[test]
fn one_near_aspect_is_enough() {
    assert!((soft_maximum(&[0.4, 0.4]) - 0.4).abs() < 1e-9);
    let near = soft_maximum(&[0.6, 0.0, 0.0]);
    assert!(near > 0.5 && near < 0.6, "{near}");
}

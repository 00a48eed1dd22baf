//! The tagger on made-up sentences.

use super::{SkillKind, find, tag_tokens};

fn texts(text: &str, kind: SkillKind) -> Vec<&str> {
    find(text).into_iter().filter(|span| span.kind == kind).map(|span| &text[span.start..span.end]).collect()
}

#[test]
fn knowledge_is_found_and_parted_at_commas() {
    let found = texts("Requirements\nExperience with Python, Docker and Kubernetes.\n", SkillKind::Knowledge);
    for name in ["Python", "Docker", "Kubernetes"] {
        assert!(found.contains(&name), "{name}: {found:?}");
    }
}

#[test]
fn tasks_are_found_as_skills() {
    let text =
        "You will develop new features and work closely with the product team. Strong communication skills.";
    let found = texts(text, SkillKind::Skill);
    assert!(!found.is_empty(), "{found:?}");
}

#[test]
fn ranges_are_of_the_tokens_and_the_same_every_time() {
    let document = vec![vec!["Technologies"], vec!["docker", "jenkins", "python"]];
    let found = tag_tokens(&document, SkillKind::Knowledge);
    assert_eq!(found.len(), 2);
    assert!(found[1].iter().all(|(from, to)| from < to && *to <= 3), "{found:?}");
    assert_eq!(found, tag_tokens(&document, SkillKind::Knowledge));
}

#[test]
fn odd_texts_end() {
    for text in ["", "\n\n", "(((((", "、、、", "𝕊𝕜𝕚𝕝𝕝", "a\u{301}\u{202e}b", ",", "\"", "."]
    {
        for span in find(text) {
            assert!(text.is_char_boundary(span.start) && text.is_char_boundary(span.end), "{text:?}");
        }
    }
    let long = "word ".repeat(5_000);
    find(&long);
}

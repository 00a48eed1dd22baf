//! Lists and titles of documents that were read.

use super::*;

fn item(depth: u8, marker: &str, text: &str) -> Read {
    Read::Item { depth, marker: marker.to_owned(), text: text.to_owned() }
}

fn outline(blocks: &[Block]) -> String {
    let one = |block: &Block| match block {
        Block::List { ordered, items, .. } => {
            let mark = if *ordered { "#" } else { "*" };
            format!(
                "{mark}({})",
                items.iter().map(|item| outline(&item.blocks)).collect::<Vec<_>>().join(",")
            )
        }
        Block::Paragraph { text } => text.to_plain(),
        other => format!("{other:?}"),
    };
    blocks.iter().map(one).collect::<Vec<_>>().join(" ")
}

#[test]
fn items_become_lists_within_lists() {
    let read = vec![
        item(0, "•", "a"),
        item(1, "1.", "b"),
        item(1, "2.", "c"),
        item(0, "•", "d"),
        item(0, "3)", "e"),
        Read::Paragraph("end".to_owned()),
    ];
    assert_eq!(outline(&blocks_of(read)), "*(a #(b,c),d) #(e) end");
}

#[test]
fn a_list_may_begin_deep() {
    assert_eq!(
        outline(&blocks_of(vec![item(2, "•", "a"), item(0, "•", "b"), item(1, "•", "c")])),
        "*(*(a),b *(c))"
    );
}

#[test]
fn the_title_stands_once() {
    let heading = |text: &str| Block::heading(1, text);
    let article = |blocks| Article { title: Some("T".to_owned()), blocks, ..Article::default() };
    let one = without_repeated_title(article(vec![heading("T"), Block::heading(2, "P")]));
    assert_eq!((one.title.as_deref(), one.blocks), (Some("T"), vec![Block::heading(1, "P")]));
    let two = without_repeated_title(article(vec![heading("T"), heading("P")]));
    assert_eq!((two.title.as_deref(), two.blocks), (Some("T"), vec![heading("P")]));
    let none = without_repeated_title(article(vec![heading("P")]));
    assert_eq!((none.title.as_deref(), none.blocks.len()), (Some("T"), 1));
}

//! Pages of boxes, and the order in which they are read.

use super::*;

fn piece(left: f32, top: f32, width: f32) -> Bounds {
    Bounds { left, top, right: left + width, bottom: top + 20.0 }
}

fn order_of(pieces: &[Bounds]) -> Vec<usize> {
    arrange(pieces).into_iter().map(|placed| placed.index).collect()
}

fn breaks_of(pieces: &[Bounds]) -> Vec<Break> {
    arrange(pieces).into_iter().map(|placed| placed.before).collect()
}

#[test]
fn a_column_is_read_to_its_end_before_the_next() {
    // Lines of both columns have the same heights, as in most papers, under a headline across both.
    let mut pieces = vec![piece(100.0, 10.0, 700.0)];
    for row in 0..8 {
        pieces.push(piece(500.0, 60.0 + 30.0 * row as f32, 380.0));
        pieces.push(piece(50.0, 60.0 + 30.0 * row as f32, 400.0));
    }
    let left: Vec<usize> = (0..8).map(|row| 2 * row + 2).collect();
    let right: Vec<usize> = (0..8).map(|row| 2 * row + 1).collect();
    assert_eq!(order_of(&pieces), [vec![0], left, right].concat());
}

#[test]
fn what_runs_across_parts_the_columns_above_it_from_those_below() {
    let mut pieces = Vec::new();
    for row in 0..4 {
        pieces.push(piece(50.0, 30.0 * row as f32, 400.0));
        pieces.push(piece(500.0, 30.0 * row as f32, 400.0));
    }
    pieces.push(piece(60.0, 140.0, 800.0));
    for row in 0..4 {
        pieces.push(piece(50.0, 180.0 + 30.0 * row as f32, 400.0));
        pieces.push(piece(500.0, 180.0 + 30.0 * row as f32, 400.0));
    }
    assert_eq!(order_of(&pieces), [0, 2, 4, 6, 1, 3, 5, 7, 8, 9, 11, 13, 15, 10, 12, 14, 16]);
}

#[test]
fn three_columns_are_read_from_left_to_right() {
    let mut pieces = Vec::new();
    for row in 0..6 {
        for column in 0..3 {
            pieces.push(piece(40.0 + 300.0 * column as f32, 30.0 * row as f32, 260.0));
        }
    }
    let columns = (0..3).flat_map(|column| (0..6).map(move |row| row * 3 + column));
    assert_eq!(order_of(&pieces), columns.collect::<Vec<_>>());
}

#[test]
fn a_table_is_read_along_its_rows_with_tabs_between_cells() {
    let mut pieces = Vec::new();
    for row in 0..5 {
        for (left, width) in [(50.0, 90.0), (250.0, 60.0), (400.0, 70.0)] {
            pieces.push(piece(left, 30.0 * row as f32, width));
        }
    }
    assert_eq!(order_of(&pieces), (0..15).collect::<Vec<_>>());
    assert_eq!(breaks_of(&pieces)[..4], [Break::Paragraph, Break::Tab, Break::Tab, Break::Line]);
}

#[test]
fn a_margin_column_with_lines_of_its_own_is_a_column() {
    let mut pieces: Vec<Bounds> = (0..6).map(|row| piece(20.0, 47.0 * row as f32, 80.0)).collect();
    pieces.extend((0..10).map(|row| piece(200.0, 31.0 * row as f32, 500.0)));
    assert_eq!(order_of(&pieces), (0..16).collect::<Vec<_>>());
}

#[test]
fn pieces_of_one_line_are_joined_and_paragraphs_are_parted() {
    let pieces =
        [piece(110.0, 2.0, 100.0), piece(0.0, 0.0, 100.0), piece(0.0, 30.0, 300.0), piece(0.0, 100.0, 200.0)];
    assert_eq!(order_of(&pieces), [1, 0, 2, 3]);
    assert_eq!(breaks_of(&pieces), [Break::Paragraph, Break::Space, Break::Line, Break::Paragraph]);
}

/// The breaks before rows that are 20 high and have these gaps between them.
fn breaks_at_gaps(gaps: &[f32]) -> Vec<Break> {
    let mut pieces = vec![piece(0.0, 0.0, 300.0)];
    for gap in gaps {
        pieces.push(piece(0.0, pieces[pieces.len() - 1].bottom + gap, 300.0));
    }
    breaks_of(&pieces)[1..].to_vec()
}

#[test]
fn rows_with_even_air_between_them_are_no_paragraphs() {
    assert_eq!(breaks_at_gaps(&[24.0, 26.0, 24.0]), [Break::Line; 3]);
    assert_eq!(
        breaks_at_gaps(&[24.0, 25.0, 40.0, 26.0]),
        [Break::Line, Break::Line, Break::Paragraph, Break::Line]
    );
}

#[test]
fn most_gaps_may_be_those_between_paragraphs() {
    assert_eq!(
        breaks_at_gaps(&[24.0, 6.0, 24.0, 24.0, 8.0]),
        [Break::Paragraph, Break::Line, Break::Paragraph, Break::Paragraph, Break::Line]
    );
}

#[test]
fn two_rows_and_rows_that_are_far_apart_do_not_say_what_is_usual() {
    assert_eq!(breaks_at_gaps(&[24.0]), [Break::Paragraph]);
    assert_eq!(breaks_at_gaps(&[10.0]), [Break::Line]);
    assert_eq!(breaks_at_gaps(&[60.0, 60.0, 60.0]), [Break::Paragraph; 3]);
}

#[test]
fn nothing_has_no_order() {
    assert!(arrange(&[]).is_empty());
}

#[test]
fn lines_with_a_slope_are_ordered_as_if_they_had_none() {
    let line = |x: f32, y: f32, degrees: f32| {
        let (sine, cosine) = f32::to_radians(degrees).sin_cos();
        Polygon::upright(piece(x, y, 300.0)).map(|place| {
            crate::geometry::Point::new(place.x * cosine - place.y * sine, place.y * cosine + place.x * sine)
        })
    };
    let pieces: Vec<Bounds> =
        [(700.0, 0.0), (0.0, 0.0), (0.0, 25.0)].map(|(x, y)| straightened(&line(x, y, 3.0), 3.0)).to_vec();
    assert_eq!(order_of(&pieces), [1, 0, 2]);
}

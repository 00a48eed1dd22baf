//! Pixels that hang together, by the runs of each row.

use crate::geometry::Point;

/// A run of marked pixels in one row, both ends included.
#[derive(Clone, Copy, Debug)]
struct PixelRun {
    row: usize,
    first: usize,
    last: usize,
}

/// The ends of all runs of each blob of marked pixels: enough to draw a hull around it. Pixels that touch at a corner hang
/// together.
pub(super) fn find(marked: &[bool], width: usize) -> Vec<Vec<Point>> {
    let runs = runs_of(marked, width);
    let roots = joined(&runs);
    let mut blobs: Vec<Vec<Point>> = Vec::new();
    let mut blob_of_root = vec![None; runs.len()];
    for (index, run) in runs.iter().enumerate() {
        let blob = *blob_of_root[roots[index]].get_or_insert_with(|| {
            blobs.push(Vec::new());
            blobs.len() - 1
        });
        let y = run.row as f32;
        blobs[blob].extend([Point::new(run.first as f32, y), Point::new(run.last as f32, y)]);
    }
    blobs
}

fn runs_of(marked: &[bool], width: usize) -> Vec<PixelRun> {
    let mut runs = Vec::new();
    for (row, pixels) in marked.chunks_exact(width).enumerate() {
        let mut first = None;
        for (column, marked) in pixels.iter().chain([&false]).enumerate() {
            match (first, marked) {
                (None, true) => first = Some(column),
                (Some(start), false) => {
                    runs.push(PixelRun { row, first: start, last: column - 1 });
                    first = None;
                }
                _ => {}
            }
        }
    }
    runs
}

/// For each run, the representative of its connected component.
fn joined(runs: &[PixelRun]) -> Vec<usize> {
    let mut parents: Vec<usize> = (0..runs.len()).collect();
    let mut above = 0;
    for (index, run) in runs.iter().enumerate() {
        // Runs are sorted, and those before `above` end too early for this run and for all that follow it.
        while runs[above].row + 1 < run.row
            || (runs[above].row + 1 == run.row && runs[above].last + 1 < run.first)
        {
            above += 1;
        }
        let touching = (above..index)
            .take_while(|&other| runs[other].row + 1 == run.row && runs[other].first <= run.last + 1);
        for other in touching {
            let (a, b) = (root(&mut parents, index), root(&mut parents, other));
            parents[a.max(b)] = a.min(b);
        }
    }
    (0..runs.len()).map(|index| root(&mut parents, index)).collect()
}

fn root(parents: &mut [usize], mut index: usize) -> usize {
    while parents[index] != index {
        parents[index] = parents[parents[index]];
        index = parents[index];
    }
    index
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count(drawing: &[&str]) -> usize {
        let marked: Vec<bool> = drawing.iter().flat_map(|row| row.chars().map(|c| c == '#')).collect();
        find(&marked, drawing[0].len()).len()
    }

    #[test]
    fn pixels_that_touch_at_a_corner_hang_together() {
        assert_eq!(count(&["#..", ".#.", "..#"]), 1);
        assert_eq!(count(&["..#", ".#.", "#.."]), 1);
        assert_eq!(count(&["#.#", "...", "#.#"]), 4);
    }

    #[test]
    fn arms_that_meet_further_down_are_one_blob() {
        assert_eq!(count(&["#.#.#", "#.#.#", "#####"]), 1);
        assert_eq!(count(&["#####", "#...#", "#.#.#"]), 2);
        assert_eq!(count(&["##.##", ".....", "##.##"]), 4);
    }

    #[test]
    fn no_marks_make_no_blobs() {
        assert_eq!(count(&["...", "..."]), 0);
    }
}

//! Changes of times and of the cut into cues.

use unicode_segmentation::UnicodeSegmentation;

use crate::cue::{Cue, CueRun, Subtitles, push_run, trim_runs};
use crate::time_map::TimeMap;
use crate::ttml;

impl TimeMap {
    /// The document with every time mapped. Cues that would end before zero are left out; a remark says how many.
    pub fn apply(self, subtitles: &Subtitles) -> Subtitles {
        let mut moved = subtitles.clone();
        for cue in &mut moved.cues {
            (cue.start, cue.end) = (self.at(cue.start), self.at(cue.end));
        }
        let before = moved.cues.len();
        moved.cues.retain(|cue| cue.end > 0);
        for cue in &mut moved.cues {
            cue.start = cue.start.max(0);
        }
        let gone = before - moved.cues.len();
        if gone > 0 {
            moved.remarks.push(format!("{gone} cues would end before zero and were left out"));
        }
        if let Some(tree) = &subtitles.tree {
            moved.tree = ttml::moved(tree, self);
            if moved.tree.is_none() {
                moved.remarks.push(
                    "sequences cannot begin before zero: the document is written anew, without its layout"
                        .into(),
                );
            }
        }
        moved
    }
}

/// The documents before and after each of the times. Cues that a time cuts are in both.
pub fn split_at(subtitles: &Subtitles, times: &[i64]) -> Vec<Subtitles> {
    let mut times: Vec<i64> = times.iter().copied().filter(|time| *time > 0).collect();
    times.sort_unstable();
    times.dedup();
    let mut from = 0;
    let mut parts = Vec::new();
    for to in times.into_iter().chain([i64::MAX]) {
        let inside = subtitles.cues.iter().filter(|cue| cue.start < to && cue.end > from);
        let cues = inside.map(|cue| Cue {
            start: cue.start.max(from) - from,
            end: cue.end.min(to) - from,
            ..cue.clone()
        });
        parts.push(Subtitles { cues: cues.collect(), tree: None, remarks: Vec::new(), ..subtitles.clone() });
        from = to;
    }
    parts
}

/// Documents one after the other, each beginning at its time.
pub fn join(parts: &[(i64, Subtitles)]) -> Subtitles {
    let mut joined = Subtitles::default();
    for (start, part) in parts {
        let moved = TimeMap::shift(*start).apply(&Subtitles { tree: None, ..part.clone() });
        joined.language = joined.language.or(moved.language);
        joined.head = joined.head.or(moved.head);
        joined.cues.extend(moved.cues);
        joined.remarks.extend(moved.remarks);
    }
    joined.cues.sort_by_key(|cue| cue.start);
    joined
}

/// The form that cues shall have.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct CueLayout {
    pub line_chars: usize,
    pub lines: usize,
    pub duration_ms_max: i64,
    /// Cues with at most this pause between them may become one.
    pub merge_gap_ms: i64,
}

/// The same text in cues of this form: neighbours that fit together become one, and long ones become several. Times of
/// parts follow their share of the letters.
pub fn lay_out(subtitles: &Subtitles, layout: &CueLayout) -> Subtitles {
    let mut merged: Vec<Cue> = Vec::new();
    for cue in subtitles.cues.iter().filter(|cue| !cue.is_blank()) {
        match merged.last_mut().filter(|last| fit(last, cue, layout)) {
            Some(last) => *last = together(last, cue),
            None => merged.push(cue.clone()),
        }
    }
    let cues = merged.iter().flat_map(|cue| parts(cue, layout)).collect();
    Subtitles { cues, tree: None, ..subtitles.clone() }
}

fn room(layout: &CueLayout) -> usize {
    layout.line_chars.max(1) * layout.lines.max(1)
}

fn fit(last: &Cue, next: &Cue, layout: &CueLayout) -> bool {
    let gap = next.start - last.end;
    let ends = last.text().trim_end().ends_with(['.', '!', '?', '…', '。', '！', '？', '♪']);
    (0..=layout.merge_gap_ms).contains(&gap)
        && !ends
        && last.speaker == next.speaker
        && last.place == next.place
        && next.end - last.start <= layout.duration_ms_max
        && length(&last.text()) + 1 + length(&next.text()) <= room(layout)
}

fn together(last: &Cue, next: &Cue) -> Cue {
    let mut runs = last.runs.clone();
    let style = runs.last().map(|run| run.style).unwrap_or_default();
    push_run(&mut runs, " ", style);
    for run in &next.runs {
        push_run(&mut runs, &run.text, run.style);
    }
    Cue { end: next.end, ..last.with_runs(runs) }
}

/// Letters as people count them.
pub(crate) fn length(text: &str) -> usize {
    text.graphemes(true).filter(|letter| *letter != "\n").count()
}

fn parts(cue: &Cue, layout: &CueLayout) -> Vec<Cue> {
    let lines = wrapped(&cue.runs, layout.line_chars.max(1));
    if lines.len() <= layout.lines.max(1) && cue.duration() <= layout.duration_ms_max {
        return match lines.iter().map(|line| line_text(line)).eq(cue.text().lines().map(str::to_owned)) {
            true => vec![cue.clone()],
            false => vec![cue.with_runs(joined(&lines))],
        };
    }
    // As few cues as the lines or the time allow, with about the same number of lines each.
    let by_lines = lines.len().div_ceil(layout.lines.max(1));
    let by_time = cue.duration().unsigned_abs().div_ceil(layout.duration_ms_max.max(1).unsigned_abs());
    let by_time = usize::try_from(by_time).unwrap_or(usize::MAX);
    let count = by_lines.max(by_time).min(lines.len()).max(1);
    let per = lines.len().div_ceil(count);
    let total: usize = lines.iter().map(|line| length(&line_text(line))).sum::<usize>().max(1);
    let (mut done, mut cues) = (0usize, Vec::new());
    let at = |done: usize| cue.start + cue.duration() * done as i64 / total as i64;
    for group in lines.chunks(per.max(1)) {
        let own: usize = group.iter().map(|line| length(&line_text(line))).sum();
        let id = if cues.is_empty() { cue.id.clone() } else { None };
        cues.push(Cue { start: at(done), end: at(done + own), id, ..cue.with_runs(joined(group)) });
        done += own;
    }
    cues
}

fn line_text(line: &[CueRun]) -> String {
    line.iter().map(|run| run.text.as_str()).collect()
}

fn joined(lines: &[Vec<CueRun>]) -> Vec<CueRun> {
    let mut runs = Vec::new();
    for (index, line) in lines.iter().enumerate() {
        if index > 0 {
            push_run(&mut runs, "\n", line.first().map(|run| run.style).unwrap_or_default());
        }
        for run in line {
            push_run(&mut runs, &run.text, run.style);
        }
    }
    runs
}

/// Lines of at most so many letters. A break in the text stays where its lines fit already; a text without blanks is cut
/// between letters.
fn wrapped(runs: &[CueRun], width: usize) -> Vec<Vec<CueRun>> {
    let text: String = runs.iter().map(|run| run.text.as_str()).collect();
    let keeps_lines = text.lines().all(|line| length(line) <= width);
    let mut lines: Vec<Vec<CueRun>> = vec![Vec::new()];
    let mut used = 0;
    for run in runs {
        for piece in run.text.split_word_bounds() {
            let is_break = piece.contains('\n');
            if is_break && keeps_lines {
                lines.push(Vec::new());
                used = 0;
                continue;
            }
            let piece = if is_break { " " } else { piece };
            for piece in cut(piece, width) {
                let own = length(piece);
                let sticks = piece.chars().all(|letter| !letter.is_alphanumeric() && !letter.is_whitespace());
                if used + own > width && used > 0 && !(sticks && used + own <= width + 1) && !keeps_lines {
                    lines.push(Vec::new());
                    used = 0;
                }
                if used == 0 && piece.trim().is_empty() {
                    continue;
                }
                if let Some(line) = lines.last_mut() {
                    push_run(line, piece, run.style);
                }
                used += own;
            }
        }
    }
    for line in &mut lines {
        trim_runs(line);
    }
    lines.retain(|line| !line.is_empty());
    lines
}

/// A word in pieces of at most so many letters.
fn cut(piece: &str, width: usize) -> Vec<&str> {
    let bounds: Vec<usize> = piece.grapheme_indices(true).map(|(at, _)| at).step_by(width).skip(1).collect();
    let mut from = 0;
    let mut pieces = Vec::new();
    for to in bounds.into_iter().chain([piece.len()]) {
        pieces.push(&piece[from..to]);
        from = to;
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    const LAYOUT: CueLayout =
        CueLayout { line_chars: 20, lines: 2, duration_ms_max: 7000, merge_gap_ms: 200 };

    fn of(cues: Vec<Cue>) -> Subtitles {
        Subtitles { cues, ..Subtitles::default() }
    }

    fn texts(subtitles: &Subtitles) -> Vec<String> {
        subtitles.cues.iter().map(Cue::text).collect()
    }

    #[test]
    fn times_are_mapped_exactly() {
        let subtitles = of(vec![Cue::plain(0, 500, "a"), Cue::plain(1000, 3_600_000, "b")]);
        let moved = TimeMap::shift(-600).apply(&subtitles);
        assert_eq!((moved.cues.len(), moved.cues[0].start, moved.cues[0].end), (1, 400, 3_599_400));
        assert_eq!(moved.remarks.len(), 1);
        // From 25 frames a second to 23.976.
        let slower = TimeMap { numerator: 25 * 1001, denominator: 24_000, offset_ms: 0 }.apply(&subtitles);
        assert_eq!(slower.cues[1].end, 3_753_750);
        let map = TimeMap::through((1000, 2000), (3_600_000, 3_601_000)).unwrap();
        assert_eq!(map.apply(&subtitles).cues[1].end, 3_601_000);
        assert!(TimeMap::through((1, 1), (1, 2)).is_none());
    }

    #[test]
    fn long_cues_become_several_and_short_neighbours_one() {
        let long = "The quick brown fox jumps over the lazy dog and then it sleeps";
        let parts = lay_out(&of(vec![Cue::plain(0, 6000, long)]), &LAYOUT);
        assert_eq!(texts(&parts).join(" ").replace('\n', " "), long);
        assert!(
            parts.cues.len() == 2 && parts.cues[1].end == 6000 && parts.cues[0].end == parts.cues[1].start
        );
        let short = of(vec![
            Cue::plain(0, 1000, "I think"),
            Cue::plain(1100, 2000, "it works."),
            Cue::plain(2000, 3000, "Yes"),
        ]);
        assert_eq!(texts(&lay_out(&short, &LAYOUT)), ["I think it works.", "Yes"]);
        let wide = lay_out(&of(vec![Cue::plain(0, 1000, "日".repeat(50))]), &LAYOUT);
        assert_eq!(texts(&wide).concat().replace('\n', ""), "日".repeat(50));
    }

    #[test]
    fn what_is_split_can_be_joined_again() {
        let subtitles = of(vec![Cue::plain(0, 1000, "a"), Cue::plain(2000, 3000, "b")]);
        let parts = split_at(&subtitles, &[1500]);
        assert_eq!((parts.len(), parts[1].cues[0].start), (2, 500));
        let again = join(&[(0, parts[0].clone()), (1500, parts[1].clone())]);
        assert_eq!(again.cues, subtitles.cues);
    }
}

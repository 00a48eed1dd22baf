//! Words of spoken clips: the LibriVox recordings that the source archive of pocketsphinx has, and sentences spoken by
//! synthesizers. Each `NAME.wav` has its words in `NAME.txt`.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::Context;
use capability_speech::{AudioInput, AudioReader, SpeechModels, transcribe};

/// Longer texts are not printed.
const SHOWN_WORDS_MAX: usize = 200;

/// Prints wrong words of each clip and of all, what was said and heard where they differ, and seconds of work for a second of
/// sound; then the same of ten minutes of other speech, and what an hour takes.
pub(crate) fn run(data: &Path, models: Option<PathBuf>) -> anyhow::Result<()> {
    let models = models
        .context("script/speech-model fetches the models; name their folder in CAPABILITY_SPEECH_MODELS")?;
    let mut models = SpeechModels::load(&models)?;
    table("speech: wrong words of spoken clips", data, &mut models)?;
    table("speech: wrong words of other speech", &data.join("other"), &mut models)?;
    hour(&data.join("hour/hour.wav"), &mut models)
}

fn table(title: &str, folder: &Path, models: &mut SpeechModels) -> anyhow::Result<()> {
    let mut clips: Vec<PathBuf> = fs::read_dir(folder)?.flatten().map(|entry| entry.path()).collect();
    clips.retain(|path| path.extension().is_some_and(|end| end == "wav"));
    clips.sort();
    println!("\n{title}");
    println!("{:<42} {:>8} {:>8} {:>9} {:>9}", "clip", "words", "wrong", "sound s", "work s");
    let (mut words, mut wrong, mut sound, mut work) = (0, 0, 0.0, 0.0);
    for clip in clips {
        let truth = fs::read_to_string(clip.with_extension("txt"))?;
        let begin = Instant::now();
        let (heard, seconds) = hear(&clip, models)?;
        let own = begin.elapsed().as_secs_f64();
        let (truth, heard) = (plain(&truth), plain(&heard));
        let errors = distance(&truth, &heard);
        let name = clip.file_stem().unwrap_or_default().to_string_lossy();
        println!("{name:<42} {:>8} {errors:>8} {seconds:>9.1} {own:>9.1}", truth.len());
        if errors > 0 && truth.len() <= SHOWN_WORDS_MAX {
            println!("    said  {}\n    heard {}", truth.join(" "), heard.join(" "));
        }
        words += truth.len();
        wrong += errors;
        sound += seconds;
        work += own;
    }
    println!("{:<42} {words:>8} {wrong:>8} {sound:>9.1} {work:>9.1}", "all");
    println!(
        "word error rate {:.3}, real-time factor {:.2}",
        wrong as f64 / words.max(1) as f64,
        work / f64::max(sound, 1e-9)
    );
    Ok(())
}

/// Hears an hour and prints how much more memory the process has needed than before.
fn hour(file: &Path, models: &mut SpeechModels) -> anyhow::Result<()> {
    if !file.is_file() {
        println!("\nspeech: there is no file of an hour, it is left out");
        return Ok(());
    }
    let before = memory_peak();
    let begin = Instant::now();
    let (heard, seconds) = hear(file, models)?;
    println!("\nspeech: an hour in one file");
    println!(
        "{seconds:.0} s of sound, {} words, {:.0} s of work",
        plain(&heard).len(),
        begin.elapsed().as_secs_f64()
    );
    match (before, memory_peak()) {
        (Some(before), Some(after)) => {
            println!("resident memory at its highest: {before} MiB before, {after} MiB after");
        }
        _ => println!("this system does not say how much memory was needed"),
    }
    Ok(())
}

/// MiB that the process had resident at its highest.
fn memory_peak() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(line.trim().trim_end_matches(" kB").parse::<u64>().ok()? / 1024)
}

fn hear(clip: &Path, models: &mut SpeechModels) -> anyhow::Result<(String, f64)> {
    let mut reader = AudioReader::open(AudioInput::File(clip.to_owned()), None)?;
    let mut text = String::new();
    let on_segment = |segment: capability_speech::SpokenSegment| {
        for word in segment.words {
            text.push(' ');
            text.push_str(&word.text);
        }
        true
    };
    let end = transcribe(&mut reader, models, 0, on_segment, |_| true)?;
    Ok((text, end.heard_ms as f64 / 1000.0))
}

/// Abbreviations that are spoken as a word, as scorers of speech write them out.
const SPOKEN: [(&str, &str); 4] = [("mr", "mister"), ("mrs", "missus"), ("dr", "doctor"), ("st", "saint")];

/// Words in small letters, without marks, as they are spoken.
fn plain(text: &str) -> Vec<String> {
    let kept = |letter: char| {
        if letter.is_alphanumeric() || letter == '\'' { letter.to_ascii_lowercase() } else { ' ' }
    };
    let text: String = text.chars().map(kept).collect();
    text.split_whitespace().map(|word| spoken(word).to_owned()).collect()
}

fn spoken(word: &str) -> &str {
    SPOKEN.iter().find(|(short, _)| *short == word).map_or(word, |(_, long)| *long)
}

/// Words that have to be changed, added or removed.
fn distance(one: &[String], other: &[String]) -> usize {
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (index, word) in one.iter().enumerate() {
        let mut before = row[0];
        row[0] = index + 1;
        for (at, candidate) in other.iter().enumerate() {
            let kept = before + usize::from(word != candidate);
            before = row[at + 1];
            row[at + 1] = kept.min(row[at] + 1).min(before + 1);
        }
    }
    row[other.len()]
}

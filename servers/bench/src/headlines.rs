//! Which of two headlines was clicked more often: ours beside others, on pairs of experiments that none of them has
//! seen. `others/headlines.py PACKAGES FOLDER` splits the experiments, learns without each part, and writes both.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use anyhow::Context;
use serde::Deserialize;
use social_intelligence_mcp::headline::HeadlineModel;

const PARTS: usize = 5;
const OURS: &str = "this project";
/// Pairs are sorted by how sure a tool is, in steps of this many parts of a half.
const BINS: usize = 10;

#[derive(Deserialize)]
struct HeadlinePair {
    one: String,
    other: String,
    /// The first was clicked more often.
    won: bool,
    /// The probability that others give the first.
    others: BTreeMap<String, f64>,
}

/// A tool's probabilities for the first headline, and whether it won.
type Forecasts = BTreeMap<String, Vec<(f64, bool)>>;

/// Prints a line for each tool.
pub(crate) fn run(data: &Path) -> anyhow::Result<()> {
    let mut forecasts = Forecasts::new();
    for part in 0..PARTS {
        add_part(data, part, &mut forecasts)?;
    }
    let pairs = forecasts.get(OURS).map_or(0, Vec::len);
    println!("\nheadlines: Upworthy, clear pairs with the same picture, unseen experiments ({pairs} pairs)");
    println!("{:<34} {:>8} {:>17}", "tool", "accuracy", "calibration error");
    for (tool, forecasts) in &forecasts {
        println!("{tool:<34} {:>8.3} {:>17.3}", accuracy(forecasts), calibration_error(forecasts));
    }
    Ok(())
}

fn add_part(data: &Path, part: usize, forecasts: &mut Forecasts) -> anyhow::Result<()> {
    let read = |end: &str| {
        let path = data.join(format!("{part}.{end}"));
        fs::read_to_string(&path).with_context(|| format!("{} (others/headlines.py)", path.display()))
    };
    let model = HeadlineModel::parse(&read("txt")?);
    for line in read("jsonl")?.lines() {
        let pair: HeadlinePair = serde_json::from_str(line)?;
        let ours = HeadlineModel::probability(model.score(&pair.one), model.score(&pair.other));
        forecasts.entry(OURS.to_owned()).or_default().push((ours, pair.won));
        for (tool, probability) in pair.others {
            forecasts.entry(tool).or_default().push((probability, pair.won));
        }
    }
    Ok(())
}

fn accuracy(forecasts: &[(f64, bool)]) -> f64 {
    let right = forecasts.iter().filter(|(probability, won)| (*probability > 0.5) == *won).count();
    right as f64 / forecasts.len().max(1) as f64
}

/// The mean distance between how sure a tool is and how often it is right.
fn calibration_error(forecasts: &[(f64, bool)]) -> f64 {
    let mut bins = vec![(0.0, 0.0, 0.0); BINS];
    for (probability, won) in forecasts {
        let sure = probability.max(1.0 - probability);
        let bin = (((sure - 0.5) * 2.0 * BINS as f64) as usize).min(BINS - 1);
        bins[bin].0 += 1.0;
        bins[bin].1 += sure;
        bins[bin].2 += f64::from(u8::from((*probability > 0.5) == *won));
    }
    let distance: f64 = bins.iter().map(|(_, sure, right): &(f64, f64, f64)| (sure - right).abs()).sum();
    distance / forecasts.len().max(1) as f64
}

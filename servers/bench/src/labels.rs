//! Labels of news articles: ours beside the plain cosine of the same encoder, on AG News.
//!
//! The data folder has `sample.jsonl`: an article and its label per line. Callers describe the labels, so each
//! figure is given for label names alone and for descriptions of two lengths. The method was chosen on the
//! first articles of the file; the others are reported by themselves.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::Context;
use capability_language::{Encoder, Label, Labelling, Model, classify};
use serde::Deserialize;

/// The articles that the method was chosen on.
const CHOSEN_ON: usize = 546;

/// The labels of the set, with a short and a longer description.
const LABELS: [(&str, &str, &str); 4] = [
    (
        "World",
        "international news, politics, governments, wars and conflicts",
        "news about world events, politics, diplomacy, war, terrorism, elections in countries around the world",
    ),
    (
        "Sports",
        "sports, games, teams, players and matches",
        "news about athletes, football, basketball, baseball, tennis, olympics, leagues and championships",
    ),
    (
        "Business",
        "business, companies, markets, economy and finance",
        "news about companies, stocks, profits, oil prices, the economy, trade, mergers and banks",
    ),
    (
        "Sci/Tech",
        "science and technology, computers, internet, software and space",
        "news about research, discoveries, software, internet, gadgets, computers, NASA, video games",
    ),
];

#[derive(Deserialize)]
struct Article {
    label: String,
    title: String,
    text: String,
}

#[derive(Clone, Copy)]
enum Wording {
    Names,
    Short,
    Long,
}

/// Prints a line for each method and wording. `model` is the folder of a sentence encoder.
pub(crate) fn run(data: &Path, model: Option<PathBuf>) -> anyhow::Result<()> {
    let articles = articles(data)?;
    let unseen = articles.len().saturating_sub(CHOSEN_ON);
    println!("\nlabels: AG News ({} articles, {unseen} of them unseen)", articles.len());
    println!("{:<34} {:<12} {:>6} {:>6} {:>9}", "method", "labels", "all", "unseen", "seconds");
    let model = model.filter(|folder| !folder.as_os_str().is_empty());
    let model = model.map(|folder| Model::load(&folder)).transpose().context("the encoder")?;
    for (wording, name) in
        [(Wording::Names, "names"), (Wording::Short, "described"), (Wording::Long, "longer")]
    {
        let labels = labels(wording);
        if let Some(model) = &model {
            print_score("this project (embeddings)", name, &articles, |text| {
                best(text, &labels, Some(model))
            })?;
            let vectors = normal(model.embed(&texts_of(&labels))?);
            print_score("plain cosine, same encoder", name, &articles, |text| {
                nearest(text, &labels, &vectors, model)
            })?;
        }
        print_score("this project (statistical)", name, &articles, |text| best(text, &labels, None))?;
    }
    Ok(())
}

fn articles(data: &Path) -> anyhow::Result<Vec<Article>> {
    let path = data.join("sample.jsonl");
    let text = fs::read_to_string(&path).with_context(|| format!("read {}", path.display()))?;
    let articles = text.lines().map(serde_json::from_str).collect::<Result<Vec<Article>, _>>();
    articles.with_context(|| format!("understand {}", path.display()))
}

fn labels(wording: Wording) -> Vec<Label> {
    let label = |(name, short, long): (&str, &str, &str)| {
        let description = match wording {
            Wording::Names => None,
            Wording::Short => Some(short.to_owned()),
            Wording::Long => Some(long.to_owned()),
        };
        Label { name: name.to_owned(), description, examples: Vec::new() }
    };
    LABELS.map(label).into()
}

fn texts_of(labels: &[Label]) -> Vec<&str> {
    labels.iter().map(|label| label.description.as_deref().unwrap_or(&label.name)).collect()
}

fn best(text: &str, labels: &[Label], model: Option<&Model>) -> anyhow::Result<String> {
    let encoder = model.map(|model| model as &dyn Encoder);
    Ok(classify(text, labels, Labelling::One, encoder)?.label.unwrap_or_default())
}

fn nearest(text: &str, labels: &[Label], vectors: &[Vec<f32>], model: &Model) -> anyhow::Result<String> {
    let whole = model.embed(&[text])?;
    let near = |vector: &[f32]| vector.iter().zip(&whole[0]).map(|(one, other)| one * other).sum::<f32>();
    let all = labels.iter().zip(vectors).map(|(label, vector)| (near(vector), label));
    let best = all.max_by(|(one, _), (other, _)| one.total_cmp(other));
    Ok(best.map(|(_, label)| label.name.clone()).unwrap_or_default())
}

/// Unit vectors: the length of a label's vector says nothing.
fn normal(mut vectors: Vec<Vec<f32>>) -> Vec<Vec<f32>> {
    for vector in &mut vectors {
        let length = vector.iter().map(|value| value * value).sum::<f32>().sqrt().max(f32::MIN_POSITIVE);
        vector.iter_mut().for_each(|value| *value /= length);
    }
    vectors
}

fn print_score(
    method: &str,
    wording: &str,
    articles: &[Article],
    judge: impl Fn(&str) -> anyhow::Result<String>,
) -> anyhow::Result<()> {
    let begin = Instant::now();
    let mut right = Vec::with_capacity(articles.len());
    for article in articles {
        right.push(judge(&format!("{}. {}", article.title, article.text))? == article.label);
    }
    let share = |right: &[bool]| right.iter().filter(|is| **is).count() as f64 / right.len().max(1) as f64;
    let (all, unseen) = (share(&right), share(right.get(CHOSEN_ON..).unwrap_or_default()));
    println!("{method:<34} {wording:<12} {all:>6.3} {unseen:>6.3} {:>9.2}", begin.elapsed().as_secs_f64());
    Ok(())
}

//! `scripted-model`: a model that follows a script, plays a cassette, or records a real model, as a process.

use std::io::Write;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;

use clap::Parser;
use tokio::signal::unix::{SignalKind, signal};
use toolgate_testkit::applicant::applicant;
use toolgate_testkit::model::{
    Cassette, ModelSettings, ModelSource, ScriptedModel, obliging, script_of_lines,
};

/// A model in the formats of OpenAI (chat and Responses), Anthropic, Gemini and Ollama. It checks every request strictly, and
/// its exit status is 1 if one broke a rule.
#[derive(Parser)]
struct ModelArguments {
    /// Port 0 picks a free one.
    #[arg(long, value_name = "ADDR", default_value = "127.0.0.1:0")]
    listen: SocketAddr,
    /// Rules as lines of JSON. Without any, it calls the first tool that it is offered, once.
    #[arg(long, value_name = "FILE")]
    script: Option<PathBuf>,
    /// A mind instead of rules.
    #[arg(long, value_enum, conflicts_with = "script")]
    mind: Option<ModelMind>,
    /// A cassette to play.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["script", "mind"])]
    replay: Option<PathBuf>,
    /// A new cassette, for the answers of the model at `--address`.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["script", "mind", "replay"], requires = "address")]
    record: Option<PathBuf>,
    /// A real model, over plain HTTP.
    #[arg(long, value_name = "URL")]
    address: Option<String>,
    /// The key that requests must have.
    #[arg(long)]
    key: Option<String>,
    /// Histories may begin anew, because older messages were folded.
    #[arg(long)]
    folds: bool,
}

/// A program of rules that reads results.
#[derive(Clone, Copy, clap::ValueEnum)]
enum ModelMind {
    /// Applies for jobs through a browser.
    Applicant,
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> anyhow::Result<()> {
    let arguments = ModelArguments::parse();
    let settings = ModelSettings { key: arguments.key.clone(), allows_folds: arguments.folds };
    let model = ScriptedModel::start_at(arguments.listen, settings, source(&arguments)?)?;
    writeln!(std::io::stdout(), "listening on http://{}", model.address())?;
    let mut term = signal(SignalKind::terminate())?;
    tokio::select! {
        stopped = tokio::signal::ctrl_c() => stopped?,
        _ = term.recv() => {}
    }
    let problems = model.problems();
    for problem in &problems {
        writeln!(std::io::stderr(), "{problem}")?;
    }
    anyhow::ensure!(problems.is_empty(), "{} rules were broken", problems.len());
    Ok(())
}

fn source(arguments: &ModelArguments) -> anyhow::Result<ModelSource> {
    if let (Some(path), Some(address)) = (&arguments.record, &arguments.address) {
        return Ok(ModelSource::Record(Arc::new(Cassette::create(path)?), address.clone()));
    }
    if let Some(path) = &arguments.replay {
        return Ok(ModelSource::Replay(Arc::new(Cassette::open(path)?)));
    }
    if let Some(ModelMind::Applicant) = arguments.mind {
        return Ok(ModelSource::Script(applicant()));
    }
    let Some(path) = &arguments.script else { return Ok(ModelSource::Script(obliging())) };
    Ok(ModelSource::Script(script_of_lines(&std::fs::read_to_string(path)?)?))
}

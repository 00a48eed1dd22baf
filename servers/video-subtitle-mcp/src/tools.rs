//! The tools: their descriptions for agents, and their functions.

use std::sync::Arc;
use std::time::Duration;

use capability_kit::{Capability, Effect, FileStrategy, Tool, Work};

use crate::jobs::{CancelJobArguments, CreateJobArguments, GetJobArguments, JobOffice};
use crate::options::VideoSubtitleOptions;
use crate::speech::SpeechEngine;
use crate::{align, check, convert, extract, preview, shift, split_merge, transcript};

/// An hour of speech takes some minutes.
const SPEECH_LIMIT: Duration = Duration::from_secs(900);

const INSTRUCTIONS: &str = "Subtitles and transcripts of videos. create_job takes a whole video by file_id or address and works \
    on; ask get_job for its state and result. The other tools take small files or text: extract_subtitles, \
    generate_transcript (English speech), convert_subtitles, shift, split_merge, check_subtitles, align_text, \
    burn_in_preview.";

/// The server as configured.
pub fn capability(options: &VideoSubtitleOptions) -> Capability {
    let engine = Arc::new(SpeechEngine::new(options));
    let office = Arc::new(JobOffice::new(options, Arc::clone(&engine)));
    let with = |tool: Tool| tool.capabilities(&["video"]);
    let on_file = |tool: Tool| with(tool).file(FileStrategy::BinaryBase64);
    Capability::new("video-subtitle-mcp", env!("CARGO_PKG_VERSION"), INSTRUCTIONS)
        .tool(with(create_job(&office)))
        .tool(with(get_job(&office)))
        .tool(with(cancel_job(&office)))
        .tool(on_file(extract_tool()))
        .tool(on_file(transcript_tool(&engine)))
        .tool(on_file(convert_tool()))
        .tool(on_file(shift_tool()))
        .tool(on_file(split_merge_tool()))
        .tool(on_file(check_tool()))
        .tool(on_file(align_tool(&engine)))
        .tool(on_file(preview_tool(&engine)))
}

fn create_job(office: &Arc<JobOffice>) -> Tool {
    let office = Arc::clone(office);
    Tool::new(
        "create_job",
        "Start a subtitle job",
        "Start long work on a video: its text track, or a transcript of its speech. Returns at once with a job_id; \
         get_job says how far it is and has the result. A job survives restarts.",
        move |arguments: CreateJobArguments, _: &Work| office.create(arguments),
    )
    .effect(Effect::External)
    .file(FileStrategy::VideoS3PresignedUrl)
}

fn get_job(office: &Arc<JobOffice>) -> Tool {
    let office = Arc::clone(office);
    Tool::new(
        "get_job",
        "Look at a subtitle job",
        "State and progress of a job, and its result when it is done: a ref_id for each format. A job that was \
         interrupted goes on when it is asked about.",
        move |arguments: GetJobArguments, work: &Work| office.get(&arguments, work),
    )
}

fn cancel_job(office: &Arc<JobOffice>) -> Tool {
    let office = Arc::clone(office);
    Tool::new(
        "cancel_job",
        "Cancel a subtitle job",
        "Stop a job. What it has done is dropped.",
        move |arguments: CancelJobArguments, _: &Work| office.cancel(&arguments),
    )
    .effect(Effect::Write)
}

fn extract_tool() -> Tool {
    Tool::new(
        "extract_subtitles",
        "Extract subtitles",
        "Read a text track of an MP4 or MKV video, or a file of subtitles (SRT, VTT, ASS, TTML, SBV). Lists all \
         subtitle tracks and returns the text of one.",
        extract::extract,
    )
}

fn transcript_tool(engine: &Arc<SpeechEngine>) -> Tool {
    let (engine, off) = (Arc::clone(engine), engine.missing());
    let tool = Tool::new(
        "generate_transcript",
        "Transcribe speech",
        "Write down the English speech of a sound or video file, offline: text, and on request subtitles and words \
         with times and confidence.",
        move |arguments, work: &Work| transcript::transcript(arguments, work, &engine),
    );
    let tool = tool.time_limit(SPEECH_LIMIT);
    match off {
        Some(why) => tool.off(why),
        None => tool,
    }
}

fn convert_tool() -> Tool {
    Tool::new(
        "convert_subtitles",
        "Convert subtitles",
        "Convert subtitles between SRT, VTT, ASS, TTML (IMSC) and SBV. Says what the new format cannot hold.",
        convert::convert,
    )
}

fn shift_tool() -> Tool {
    Tool::new(
        "shift",
        "Shift or stretch subtitles",
        "Move all times by milliseconds, stretch them between two points, or convert them to another frame rate.",
        shift::shift,
    )
}

fn split_merge_tool() -> Tool {
    Tool::new(
        "split_merge",
        "Split or merge subtitles",
        "Cut subtitles into parts at given times, join documents, or re-flow cues to a line length.",
        split_merge::split_merge,
    )
}

fn check_tool() -> Tool {
    Tool::new(
        "check_subtitles",
        "Check subtitles",
        "Check subtitles against a publisher's profile: line length, lines, reading speed, durations, gaps, overlaps, \
         line breaks. Returns counts by rule and the first findings with cue and time.",
        check::check_subtitles,
    )
}

fn align_tool(engine: &Arc<SpeechEngine>) -> Tool {
    let (engine, off) = (Arc::clone(engine), engine.missing());
    let tool = Tool::new(
        "align_text",
        "Align a text to speech",
        "Make subtitles of a known English text with the times at which a recording speaks it.",
        move |arguments, work: &Work| align::align_text(arguments, work, &engine),
    );
    let tool = tool.time_limit(SPEECH_LIMIT);
    match off {
        Some(why) => tool.off(why),
        None => tool,
    }
}

fn preview_tool(engine: &Arc<SpeechEngine>) -> Tool {
    let engine = Arc::clone(engine);
    Tool::new(
        "burn_in_preview",
        "Preview a caption",
        "Draw the caption of a time into a picture of the video, a frame of it, or a grey frame. Returns a PNG by ref.",
        move |arguments, work: &Work| preview::preview(arguments, work, &engine),
    )
}

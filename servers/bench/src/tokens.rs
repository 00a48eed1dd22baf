//! The tokens of typical answers, as o200k_base counts them: what a model pays for each.

use std::path::Path;

use anyhow::Context;
use serde_json::{Value, json};
use tiktoken_rs::o200k_base_singleton;

use crate::speed::{Session, base64};

/// A page as people send them.
const RESUME: &str = include_str!("../../resume-profile-mcp/tests/resume_profile/full_page.md");
const JOB: &str = "Senior Backend Engineer at Acme in Hamburg, hybrid. Salary 80,000 to 95,000 euros a year.\n\
    Requirements:\n- 5+ years of experience with Rust or Go\n- PostgreSQL and Kafka\n- Kubernetes\nNice to have:\n- Terraform\n\
    Apply by 30 November 2026 at jobs@acme.example.";
const CONTRACT: &str = "This Agreement is entered into by and between Acme Ltd and Beta Inc. Each party shall keep the Confidential \
    Information secret. Acme shall pay each invoice within 30 days. This Agreement is governed by the laws of England. Neither party may \
    assign this Agreement without consent. Contact: helga.brandt@example.org, +44 20 7946 0123.";
const PAGE: &str = "<!doctype html><html><title>Shop</title><body><img src=a.png><h1>Shop</h1><h3>Tea</h3><input name=q>\
    <p style=\"color:#999;background:#fff\">Cheap</p><a href=/x></a></body></html>";
const POST: &str =
    "The best tea on earth, guaranteed. Half of all people in town drink it every day. Shop now! #tea #Tea";
const SUBTITLES: &str = "1\n00:00:01,000 --> 00:00:03,000\nHello there.\n\n2\n00:00:03,500 --> 00:00:03,900\nGood morning to all of you.\n\n";

/// A call, and what it is about.
struct Asked {
    server: &'static str,
    tool: &'static str,
    about: &'static str,
    arguments: Value,
}

/// Measures the programs in a folder.
pub(crate) fn run(programs: &Path) -> anyhow::Result<()> {
    println!("| server | tool | of | tokens |\n|---|---|---|--:|");
    let mut last: Option<(&str, Session)> = None;
    // The ref of the answer before, for tools that go on from it.
    let mut made = Value::Null;
    for mut asked in calls() {
        if last.as_ref().is_none_or(|(server, _)| *server != asked.server) {
            last = Some((asked.server, Session::open(&programs.join(asked.server))?));
        }
        let Some((_, session)) = last.as_mut() else { continue };
        if asked.arguments["source_ref_id"] == "LAST" {
            asked.arguments["source_ref_id"] = made.clone();
        }
        let result = session.result(asked.tool, &asked.arguments).context(asked.tool)?;
        let text = result["content"][0]["text"].as_str().unwrap_or_default();
        let tokens = o200k_base_singleton().encode_ordinary(text).len();
        println!("| `{}` | `{}` | {} | {tokens} |", asked.server, asked.tool, asked.about);
        if result["structuredContent"]["ref_id"].is_string() {
            made = result["structuredContent"]["ref_id"].clone();
        }
    }
    Ok(())
}

fn calls() -> Vec<Asked> {
    let asked = |server, tool, about, arguments| Asked { server, tool, about, arguments };
    let file = |text: &str, kind: &str, mut more: Value| {
        more["file_data"] = json!(base64(text.as_bytes()));
        more["file_type"] = json!(kind);
        more
    };
    let (doc, words, resume) = ("doc-parser-mcp", "text-analysis-mcp", "resume-profile-mcp");
    let (audit, social, jobs) = ("audit-compliance-mcp", "social-intelligence-mcp", "job-search-mcp");
    let (media, video) = ("media-transform-mcp", "video-subtitle-mcp");
    let last = || json!({ "source_ref_id": "LAST" });
    let fit = json!({ "source_ref_id": "LAST", "job_description": JOB });
    vec![
        asked(doc, "extract_text", "a page of resume", file(RESUME, "text/markdown", json!({}))),
        asked(words, "summarize_text", "a page of resume", json!({ "text": RESUME })),
        asked(words, "extract_entities", "a page of resume", json!({ "text": RESUME })),
        asked(words, "extract_keywords", "a page of resume", json!({ "text": RESUME })),
        asked(resume, "parse_document", "a page of resume", file(RESUME, "text/markdown", json!({}))),
        asked(resume, "extract_profile", "a page of resume", last()),
        asked(resume, "score_fit", "a page of resume, a short advertisement", fit.clone()),
        asked(resume, "tailor_resume", "a page of resume, a short advertisement", fit),
        asked(media, "generate_pdf", "a page of resume", json!({ "markdown": RESUME })),
        asked(jobs, "parse_job", "a short advertisement", json!({ "text": JOB })),
        asked(jobs, "extract_skills", "a short advertisement", json!({ "text": JOB })),
        asked(jobs, "normalize_title", "a title", json!({ "title": "Sr. Backend Engineer (m/w/d)" })),
        asked(
            jobs,
            "generate_queries",
            "a title, a skill, all dialects",
            json!({ "title": "Backend Engineer", "must": ["Kubernetes"] }),
        ),
        asked(
            audit,
            "check_document",
            "a contract of six sentences",
            file(CONTRACT, "text/plain", json!({ "profile": "contract" })),
        ),
        asked(audit, "check_accessibility", "a page with six faults", json!({ "html": PAGE })),
        asked(audit, "find_personal_data", "a contract of six sentences", json!({ "text": CONTRACT })),
        asked(
            audit,
            "redact",
            "a contract of six sentences",
            json!({ "text": CONTRACT, "kinds": ["email_address"] }),
        ),
        asked(audit, "check_contract", "a contract of six sentences", json!({ "text": CONTRACT })),
        asked(
            audit,
            "compare_versions",
            "two short texts",
            json!({ "before": "The fee is 100 euros.", "after": "The fee is 200 euros." }),
        ),
        asked(
            social,
            "score_headlines",
            "two headlines",
            json!({ "headlines": ["Are You Ready?", "She Said 3 Words. The Room Stood Up."] }),
        ),
        asked(social, "score_content", "a post", json!({ "text": POST, "platform": "instagram" })),
        asked(social, "hashtags", "a post", json!({ "text": POST, "platform": "instagram" })),
        asked(social, "best_length", "a platform", json!({ "platform": "linkedin" })),
        asked(video, "check_subtitles", "two cues, two faults", json!({ "text": SUBTITLES })),
        asked(video, "convert_subtitles", "two cues", json!({ "text": SUBTITLES, "to": "vtt" })),
    ]
}

//! The tools of the server.

mod dedupe;
mod given;
mod matching;
mod parse;
mod queries;
mod skills;
mod titles;

use capability_kit::{Capability, FileStrategy, Tool};

/// The server, which needs no options: everything it knows is part of it.
pub fn capability() -> Capability {
    let with = |tool: Tool| tool.capabilities(&["jobs"]);
    Capability::new(
        "job-search-mcp",
        env!("CARGO_PKG_VERSION"),
        "Reads job advertisements: parse_job turns one into a schema.org JobPosting, extract_skills lists its \
         skills, match_profile compares it with a JSON Resume, dedupe_jobs finds the same advertisement on \
         several boards, normalize_title names the occupation, generate_queries writes searches for boards. \
         Nothing is searched on the network, and nothing is invented: what an advertisement does not say is \
         left out.",
    )
    .tool(
        with(Tool::new(
            "parse_job",
            "Parse a job advertisement",
            "Turn an advertisement (text, HTML with or without JSON-LD, PDF, DOCX) into a schema.org \
             JobPosting: title, company, places, remote rule, normalised salary, hours, dates, how to apply; \
             beside it seniority, requirements (must, nice) and skills. Ask for `sources` to get the place of \
             every field in the text. The ref_id is for match_profile.",
            parse::parse,
        ))
        .file(FileStrategy::BinaryBase64),
    )
    .tool(
        with(Tool::new(
            "extract_skills",
            "Extract skills",
            "List the skills (abilities, tasks) and the knowledge (tools, methods, subjects) that a text asks \
             for. English by a trained tagger; other languages by a list of well-known names, which the answer \
             says.",
            skills::extract,
        ))
        .file_at(FileStrategy::PlainTextText, "file_id", "file_text", None),
    )
    .tool(with(Tool::new(
        "match_profile",
        "Match a profile",
        "Compare an advertisement with a JSON Resume by the scorer of resume-profile-mcp: points by part, the \
         requirements that are met with quotes from the profile, and those that are not.",
        matching::compare,
    )))
    .tool(with(Tool::new(
        "dedupe_jobs",
        "Find duplicate jobs",
        "Find advertisements that are one and the same job on several boards, by title, company, place and \
         text. Another town, level or vacancy number is another job. Returns groups of ids; jobs in no group \
         have no duplicate.",
        dedupe::dedupe,
    )))
    .tool(with(Tool::new(
        "normalize_title",
        "Normalise a job title",
        "Name the occupation of a title (ISCO-08 unit group), its level, and alternatives.",
        titles::normalize,
    )))
    .tool(with(Tool::new(
        "generate_queries",
        "Write search queries",
        "Write one search (title, skills, exclusions, place) in the dialects of LinkedIn, Indeed, Google, Bing \
         and plain boards, with synonyms and the reason for each. Nothing is sent anywhere.",
        queries::generate,
    )))
}

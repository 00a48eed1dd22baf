//! Synonyms in descriptions of what a tool does.
//!
//! The families are of general English and of the trade; no product belongs here, and no word is here because
//! some query needs it. A word may belong to several.

use std::collections::BTreeMap;
use std::sync::LazyLock;

const DOING: &[&str] = &[
    "create add make new insert generate",
    "get fetch retrieve read show view display",
    "list enumerate browse show",
    "delete remove erase destroy discard",
    "find search query lookup locate discover",
    "update edit modify change alter amend",
    "write save store",
    "send post publish submit",
    "start launch run execute exec begin trigger",
    "stop cancel abort terminate halt",
    "copy duplicate clone",
    "move relocate transfer",
    "merge combine join",
    "split divide",
    "convert transform",
    "calculate compute evaluate",
    "compare diff",
    "check verify validate",
    "analyze inspect examine",
    "summarize overview summary",
    "upload attach",
    "download export",
    "import load ingest",
    "reply respond answer",
    "draw plot render visualize",
    "recommend suggest",
    "schedule plan book reserve",
    "close resolve complete finish",
    "mute silence snooze",
    "approve accept confirm",
    "assign delegate",
    "extract parse scrape",
    "install setup",
    "enable activate",
    "disable deactivate",
    "subscribe follow watch",
    "buy purchase order",
];

const THINGS: &[&str] = &[
    "image picture photo",
    "folder directory dir",
    "repository repo",
    "issue ticket bug",
    "pull pr",
    "message chat",
    "email mail",
    "user member person people account",
    "comment remark note",
    "label tag",
    "document doc docx",
    "documentation doc manual guide",
    "information info detail",
    "statistic stat",
    "authentication auth login",
    "application app",
    "environment env",
    "batch bulk multiple",
    "command shell terminal",
    "spreadsheet excel xlsx sheet workbook",
    "presentation powerpoint ppt pptx slide deck",
    "markdown md",
    "website webpage site page url link",
    "web internet online",
    "chart graph plot diagram",
    "price cost rate",
    "stock share equity ticker",
    "crypto cryptocurrency coin",
    "news headline article",
    "paper article publication",
    "train rail railway",
    "flight airline plane",
    "hotel accommodation lodging",
    "recipe meal dish food",
    "video movie film clip",
    "music song audio track",
    "error exception crash failure",
    "metric measurement",
    "database db",
    "row record entry",
    "event meeting appointment",
    "task todo reminder",
    "version release revision",
    "permission access restriction",
    "code source script",
    "password secret credential",
    "location place position",
    "route direction navigation",
    "weather forecast temperature",
    "city town",
    "country nation",
    "company business organization",
    "customer client",
    "team group",
    "job vacancy position",
    "product item goods",
    "invoice bill receipt",
    "payment transaction charge",
    "phone telephone mobile",
    "currency money",
    "server host machine",
    "configuration config settings preference option",
];

/// By stem, because queries and tools are compared by it.
static ALIKE: LazyLock<BTreeMap<String, Vec<String>>> = LazyLock::new(|| {
    let mut alike: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for family in DOING.iter().chain(THINGS) {
        let stems: Vec<String> = family.split(' ').map(|word| super::stem(word).into_owned()).collect();
        for stem in &stems {
            alike
                .entry(stem.clone())
                .or_default()
                .extend(stems.iter().filter(|other| *other != stem).cloned());
        }
    }
    alike
});

/// The synonyms' stems of a stem.
pub(crate) fn alike(stem: &str) -> &'static [String] {
    ALIKE.get(stem).map_or(&[], Vec::as_slice)
}

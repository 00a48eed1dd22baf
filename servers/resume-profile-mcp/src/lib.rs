//! Resumes to profiles, fit and tailored resumes, as an MCP server. It works by rules and word lists: no
//! model, no network, and nothing in an answer that is not in the document.

pub mod draft;
pub mod parsed;
pub mod profile;
pub mod reading;
mod section;
pub mod sections;
pub mod tools;

mod contact;
mod dates;
mod education;
mod entries;
mod fit;
mod labels;
mod others;
mod person;
mod pieces;
mod skills;
mod spoken;
mod tailor;
mod vocabulary;
mod words;
mod work;

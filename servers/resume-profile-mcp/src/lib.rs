//! Resumes to profiles, fit and tailored resumes, as an MCP server. It works by rules and word lists: no
//! model, no network, and nothing in an answer that is not in the document.

// From a file to a profile.
pub mod draft;
pub mod parsed;
pub mod profile;
pub mod reading;
mod section;
pub mod sections;

// The tools, and what they make of a profile.
mod fit;
mod tailor;
pub mod tools;

// For the server for jobs.
pub mod shared;

// Parts of a resume.
mod contact;
mod education;
mod others;
mod person;
mod skills;
mod spoken;
mod work;

// Shared by the parts.
mod dates;
mod entries;
mod labels;
mod pieces;
mod vocabulary;
mod words;

//! A document as data, laid out as PDF or DOCX.
//!
//! An [`Article`] is read from Markdown, HTML, JSON, a template with data, or made from a [`Resume`]; writers
//! produce PDF, DOCX, Markdown or HTML. Pure functions: no network, no other process, and no files except the
//! fonts of this machine. Text is never code: the text of a document comes out literally.

// A document as data.
mod article;
mod error;
mod limits;
mod made;
mod style;

// Formats.
mod docx;
mod html;
mod markdown;
mod pdf;

// Documents from other data.
mod resume;
mod template;

// Shared by formats.
mod day;
mod direction;
mod links;
mod picture;

pub use article::{Align, Article, Block, ListItem, StyledText, Table, TextRun};
pub use day::Day;
pub use docx::docx;
pub use error::TypesetError;
pub use html::html;
pub use limits::ArticleLimits;
pub use links::safe_link;
pub use made::FinishedFile;
pub use markdown::markdown;
pub use pdf::pdf;
pub use picture::{Picture, PictureKind};
pub use resume::{
    Award, Basics, Certificate, Education, Interest, Language, Location, Profile, Project, Publication,
    Reference, Resume, ResumeOptions, Skill, Volunteer, Work, resume_article, resume_docx, resume_pdf,
};
pub use style::{
    ContentsLevels, DocxOptions, FontSource, Numbering, PageSize, PdfOptions, Standard, Style, Theme,
};
pub use template::fill;

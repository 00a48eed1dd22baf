//! Limits of documents, and of what is made of them.

/// Limits of a document.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ReadLimits {
    pub bytes_max: usize,
    /// Scalars, lists and objects, counted with all that aliases repeat.
    pub nodes_max: usize,
    /// Levels of lists and objects. More than `DEPTH_MAX` are never read.
    pub depth_max: usize,
}

impl Default for ReadLimits {
    fn default() -> Self {
        ReadLimits { bytes_max: 32 << 20, nodes_max: 4_000_000, depth_max: DEPTH_MAX }
    }
}

/// Levels of a document: what the JSON parser reads, which keeps its stack.
pub const DEPTH_MAX: usize = 127;
/// Other documents that one may refer to, directly or not.
pub const DOCUMENTS_MAX: usize = 64;
/// Steps from reference to reference.
pub(crate) const REFERENCE_STEPS_MAX: usize = 32;
/// Characters of the name of a tool or an argument.
pub(crate) const NAME_CHARS_MAX: usize = 64;
/// Characters of a tool's description.
pub(crate) const DESCRIPTION_CHARS_MAX: usize = 4_096;
/// Bytes of an input schema, about, beyond which schemas that it refers to are left open.
pub(crate) const INPUT_BYTES_MAX: usize = 32 << 10;
/// The same of an output schema, which nobody has to fill in.
pub(crate) const OUTPUT_BYTES_MAX: usize = 8 << 10;
/// Bytes of what stands in the operation itself, beyond which its parts are left open.
pub(crate) const INLINE_BYTES_MAX: usize = 128 << 10;
/// Levels of schemas within schemas.
pub(crate) const SCHEMA_LEVELS_MAX: usize = 26;
/// Bytes of all schemas of a document together, about. Operations beyond are left out.
pub(crate) const TOOLS_BYTES_MAX: usize = 1 << 30;
/// Properties of a body that are arguments of their own; a larger body is one argument.
pub(crate) const FIELDS_MAX: usize = 256;

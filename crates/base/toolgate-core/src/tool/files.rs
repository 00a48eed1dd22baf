//! Arguments that are files: agents pass an id, and the gateway turns the file into the form that the tool
//! expects.

/// The way a `file_id` becomes arguments.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FileStrategy {
    BinaryBase64,
    PlainTextContent,
    PlainTextText,
    ImageBase64,
    #[serde(rename = "video_s3_presigned_url")]
    VideoS3PresignedUrl,
    Passthrough,
}

impl FileStrategy {
    pub const ALL: [FileStrategy; 6] = [
        FileStrategy::BinaryBase64,
        FileStrategy::PlainTextContent,
        FileStrategy::PlainTextText,
        FileStrategy::ImageBase64,
        FileStrategy::VideoS3PresignedUrl,
        FileStrategy::Passthrough,
    ];

    pub fn as_str(self) -> &'static str {
        match self {
            FileStrategy::BinaryBase64 => "binary_base64",
            FileStrategy::PlainTextContent => "plain_text_content",
            FileStrategy::PlainTextText => "plain_text_text",
            FileStrategy::ImageBase64 => "image_base64",
            FileStrategy::VideoS3PresignedUrl => "video_s3_presigned_url",
            FileStrategy::Passthrough => "passthrough",
        }
    }
}

impl FileStrategy {
    /// The default name of the argument with the content.
    fn content_name(self) -> &'static str {
        match self {
            FileStrategy::BinaryBase64 => "file_data",
            FileStrategy::PlainTextContent => "content",
            FileStrategy::PlainTextText => "text",
            FileStrategy::ImageBase64 => "image_data",
            FileStrategy::VideoS3PresignedUrl => "input_url",
            FileStrategy::Passthrough => FileSlot::ARGUMENT,
        }
    }

    /// The default name of the argument with the media type, if there is one.
    fn type_name(self) -> Option<&'static str> {
        match self {
            FileStrategy::BinaryBase64 => Some("file_type"),
            FileStrategy::ImageBase64 => Some("image_type"),
            _ => None,
        }
    }
}

/// One argument that takes a file: the argument of agents, and the arguments of the server.
#[derive(Clone, PartialEq, Eq, Hash, Debug, serde::Serialize)]
pub struct FileSlot {
    /// The argument for the id of a file or a ref.
    pub argument: String,
    pub strategy: FileStrategy,
    /// The server's argument for the content. The same as `argument` if the id itself is passed on.
    pub content: String,
    /// The server's argument for the media type, if it expects one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub media_type: Option<String>,
    /// The server's argument for the name of the file, if it expects one. Content without a name leaves it out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file_name: Option<String>,
    /// True if the server takes several files: then agents pass a list of ids. The server's own schema
    /// decides this.
    pub many: bool,
}

/// A slot as people and servers write it: only the strategy must be said.
#[derive(Clone, PartialEq, Eq, Debug, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SlotForm {
    pub strategy: FileStrategy,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub argument: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub media_type: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file_name: Option<String>,
}

#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum BadSlot {
    #[error("{0:?} is not the name of an argument: 1 to {max} characters, none of them blank", max = FileSlot::NAME_CHARS_MAX)]
    Name(String),
    #[error("two files are filled into the argument {0:?}")]
    Twice(String),
    #[error("more than {max} files", max = FileSlot::SLOTS_MAX)]
    TooMany,
}

impl FileSlot {
    /// The default name of the agents' argument.
    pub const ARGUMENT: &'static str = "file_id";
    pub const SLOTS_MAX: usize = 16;
    const NAME_CHARS_MAX: usize = 128;

    pub fn of(strategy: FileStrategy) -> Self {
        SlotForm { strategy, argument: None, content: None, media_type: None, file_name: None }.into()
    }

    /// The slots of these forms, if they do not conflict with each other.
    pub fn all(forms: Vec<SlotForm>) -> Result<Vec<FileSlot>, BadSlot> {
        if forms.len() > Self::SLOTS_MAX {
            return Err(BadSlot::TooMany);
        }
        let slots: Vec<FileSlot> = forms.into_iter().map(FileSlot::from).collect();
        let mut names: Vec<&String> = Vec::new();
        for slot in &slots {
            let mut own: Vec<&String> = std::iter::once(&slot.argument).chain(slot.filled()).collect();
            own.dedup();
            for name in own {
                let fits = !name.is_empty()
                    && name.chars().count() <= Self::NAME_CHARS_MAX
                    && !name.contains(|c: char| c.is_control() || c.is_whitespace());
                if !fits {
                    return Err(BadSlot::Name(name.clone()));
                }
                if names.contains(&name) {
                    return Err(BadSlot::Twice(name.clone()));
                }
                names.push(name);
            }
        }
        Ok(slots)
    }

    /// True if an argument of this name belongs to it, at agents or at the server.
    pub fn fills(&self, name: &str) -> bool {
        self.argument == name || self.filled().any(|own| own == name)
    }

    /// The server's arguments that the gateway fills in.
    pub fn filled(&self) -> impl Iterator<Item = &String> {
        [Some(&self.content), self.media_type.as_ref(), self.file_name.as_ref()].into_iter().flatten()
    }

    /// True if the server gets something other than the id.
    pub fn expands(&self) -> bool {
        self.strategy != FileStrategy::Passthrough
    }
}

impl From<SlotForm> for FileSlot {
    fn from(form: SlotForm) -> Self {
        let strategy = form.strategy;
        let argument = form.argument.unwrap_or_else(|| Self::ARGUMENT.to_owned());
        let content = match strategy {
            FileStrategy::Passthrough => argument.clone(),
            _ => form.content.unwrap_or_else(|| strategy.content_name().to_owned()),
        };
        let media_type = match strategy.type_name() {
            Some(usual) => Some(form.media_type.unwrap_or_else(|| usual.to_owned())),
            None => form.media_type.filter(|_| strategy != FileStrategy::Passthrough),
        };
        let file_name = form.file_name.filter(|_| strategy != FileStrategy::Passthrough);
        Self { argument, strategy, content, media_type, file_name, many: false }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strategies_are_called_the_same_everywhere() {
        for strategy in FileStrategy::ALL {
            let json = serde_json::to_value(strategy).expect("a word");
            assert_eq!(json, strategy.as_str());
        }
    }

    #[test]
    fn a_strategy_alone_says_everything() {
        let slot = FileSlot::of(FileStrategy::BinaryBase64);
        assert_eq!((slot.argument.as_str(), slot.content.as_str()), ("file_id", "file_data"));
        assert_eq!(slot.media_type.as_deref(), Some("file_type"));
        let slot = FileSlot::of(FileStrategy::PlainTextText);
        assert_eq!((slot.content.as_str(), slot.media_type), ("text", None));
        assert_eq!(FileSlot::of(FileStrategy::Passthrough).content, "file_id");
    }

    #[test]
    fn two_slots_do_not_share_an_argument() {
        let form = |argument: &str| SlotForm {
            strategy: FileStrategy::PlainTextText,
            argument: Some(argument.to_owned()),
            content: None,
            media_type: None,
            file_name: None,
        };
        assert_eq!(FileSlot::all(vec![form("a"), form("b")]), Err(BadSlot::Twice("text".to_owned())));
        assert_eq!(FileSlot::all(vec![form("a b")]), Err(BadSlot::Name("a b".to_owned())));
        assert_eq!(FileSlot::all(vec![form("a")]).map(|slots| slots.len()), Ok(1));
    }
}

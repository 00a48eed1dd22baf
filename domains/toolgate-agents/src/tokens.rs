//! About how many tokens a text has. Only the model itself knows; where it has said so, that counts.

use toolgate_core::model::{CallArguments, MessagePart, ModelMessage, OfferedTool};

/// Bytes of a token in English prose and JSON, on the safe side.
const BYTES_PER_TOKEN: u64 = 4;
/// The frame of a message or a call in a provider's form.
const FRAME_TOKENS: u64 = 4;

pub(crate) fn of_text(text: &str) -> u64 {
    u64::try_from(text.len()).unwrap_or(u64::MAX).div_ceil(BYTES_PER_TOKEN)
}

pub(crate) fn of_message(message: &ModelMessage) -> u64 {
    let parts: u64 = message.parts.iter().map(of_part).sum();
    parts.saturating_add(FRAME_TOKENS)
}

fn of_part(part: &MessagePart) -> u64 {
    match part {
        MessagePart::Text(text) => of_text(text),
        MessagePart::Opaque { raw, .. } => of_text(raw.as_str()),
        MessagePart::Call(call) => {
            let arguments = match &call.arguments {
                CallArguments::Object(object) => object.as_str(),
                CallArguments::Broken(text) => text,
            };
            of_text(&call.name) + of_text(arguments) + FRAME_TOKENS
        }
        MessagePart::Result(result) => of_text(&result.text) + FRAME_TOKENS,
    }
}

pub(crate) fn of_tools(tools: &[OfferedTool]) -> u64 {
    let of_tool = |tool: &OfferedTool| {
        of_text(&tool.name) + of_text(&tool.description) + of_text(tool.schema.as_str()) + FRAME_TOKENS
    };
    tools.iter().map(of_tool).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_has_a_token_for_four_bytes_rounded_up() {
        assert_eq!((of_text(""), of_text("abcd"), of_text("abcde")), (0, 1, 2));
        assert_eq!(of_message(&ModelMessage::user("abcd")), 5);
    }
}

//! The prompts, their rendering, and completion of their arguments.

use rmcp::ErrorData;
use rmcp::model::{
    CompleteRequestParams, CompletionInfo, ContentBlock, GetPromptRequestParams, GetPromptResponse,
    GetPromptResult, Prompt, PromptArgument, PromptMessage, Role,
};
use rmcp::service::{RequestContext, RoleServer};
use serde_json::json;

use super::ask::{Asker, Question, Reply};
use super::changes::Changes;
use super::resources::{PNG_BASE64, plain_text};
use super::state::ConformanceServer;

const COMPLETIONS: [&str; 6] = ["paris", "park", "party", "test", "testValue1", "testValue2"];

pub(super) fn list(changes: &Changes) -> Vec<Prompt> {
    let required = |name: &str, description: &str| {
        PromptArgument::new(name).with_description(description).with_required(true)
    };
    let mut prompts = vec![
        Prompt::new("test_simple_prompt", Some("One message, no arguments"), None),
        Prompt::new(
            "test_prompt_with_arguments",
            Some("Renders both of its arguments"),
            Some(vec![required("arg1", "First test argument"), required("arg2", "Second test argument")]),
        ),
        Prompt::new(
            "test_prompt_with_embedded_resource",
            Some("Carries a resource"),
            Some(vec![required("resourceUri", "Address of the resource to embed")]),
        ),
        Prompt::new("test_prompt_with_image", Some("Carries a picture"), None),
        Prompt::new("test_input_required_result_prompt", Some("Asks the client for context first"), None),
    ];
    if changes.shows_changing_prompt() {
        prompts.push(Prompt::new(
            "test_changing_prompt",
            Some("Comes and goes with test_trigger_prompt_change"),
            None,
        ));
    }
    prompts
}

pub(super) async fn get(
    server: &ConformanceServer,
    request: &GetPromptRequestParams,
    ctx: &RequestContext<RoleServer>,
) -> Result<GetPromptResponse, ErrorData> {
    let messages = match request.name.as_str() {
        "test_simple_prompt" => vec![user_text("This is a simple prompt for testing.")],
        "test_prompt_with_arguments" => vec![user_text(&format!(
            "Prompt with arguments: arg1='{}', arg2='{}'",
            argument(request, "arg1")?,
            argument(request, "arg2")?
        ))],
        "test_prompt_with_embedded_resource" => {
            let resource =
                plain_text("Embedded resource content for testing.", argument(request, "resourceUri")?);
            vec![
                PromptMessage::new(Role::User, ContentBlock::resource(resource)),
                user_text("Please process the embedded resource above."),
            ]
        }
        "test_prompt_with_image" => vec![
            PromptMessage::new(Role::User, ContentBlock::image(PNG_BASE64, "image/png")),
            user_text("Please analyze the image above."),
        ],
        "test_input_required_result_prompt" => return ask_for_context(server, request, ctx).await,
        "test_changing_prompt" if server.shared.changes.shows_changing_prompt() => {
            vec![user_text("Here for now.")]
        }
        unknown => return Err(ErrorData::invalid_params(format!("unknown prompt {unknown:?}"), None)),
    };
    Ok(GetPromptResult::new(messages).into())
}

/// Sorted alphabetically, and only if there is an argument to complete.
pub(super) fn complete(request: &CompleteRequestParams) -> CompletionInfo {
    let values = COMPLETIONS
        .iter()
        .filter(|value| value.starts_with(&request.argument.value))
        .map(|value| (*value).to_owned())
        .collect();
    CompletionInfo::with_all_values(values).expect("six values are fewer than a hundred")
}

async fn ask_for_context(
    server: &ConformanceServer,
    request: &GetPromptRequestParams,
    ctx: &RequestContext<RoleServer>,
) -> Result<GetPromptResponse, ErrorData> {
    let asker = Asker {
        codec: &server.shared.codec,
        ctx,
        subject: &request.name,
        responses: request.input_responses.as_ref(),
        state: request.request_state.as_deref(),
    };
    let question = Question::elicit(
        "user_context",
        "What context should the prompt use?",
        json!({ "context": { "type": "string" } }),
        &["context"],
    );
    match asker.ask(&[question]).await? {
        Reply::Pending(pending) => Ok(pending.into()),
        Reply::Answers(answers) => {
            let context = answers["user_context"]["content"]["context"].as_str().unwrap_or("none given");
            Ok(GetPromptResult::new(vec![user_text(&format!("Work in this context: {context}"))]).into())
        }
    }
}

fn argument<'a>(request: &'a GetPromptRequestParams, name: &str) -> Result<&'a str, ErrorData> {
    let value = request.arguments.as_ref().and_then(|arguments| arguments.get(name));
    value
        .and_then(|value| value.as_str())
        .ok_or_else(|| ErrorData::invalid_params(format!("argument {name:?} is missing"), None))
}

fn user_text(text: &str) -> PromptMessage {
    PromptMessage::new_text(Role::User, text)
}

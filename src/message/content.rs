/*!
The envelope of a line, and content: what a message is made of. All dialects
share this.
*/

use crate::message::{all::*, schema::views};

macro_rules! content {
    ($each:ident) => {
        $each! {
            /// What lines of all kinds may carry: who wrote them, when, where
            /// and about what.
            struct Envelope {
                /// The line's own identifier.
                uuid: str = "uuid",
                /// The session that the line belongs to.
                session_id: str = "session_id" | "sessionId",
                /// The line that this one follows.
                parent_uuid: str = "parentUuid",
                /// The line that this one follows in meaning, where a
                /// compaction cut the chain.
                logical_parent_uuid: str =
                    "logical_parent_uuid" | "logicalParentUuid",
                /// The last line of the conversation that this one tells
                /// about.
                leaf_uuid: str = "leafUuid",
                /// When the line was written, as RFC 3339.
                timestamp: str = "timestamp",
                /// Whether the line is part of a sub-agent's conversation.
                is_sidechain: bool = "isSidechain",
                /// The tool call whose sub-agent says this.
                parent_tool_use_id: str = "parent_tool_use_id",
                /// Who the user is: `external` for anybody outside.
                user_type: str = "userType",
                /// How the agent was started.
                entrypoint: str = "entrypoint",
                /// The directory that the agent works in.
                cwd: str = "cwd",
                /// The version of the program that wrote the line.
                version: str = "version",
                /// The git branch that was checked out.
                git_branch: str = "gitBranch",
                /// A readable name of the session.
                slug: str = "slug",
                /// The sub-agent that the line comes from.
                agent_id: str = "agent_id" | "agentId",
                /// What kind of session this is.
                session_kind: str = "sessionKind",
                /// The team that the agent works in.
                team_name: str = "teamName",
                /// What the agent is called in its team.
                agent_name: str = "agentName",
                /// The prompt that led to this line.
                prompt_id: str = "promptId",
                /// The request that the line belongs to.
                request_id: str = "request_id" | "requestId",
                /// The user message that is being answered.
                user_message_uuid: str = "user_message_uuid",
                /// All user messages that are being answered.
                user_message_uuids: [str] = "user_message_uuids",
                /// The tool call that the line is about.
                tool_use_id: str = "tool_use_id" | "toolUseID",
                /// The tool that the line is about.
                tool_name: str = "tool_name" | "toolName",
                /// The background task that the line is about.
                task_id: str = "task_id",
                /// What the sub-agent was asked to do, in short.
                task_description: str = "task_description",
                /// What kind of sub-agent the line comes from.
                subagent_type: str = "subagent_type",
                /// How long it took, in milliseconds.
                duration_ms: f64 = "duration_ms" | "durationMs",
                /// How the agent asks for leave to use tools.
                permission_mode: PermissionMode =
                    "permissionMode" | "permission_mode",
                /// How hard the model is asked to think.
                effort: str = "effort",
                /// Whether fast mode is on.
                fast_mode_state: str = "fast_mode_state",
                /// Why fast mode cannot be had.
                fast_mode_disabled_reason: str = "fast_mode_disabled_reason",
                /// Whether the line is for the program and not for the user.
                is_meta: bool = "is_meta" | "isMeta",
                /// Whether the line tells of an error.
                is_error: bool = "is_error" | "isError",
                /// Whether the line was marked as deleted.
                is_deleted: bool = "isDeleted",
                /// Whether the work was cancelled.
                is_aborted: bool = "aborted" | "isAborted",
                /// Whether the line repeats something from before this run.
                historical: bool = "historical",
                /// Where the session was branched off.
                forked_from: ForkedFrom = "forkedFrom",
            }
        }
        $each! {
            /// One piece of content.
            union Block by "type" else Unknown(UnknownBlock) {
                /// Text.
                Text(TextBlock) = "text",
                /// What the model thought.
                Thinking(ThinkingBlock) = "thinking",
                /// What the model thought, encrypted.
                RedactedThinking(RedactedThinkingBlock) = "redacted_thinking",
                /// A call of a tool.
                ToolUse(ToolUseBlock) = "tool_use",
                /// What a tool gave back.
                ToolResult(ToolResultBlock) = "tool_result",
                /// A picture.
                Image(ImageBlock) = "image",
                /// A document.
                Document(DocumentBlock) = "document",
                /// A search result to cite from.
                SearchResult(SearchResultBlock) = "search_result",
                /// A call of a tool that the API runs.
                ServerToolUse(ServerToolUseBlock) = "server_tool_use",
                /// What a web search found.
                WebSearchToolResult(WebSearchToolResultBlock) =
                    "web_search_tool_result",
                /// What code that the API ran gave back.
                CodeExecutionToolResult(CodeExecutionToolResultBlock) =
                    "code_execution_tool_result",
                /// A call of an MCP server's tool that the API makes.
                McpToolUse(McpToolUseBlock) = "mcp_tool_use",
                /// What an MCP server's tool gave back.
                McpToolResult(McpToolResultBlock) = "mcp_tool_result",
                /// The name of a tool that may now be called.
                ToolReference(ToolReferenceBlock) = "tool_reference",
                /// A file put into the API's container.
                ContainerUpload(ContainerUploadBlock) = "container_upload",
                /// A change to another model.
                Fallback(FallbackBlock) = "fallback",
            }
        }
        $each! {
            /// What blocks of several kinds may carry.
            struct BlockCommon {
                /// How the API shall cache what comes up to here.
                cache_control: json = "cache_control",
            }
        }
        $each! {
            /// Text that somebody wrote.
            struct TextBlock: BlockCommon or "text" {
                /// The text itself.
                text: str = "text",
                /// Where the text is taken from.
                citations: [Citation] = "citations",
            }
        }
        $each! {
            /// A place that a text is taken from.
            struct Citation {
                /// What kind of place it is.
                kind: str = "type",
                /// The page's address.
                url: str = "url",
                /// The page's title.
                title: str = "title",
                /// The words that are cited.
                cited_text: str = "cited_text",
                /// Which of the documents it is, from 0.
                document_index: u64 = "document_index",
                /// The document's title.
                document_title: str = "document_title",
            }
        }
        $each! {
            /// What the model thought before it answered.
            struct ThinkingBlock {
                /// The thoughts; may be empty.
                thinking: str = "thinking",
                /// Proves to the API that the thoughts are its own.
                signature: str = "signature",
            }
        }
        $each! {
            /// Thoughts that only the API can read.
            struct RedactedThinkingBlock {
                /// The encrypted thoughts.
                data: str = "data",
            }
        }
        $each! {
            /// What calls of tools of all kinds have.
            struct CallBlock: BlockCommon {
                /// Identifies the call; its result names it.
                id: str = "id",
                /// The tool's name.
                name: str = "name",
                /// What the tool is called with.
                input: json = "input",
                /// Who makes the call.
                caller: ToolCaller = "caller",
            }
        }
        $each! {
            /// A call of a tool.
            struct ToolUseBlock: CallBlock {}
        }
        $each! {
            /// Who makes a tool call.
            struct ToolCaller {
                /// The kind of caller: `direct` for the model itself.
                kind: str = "type",
            }
        }
        $each! {
            /// A call of a tool that the API runs itself.
            struct ServerToolUseBlock: CallBlock {}
        }
        $each! {
            /// A call of an MCP server's tool that the API makes itself.
            struct McpToolUseBlock: CallBlock {
                /// The MCP server's name.
                server_name: str = "server_name",
            }
        }
        $each! {
            /// What results of tools of all kinds have.
            struct AnswerBlock: BlockCommon {
                /// The call that this is the result of.
                tool_use_id: str = "tool_use_id",
                /// What the tool gave back.
                content: Content = "content",
                /// Whether the tool failed, if that is said.
                failed: bool = "is_error",
            }
        }
        $each! {
            /// What a tool gave back.
            struct ToolResultBlock: AnswerBlock {}
        }
        $each! {
            /// What a web search by the API found.
            struct WebSearchToolResultBlock: AnswerBlock {}
        }
        $each! {
            /// What code that the API ran gave back.
            struct CodeExecutionToolResultBlock: AnswerBlock {}
        }
        $each! {
            /// What an MCP server's tool gave back to the API.
            struct McpToolResultBlock: AnswerBlock {}
        }
        $each! {
            /// A picture.
            struct ImageBlock: BlockCommon {
                /// The picture itself, or where it is.
                source: Source = "source",
            }
        }
        $each! {
            /// What blocks that can be cited have.
            struct CitableBlock: BlockCommon {
                /// The title.
                title: str = "title",
                /// Whether it may be cited.
                citations: json = "citations",
            }
        }
        $each! {
            /// A document.
            struct DocumentBlock: CitableBlock {
                /// The document itself, or where it is.
                source: Source = "source",
                /// What the model should know about the document.
                context: str = "context",
            }
        }
        $each! {
            /// A search result that the model may cite.
            struct SearchResultBlock: CitableBlock {
                /// Where it was found.
                source: str = "source",
                /// What was found.
                content: Content = "content",
            }
        }
        $each! {
            /// The data of a picture or document, or where it is.
            struct Source {
                /// How the data is given: `base64`, `url`, `file` ...
                kind: str = "type",
                /// The data's media type, such as `image/png`.
                media_type: str = "media_type",
                /// The data itself.
                data: str = "data",
                /// Where the data is.
                url: str = "url",
                /// The uploaded file that holds the data.
                file_id: str = "file_id",
                /// The data as blocks.
                content: Content = "content",
            }
        }
        $each! {
            /// The name of a tool that may now be called.
            struct ToolReferenceBlock {
                /// The tool's name.
                tool_name: str = "tool_name",
            }
        }
        $each! {
            /// A file put into the container that the API runs code in.
            struct ContainerUploadBlock: BlockCommon {
                /// The uploaded file.
                file_id: str = "file_id",
            }
        }
        $each! {
            /// A change from one model to another within a message.
            struct FallbackBlock {
                /// The model that was asked first.
                from: json = "from",
                /// The model that went on.
                to: json = "to",
            }
        }
        $each! {
            /// A block of a kind that linetape does not know.
            struct UnknownBlock {
                /// The block's kind.
                kind: str = "type",
            }
        }
        $each! {
            /// How a message of the API ended.
            struct Ending {
                /// Why the model stopped; absent while it has not.
                stop_reason: StopReason = "stop_reason",
                /// The stop sequence that was met.
                stop_sequence: str = "stop_sequence",
                /// More about why the model stopped.
                stop_details: json = "stop_details",
                /// The container that the API ran code in.
                container: json = "container",
            }
        }
        $each! {
            /// A message as the API has it.
            struct ApiMessage: Ending or "content" {
                /// The message's identifier; several lines may share it.
                id: str = "id",
                /// Always `message`.
                kind: str = "type",
                /// Who says it: `user` or `assistant`.
                role: str = "role",
                /// The model that wrote it.
                model: str = "model",
                /// What is said.
                content: Content = "content",
                /// The tokens that it took; not final before the last line
                /// with the same id.
                usage: Usage = "usage",
                /// What the API dropped from the context.
                context_management: json = "context_management",
                /// Notes of the API, such as why the cache was missed.
                diagnostics: json = "diagnostics",
            }
        }
        $each! {
            /// Why the model stopped.
            enum StopReason {
                /// It had said all it wanted.
                EndTurn = "end_turn",
                /// It reached the limit of tokens.
                MaxTokens = "max_tokens",
                /// It wrote a stop sequence.
                StopSequence = "stop_sequence",
                /// It waits for the result of a tool.
                ToolUse = "tool_use",
                /// It declined to answer.
                Refusal = "refusal",
                /// It paused a long turn, to be continued.
                PauseTurn = "pause_turn",
                /// Its context was full.
                ContextWindowExceeded = "model_context_window_exceeded",
            }
        }
        $each! {
            /// The tokens that were used.
            struct Usage {
                /// Tokens read, other than through the cache.
                input_tokens: u64 = "input_tokens",
                /// Tokens written.
                output_tokens: u64 = "output_tokens",
                /// Tokens put into the cache.
                cache_creation_input_tokens: u64 =
                    "cache_creation_input_tokens",
                /// Tokens read from the cache.
                cache_read_input_tokens: u64 = "cache_read_input_tokens",
                /// Tokens put into the cache, by how long they stay.
                cache_creation: CacheCreation = "cache_creation",
                /// How often the API ran tools of its own.
                server_tool_use: ServerToolUseCounts = "server_tool_use",
                /// The service tier that was used.
                service_tier: str = "service_tier",
                /// Where in the world the model ran.
                inference_geo: str = "inference_geo",
                /// The usage of each step of the request.
                iterations: [json] = "iterations",
                /// Whether the model ran fast or as usual.
                speed: str = "speed",
                /// What the tokens were written for.
                output_tokens_details: OutputTokensDetails =
                    "output_tokens_details",
                /// What is given back after a change of model.
                fallback_credit: json = "fallback_credit",
            }
        }
        $each! {
            /// Tokens put into the cache, by how long they stay.
            struct CacheCreation {
                /// Tokens that stay for five minutes.
                ephemeral_5m_input_tokens: u64 = "ephemeral_5m_input_tokens",
                /// Tokens that stay for an hour.
                ephemeral_1h_input_tokens: u64 = "ephemeral_1h_input_tokens",
            }
        }
        $each! {
            /// How often the API ran tools of its own.
            struct ServerToolUseCounts {
                /// Searches of the web.
                web_search_requests: u64 = "web_search_requests",
                /// Pages fetched.
                web_fetch_requests: u64 = "web_fetch_requests",
            }
        }
        $each! {
            /// What tokens were written for.
            struct OutputTokensDetails {
                /// Tokens of thought.
                thinking_tokens: u64 = "thinking_tokens",
            }
        }
    };
}
#[cfg(feature = "owned")]
pub(crate) use content;
content!(views);

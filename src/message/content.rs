/*!
The parts that all dialects share: the envelope of a line, content blocks, and
token usage.
*/

use crate::message::{all::*, schema::views};

macro_rules! content {
    ($to:ident) => {
        $to! {
            /// The metadata that any line may have: identifiers, time, working
            /// directory, permission mode.
            struct Envelope {
                /// The unique identifier of the line.
                uuid: str = "uuid",
                /// The session that the line belongs to.
                session_id: str = "session_id" | "sessionId",
                /// The uuid of the preceding line in the conversation tree.
                parent_uuid: str = "parentUuid",
                /// The uuid of the logical predecessor, where a compact
                /// boundary cut the chain of `parentUuid`.
                logical_parent_uuid: str =
                    "logical_parent_uuid" | "logicalParentUuid",
                /// The uuid of the last line of the conversation that this
                /// line describes.
                leaf_uuid: str = "leafUuid",
                /// The time at which the line was written, in RFC 3339 format.
                timestamp: str = "timestamp",
                /// Whether the line belongs to a sidechain, the conversation
                /// of a sub-agent.
                is_sidechain: bool = "isSidechain",
                /// The tool use that started the sub-agent which wrote the
                /// line.
                parent_tool_use_id: str = "parent_tool_use_id",
                /// The kind of user: `external` outside of the vendor's
                /// organisation.
                user_type: str = "userType",
                /// The entry point by which the agent was started, such as
                /// `cli`.
                entrypoint: str = "entrypoint",
                /// The working directory of the agent.
                cwd: str = "cwd",
                /// The version of the program that wrote the line.
                version: str = "version",
                /// The git branch that is checked out.
                git_branch: str = "gitBranch",
                /// The human-readable name of the session.
                slug: str = "slug",
                /// The identifier of the sub-agent that wrote the line.
                agent_id: str = "agent_id" | "agentId",
                /// The kind of session.
                session_kind: str = "sessionKind",
                /// The name of the agent's team.
                team_name: str = "teamName",
                /// The name of the agent within its team.
                agent_name: str = "agentName",
                /// The identifier of the prompt that led to the line.
                prompt_id: str = "promptId",
                /// The identifier of the API request or control request that
                /// the line belongs to.
                request_id: str = "request_id" | "requestId",
                /// The uuid of the user message that the line answers.
                user_message_uuid: str = "user_message_uuid",
                /// The uuids of all user messages that the line answers.
                user_message_uuids: [str] = "user_message_uuids",
                /// The identifier of the tool use that the line is about.
                tool_use_id: str = "tool_use_id" | "toolUseID",
                /// The name of the tool that the line is about.
                tool_name: str = "tool_name" | "toolName",
                /// The identifier of the background task that the line is
                /// about.
                task_id: str = "task_id",
                /// A short description of the sub-agent's task.
                task_description: str = "task_description",
                /// The type of the sub-agent that wrote the line.
                subagent_type: str = "subagent_type",
                /// The duration in milliseconds.
                duration_ms: f64 = "duration_ms" | "durationMs",
                /// The permission mode.
                permission_mode: PermissionMode =
                    "permissionMode" | "permission_mode",
                /// The reasoning effort requested of the model.
                effort: str = "effort",
                /// The state of fast mode, such as `on` or `off`.
                fast_mode_state: str = "fast_mode_state",
                /// The reason why fast mode is unavailable.
                fast_mode_disabled_reason: str = "fast_mode_disabled_reason",
                /// Whether the line is meant for the agent program and hidden
                /// from the user.
                is_meta: bool = "is_meta" | "isMeta",
                /// Whether the line reports an error.
                is_error: bool = "is_error" | "isError",
                /// Whether the line is flagged as deleted.
                is_deleted: bool = "isDeleted",
                /// Whether the operation was aborted.
                is_aborted: bool = "aborted" | "isAborted",
                /// Whether the line repeats a message from before this run.
                historical: bool = "historical",
                /// The point in another session from which this session was
                /// forked.
                forked_from: ForkedFrom = "forkedFrom",
            }

            /// The metadata of a line that is not part of the conversation.
            struct Header {
                /// The unique identifier of the line.
                uuid: str = "uuid",
                /// The session that the line belongs to.
                session_id: str = "session_id" | "sessionId",
                /// The time at which the line was written, in RFC 3339 format.
                timestamp: str = "timestamp",
                /// The identifier of the sub-agent that the line is about.
                agent_id: str = "agent_id" | "agentId",
            }

            /// A content block.
            union Block by "type" else Unknown(UnknownBlock) {
                /// Text.
                Text(TextBlock) = "text",
                /// The model's thinking.
                Thinking(ThinkingBlock) = "thinking",
                /// The model's thinking, encrypted.
                RedactedThinking(RedactedThinkingBlock) = "redacted_thinking",
                /// A tool use.
                ToolUse(ToolUseBlock) = "tool_use",
                /// A tool result.
                ToolResult(ToolResultBlock) = "tool_result",
                /// An image.
                Image(ImageBlock) = "image",
                /// A document.
                Document(DocumentBlock) = "document",
                /// A search result that the model can cite.
                SearchResult(SearchResultBlock) = "search_result",
                /// A tool use that the API executes.
                ServerToolUse(ServerToolUseBlock) = "server_tool_use",
                /// The result of a web search.
                WebSearchToolResult(WebSearchToolResultBlock) =
                    "web_search_tool_result",
                /// The result of code that the API executed.
                CodeExecutionToolResult(CodeExecutionToolResultBlock) =
                    "code_execution_tool_result",
                /// A use of an MCP tool that the API executes.
                McpToolUse(McpToolUseBlock) = "mcp_tool_use",
                /// The result of an MCP tool that the API executed.
                McpToolResult(McpToolResultBlock) = "mcp_tool_result",
                /// A reference to a tool that has become available.
                ToolReference(ToolReferenceBlock) = "tool_reference",
                /// A file uploaded to the API's container.
                ContainerUpload(ContainerUploadBlock) = "container_upload",
                /// A switch to another model.
                Fallback(FallbackBlock) = "fallback",
                /// A web page that the API fetched.
                WebFetchToolResult(WebFetchToolResultBlock) =
                    "web_fetch_tool_result",
                /// The advice of another model.
                AdvisorToolResult(AnswerBlock) =
                    "advisor_tool_result",
                /// The result of a shell command that the API executed.
                BashCodeExecutionToolResult(AnswerBlock) =
                    "bash_code_execution_tool_result",
                /// The result of a file operation that the API executed.
                TextEditorCodeExecutionToolResult(AnswerBlock) = "text_editor_code_execution_tool_result",
                /// The result of a search for tools.
                ToolSearchToolResult(AnswerBlock) =
                    "tool_search_tool_result",
                /// A summary of the conversation before it.
                Compaction(CompactionBlock) = "compaction",
                /// The tools of an MCP server.
                McpToolListing(McpToolListingBlock) = "mcp_tool_listing",
                /// A tool that becomes available.
                ToolAddition(ToolChangeBlock) = "tool_addition",
                /// A tool that is no longer available.
                ToolRemoval(ToolChangeBlock) = "tool_removal",
                /// A page that a web search found.
                WebSearchResult(WebSearchResultBlock) = "web_search_result",
                /// The state of a browser after a tool use.
                BrowserState(BrowserStateBlock) = "browser_state",
            }

            /// The fields that several types of content blocks share.
            struct BlockCommon {
                /// The cache control breakpoint: the API caches the prompt up
                /// to this block.
                cache_control: json = "cache_control",
            }

            /// A text block.
            struct TextBlock: BlockCommon or "text" {
                /// The text.
                text: str = "text",
                /// The sources that the text cites.
                citations: [Citation] = "citations",
            }

            /// A source cited by a text block.
            struct Citation {
                /// The type of citation, such as `web_search_result_location`.
                kind: str = "type",
                /// The URL of the page.
                url: str = "url",
                /// The title of the page.
                title: str = "title",
                /// The quoted text.
                cited_text: str = "cited_text",
                /// The zero-based index of the document.
                document_index: u64 = "document_index",
                /// The title of the document.
                document_title: str = "document_title",
                /// The identifier of the uploaded file.
                file_id: str = "file_id",
                /// The zero-based index of the first cited character.
                start_char_index: u64 = "start_char_index",
                /// The index after the last cited character.
                end_char_index: u64 = "end_char_index",
                /// The number of the first cited page, from 1.
                start_page_number: u64 = "start_page_number",
                /// The number after the last cited page.
                end_page_number: u64 = "end_page_number",
                /// The zero-based index of the first cited block.
                start_block_index: u64 = "start_block_index",
                /// The index after the last cited block.
                end_block_index: u64 = "end_block_index",
                /// The encrypted position in the page, for the API.
                encrypted_index: str = "encrypted_index",
                /// The zero-based index of the search result.
                search_result_index: u64 = "search_result_index",
                /// The source of the search result.
                source: str = "source",
            }

            /// A block with the model's thinking.
            struct ThinkingBlock {
                /// The thinking text; may be empty.
                thinking: str = "thinking",
                /// The signature with which the API verifies that it produced
                /// the thinking.
                signature: str = "signature",
            }

            /// A block with thinking that only the API can decrypt.
            struct RedactedThinkingBlock {
                /// The encrypted thinking.
                data: str = "data",
            }

            /// The fields that tool uses of all types share.
            struct CallBlock: BlockCommon {
                /// The identifier of the tool use; its tool result refers to
                /// it.
                id: str = "id",
                /// The name of the tool.
                name: str = "name",
                /// The input of the tool.
                input: json = "input",
                /// The caller of the tool.
                caller: ToolCaller = "caller",
            }

            /// A tool use.
            struct ToolUseBlock: CallBlock {
                /// The name of the toolset that provides the tool.
                toolset_name: str = "toolset_name",
            }

            /// The caller of a tool.
            struct ToolCaller {
                /// The type of caller: `direct` for the model itself.
                kind: str = "type",
                /// The identifier of the tool use that is the caller.
                tool_id: str = "tool_id",
            }

            /// A tool use that the API executes.
            struct ServerToolUseBlock: CallBlock {}

            /// A use of an MCP tool that the API executes.
            struct McpToolUseBlock: CallBlock {
                /// The name of the MCP server.
                server_name: str = "server_name",
            }

            /// The fields that tool results of all types share.
            struct AnswerBlock: BlockCommon {
                /// The identifier of the tool use that produced the result.
                tool_use_id: str = "tool_use_id",
                /// The output of the tool.
                content: Content = "content",
                /// The value of `is_error`, if present.
                failed: bool = "is_error",
            }

            /// A tool result.
            struct ToolResultBlock: AnswerBlock {
                /// The name of the toolset that provides the tool.
                toolset_name: str = "toolset_name",
            }

            /// The result of a web search that the API executed.
            struct WebSearchToolResultBlock: AnswerBlock {
                /// The caller of the tool.
                caller: ToolCaller = "caller",
            }

            /// The result of code that the API executed.
            struct CodeExecutionToolResultBlock: AnswerBlock {}

            /// A web page that the API fetched.
            struct WebFetchToolResultBlock: AnswerBlock {
                /// The caller of the tool.
                caller: ToolCaller = "caller",
            }

            /// The result of an MCP tool that the API executed.
            struct McpToolResultBlock: AnswerBlock {}

            /// An image block.
            struct ImageBlock: BlockCommon {
                /// The image data, or a reference to it.
                source: Source = "source",
                /// The changes that the API made to the image.
                transformations: json = "transformations",
            }

            /// The fields that citable blocks share.
            struct CitableBlock: BlockCommon {
                /// The title.
                title: str = "title",
                /// The citation settings: whether the block may be cited.
                citations: json = "citations",
            }

            /// A document block.
            struct DocumentBlock: CitableBlock {
                /// The document data, or a reference to it.
                source: Source = "source",
                /// Additional context about the document, for the model.
                context: str = "context",
            }

            /// A search result that the model can cite.
            struct SearchResultBlock: CitableBlock {
                /// The source of the result, such as a URL.
                source: str = "source",
                /// The content of the result.
                content: Content = "content",
            }

            /// A page that a web search found.
            struct WebSearchResultBlock {
                /// The title of the page.
                title: str = "title",
                /// The URL of the page.
                url: str = "url",
                /// The age of the page, such as `2 days ago`.
                page_age: str = "page_age",
                /// The content of the page, encrypted.
                encrypted_content: str = "encrypted_content",
            }

            /// The state of a browser after a tool use.
            struct BrowserStateBlock: BlockCommon {
                /// All open tabs.
                tabs: [BrowserTab] = "tabs",
                /// The tabs that were opened, and the downloads that changed.
                state_changes: [BrowserChange] = "state_changes",
            }

            /// An open tab of a browser.
            struct BrowserTab {
                /// The identifier of the tab.
                tab_id: str = "tab_id",
                /// The title of the page.
                title: str = "title",
                /// The URL of the page.
                url: str = "url",
                /// Whether the tab is the active one.
                active: bool = "active",
            }

            /// A change in a browser: a tab that was opened, or a download.
            struct BrowserChange {
                /// The type of change, such as `tab_opened` or
                /// `download_failed`.
                kind: str = "type",
                /// The identifier of the tab.
                tab_id: str = "tab_id",
                /// The identifier of the download.
                download_id: str = "download_id",
                /// The URL of the download.
                url: str = "url",
                /// The path of the downloaded file.
                path: str = "path",
                /// The size of the downloaded file in bytes.
                size_bytes: u64 = "size_bytes",
                /// The reason for the failure of the download.
                error: str = "error",
            }

            /// The data of an image or document, or a reference to it.
            struct Source {
                /// The type of source: `base64`, `url`, `file` ...
                kind: str = "type",
                /// The media type, such as `image/png`.
                media_type: str = "media_type",
                /// The data, usually encoded in base64.
                data: str = "data",
                /// The URL of the data.
                url: str = "url",
                /// The identifier of the uploaded file.
                file_id: str = "file_id",
                /// The data as content blocks.
                content: Content = "content",
            }

            /// A reference to a tool that has become available.
            struct ToolReferenceBlock: BlockCommon {
                /// The name of the tool.
                tool_name: str = "tool_name",
            }

            /// A file uploaded to the container in which the API executes
            /// code.
            struct ContainerUploadBlock: BlockCommon {
                /// The identifier of the uploaded file.
                file_id: str = "file_id",
            }

            /// A switch from one model to another within a message.
            struct FallbackBlock {
                /// The model that received the request first.
                from: json = "from",
                /// The model that took over.
                to: json = "to",
                /// The trigger of the switch.
                trigger: json = "trigger",
            }

            /// A summary with which the API replaced the conversation before
            /// it.
            struct CompactionBlock: BlockCommon {
                /// The summary; absent if the compaction failed.
                content: str = "content",
                /// The encrypted summary.
                encrypted_content: str = "encrypted_content",
                /// The signature with which the API verifies that it produced
                /// the summary.
                signature: str = "signature",
                /// The changes of the available tools.
                tool_changes: json = "tool_changes",
            }

            /// The tools of an MCP server.
            struct McpToolListingBlock: BlockCommon {
                /// The name of the server.
                mcp_server_name: str = "mcp_server_name",
                /// The tools.
                tools: [json] = "tools",
            }

            /// A tool that becomes available, or is no longer available.
            struct ToolChangeBlock: BlockCommon {
                /// The tool.
                tool: json = "tool",
            }

            /// A content block of an unknown type.
            struct UnknownBlock {
                /// The type of the block.
                kind: str = "type",
            }

            /// The fields that describe how an API message ended.
            struct Ending {
                /// The stop reason; absent while the message is incomplete.
                stop_reason: StopReason = "stop_reason",
                /// The stop sequence that the model generated.
                stop_sequence: str = "stop_sequence",
                /// Details about the stop reason.
                stop_details: StopDetails = "stop_details",
                /// The container in which the API executed code.
                container: json = "container",
            }

            /// Details about a stop reason.
            struct StopDetails {
                /// The stop reason, such as `refusal`.
                kind: str = "type",
                /// The category of the refusal, such as `cyber` or `bio`.
                category: str = "category",
                /// The explanation of the refusal.
                explanation: str = "explanation",
                /// A model that might not refuse.
                recommended_model: str = "recommended_model",
                /// A token with which a retry on another model is cheaper.
                fallback_credit_token: str = "fallback_credit_token",
                /// Whether the token covers a retry that continues the
                /// refused output.
                fallback_has_prefill_claim: bool =
                    "fallback_has_prefill_claim",
            }

            /// A message in the format of the API.
            struct ApiMessage: Ending or "content" {
                /// The identifier of the message; several lines may share it.
                id: str = "id",
                /// Always `message`.
                kind: str = "type",
                /// The role of the author: `user` or `assistant`.
                role: str = "role",
                /// The model that generated the message.
                model: str = "model",
                /// The content.
                content: Content = "content",
                /// The token usage; final only in the last line with the same
                /// `id`.
                usage: Usage = "usage",
                /// The context edits that the API applied.
                context_management: json = "context_management",
                /// Diagnostics of the API, such as the reason for a cache
                /// miss.
                diagnostics: json = "diagnostics",
                /// The changes that the API made to the input.
                input_transformations: [json] = "input_transformations",
            }

            /// The stop reason of a message.
            enum StopReason {
                /// The model finished its turn.
                EndTurn = "end_turn",
                /// The model reached the maximum number of output tokens.
                MaxTokens = "max_tokens",
                /// The model generated a stop sequence.
                StopSequence = "stop_sequence",
                /// The model called a tool and waits for its result.
                ToolUse = "tool_use",
                /// The model refused to answer.
                Refusal = "refusal",
                /// The model paused a long turn, which can be continued.
                PauseTurn = "pause_turn",
                /// The context window of the model is full.
                ContextWindowExceeded = "model_context_window_exceeded",
                /// The API compacted the conversation and paused.
                Compaction = "compaction",
            }

            /// Token usage.
            struct Usage {
                /// The input tokens, without those written to or read from the
                /// cache.
                input_tokens: u64 = "input_tokens",
                /// The output tokens.
                output_tokens: u64 = "output_tokens",
                /// The cache creation tokens: input tokens written to the
                /// cache.
                cache_creation_input_tokens: u64 =
                    "cache_creation_input_tokens",
                /// The cache read tokens: input tokens read from the cache.
                cache_read_input_tokens: u64 = "cache_read_input_tokens",
                /// The cache creation tokens, by time to live.
                cache_creation: CacheCreation = "cache_creation",
                /// The number of requests for each server tool.
                server_tool_use: ServerToolUseCounts = "server_tool_use",
                /// The service tier of the request.
                service_tier: str = "service_tier",
                /// The region in which the model ran.
                inference_geo: str = "inference_geo",
                /// The usage of each iteration of the request.
                iterations: [UsageIteration] = "iterations",
                /// The inference speed, such as `standard` or `fast`.
                speed: str = "speed",
                /// A breakdown of the output tokens.
                output_tokens_details: OutputTokensDetails =
                    "output_tokens_details",
                /// The credit granted after a switch to another model.
                fallback_credit: json = "fallback_credit",
            }

            /// The usage of one iteration of a request.
            struct UsageIteration {
                /// The type of iteration.
                kind: IterationKind = "type",
                /// The model.
                model: str = "model",
                /// The input tokens, without those written to or read from the
                /// cache.
                input_tokens: u64 = "input_tokens",
                /// The output tokens.
                output_tokens: u64 = "output_tokens",
                /// The cache creation tokens.
                cache_creation_input_tokens: u64 =
                    "cache_creation_input_tokens",
                /// The cache read tokens.
                cache_read_input_tokens: u64 = "cache_read_input_tokens",
                /// The cache creation tokens, by time to live.
                cache_creation: CacheCreation = "cache_creation",
            }

            /// The type of an iteration of a request.
            enum IterationKind {
                /// An answer of the model.
                Message = "message",
                /// A compaction of the conversation.
                Compaction = "compaction",
                /// An answer of the advisor model.
                AdvisorMessage = "advisor_message",
                /// An answer of the fallback model.
                FallbackMessage = "fallback_message",
            }

            /// Cache creation tokens, by time to live.
            struct CacheCreation {
                /// The tokens cached for five minutes.
                ephemeral_5m_input_tokens: u64 = "ephemeral_5m_input_tokens",
                /// The tokens cached for one hour.
                ephemeral_1h_input_tokens: u64 = "ephemeral_1h_input_tokens",
            }

            /// The number of requests for each server tool.
            struct ServerToolUseCounts {
                /// The number of web searches.
                web_search_requests: u64 = "web_search_requests",
                /// The number of web pages fetched.
                web_fetch_requests: u64 = "web_fetch_requests",
            }

            /// A breakdown of the output tokens.
            struct OutputTokensDetails {
                /// The tokens used for thinking.
                thinking_tokens: u64 = "thinking_tokens",
            }
        }
    };
}
pub(crate) use content;
content!(views);

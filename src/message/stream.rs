/*!
Stream-json: the messages that an agent and its host exchange line by line.
*/

use crate::message::{all::*, schema::views};

macro_rules! stream_json {
    ($each:ident) => {
        $each! {
            /// What the messages of a turn share.
            struct TurnPart: Envelope {
                /// Why the turn was taken up again.
                resume_reason: str = "resume_reason",
                /// How the model's thoughts are to be shown.
                thinking_display: str = "thinking_display",
                /// The time to the first token, in milliseconds.
                ttft_ms: f64 = "ttft_ms",
                /// Where the prompt came from.
                origin: MessageOrigin = "origin",
                /// What the API said was wrong.
                api_error: str = "api_error" | "apiError",
                /// The code of the API's error.
                api_error_code: str = "api_error_code",
                /// Where the API's error arose.
                api_error_origin: str = "api_error_origin",
                /// The HTTP status of the API's error.
                api_error_status: u64 = "api_error_status" | "apiErrorStatus",
            }
        }
        $each! {
            /// Where a prompt came from.
            struct MessageOrigin {
                /// Who or what sent it.
                kind: OriginKind = "kind",
            }
        }
        $each! {
            /// Who or what sent a prompt.
            enum OriginKind {
                /// A person.
                Human = "human",
                /// A channel of messages.
                Channel = "channel",
                /// Another agent.
                Peer = "peer",
                /// A background task that ended.
                TaskNotification = "task-notification",
                /// The agent that directs this one.
                Coordinator = "coordinator",
                /// The program, to go on by itself.
                AutoContinuation = "auto-continuation",
                /// Not known.
                Unclassified = "unclassified",
                /// An agent that watches this one.
                Observer = "observer",
                /// Something that a watching agent did.
                ObserverActivity = "observer-activity",
            }
        }
        $each! {
            /// What messages of the assistant and of the user share.
            struct ChatMessage: TurnPart {
                /// What is said.
                message: (ApiMessage) = "message",
                /// Whether the message was never sent to the API.
                is_virtual: bool = "is_virtual",
                /// The message that the model declined to write.
                refused_message_id: str = "refused_message_id",
            }
        }
        $each! {
            /// Something that the model says or does.
            struct Assistant: ChatMessage {
                /// What kind of saying it is.
                subtype: AssistantSubtype = "subtype",
                /// What the tool is called with.
                tool_arguments: json = "toolArguments",
                /// What went wrong in place of an answer.
                error: AssistantError = "error",
                /// More about what went wrong.
                error_details: str = "error_details" | "errorDetails",
                /// Whether the text is an error of the API.
                is_api_error_message: bool =
                    "is_api_error_message" | "isApiErrorMessage",
                /// What the API's error is about.
                api_error_params: json = "api_error_params",
                /// The model that gave advice.
                advisor_model: str = "advisor_model" | "advisorModel",
                /// The agent that this is owed to.
                attribution_agent: str =
                    "attribution_agent" | "attributionAgent",
                /// The plugin that this is owed to.
                attribution_plugin: str =
                    "attribution_plugin" | "attributionPlugin",
                /// The skill that this is owed to.
                attribution_skill: str =
                    "attribution_skill" | "attributionSkill",
                /// The MCP server that this is owed to.
                attribution_mcp_server: str =
                    "attribution_mcp_server" | "attributionMcpServer",
                /// The MCP tool that this is owed to.
                attribution_mcp_tool: str =
                    "attribution_mcp_tool" | "attributionMcpTool",
                /// Tool calls that are made together.
                batch_tool_uses: [BatchToolUse] = "batch_tool_uses",
                /// How to show the tool calls.
                tool_use_meta: [ToolUseMeta] = "tool_use_meta",
                /// Tool inputs as the API sent them.
                wire_tool_inputs: json = "wire_tool_inputs" | "wireToolInputs",
                /// How the message was taken in.
                wire_ingest_context: json = "wire_ingest_context",
                /// What fills the model's context.
                context_usage: json = "context_usage",
                /// What the user has used so far.
                usage_report: json = "usage_report",
                /// The limits that were near.
                quota_limits: json = "quotaLimits",
                /// What the message cost, in dollars; only old versions write
                /// it.
                cost_usd: f64 = "costUSD",
                /// The slash command that was run.
                local_command_run: LocalCommandRun = "local_command_run",
                /// How the slash command ended.
                local_command_outcome: LocalCommandOutcome =
                    "local_command_outcome",
                /// Where the slash command came from.
                local_command_source: str = "local_command_source",
                /// The blocks that tell what is being done.
                narration_block_indexes: [u64] = "narration_block_indexes",
                /// How to show such blocks.
                narration_hint: str = "narration_hint",
                /// Whether the model went on from thoughts that were cut off.
                resumed_from_incomplete_thinking: bool =
                    "resumed_from_incomplete_thinking",
                /// How long the model thought, in milliseconds.
                thinking_duration_ms: f64 =
                    "thinking_duration_ms" | "thinkingDurationMs",
                /// The messages that this one replaces.
                supersedes: [str] = "supersedes",
                /// How hard the model is asked to think in this turn.
                per_turn_effort: str = "perTurnEffort",
                /// Which block of the API's message this line holds.
                api_block_index: u64 = "apiBlockIndex",
                /// Whether the message was cut off while it came in.
                is_aborted_mid_stream: bool = "isAbortedMidStream",
            }
        }
        $each! {
            /// What kind of saying of the assistant it is.
            enum AssistantSubtype {
                /// A text.
                Response = "response",
                /// A call of a tool.
                ToolUse = "tool_use",
                /// A thought.
                Thinking = "thinking",
                /// A slash command.
                Command = "command",
                /// An error.
                Error = "error",
            }
        }
        $each! {
            /// What went wrong in place of an answer.
            enum AssistantError {
                /// The key or login is not valid.
                AuthenticationFailed = "authentication_failed",
                /// The organisation may not be used.
                OauthOrgNotAllowed = "oauth_org_not_allowed",
                /// The account is on hold.
                AccountOnHold = "account_on_hold",
                /// The account cannot pay.
                BillingError = "billing_error",
                /// Too much was asked in too short a time.
                RateLimit = "rate_limit",
                /// The API has too much to do.
                Overloaded = "overloaded",
                /// The API did not accept the request.
                InvalidRequest = "invalid_request",
                /// There is no such model.
                ModelNotFound = "model_not_found",
                /// The API failed.
                ServerError = "server_error",
                /// The answer was too long.
                MaxOutputTokens = "max_output_tokens",
                /// The program does not know.
                Unknown = "unknown",
            }
        }
        $each! {
            /// A tool call that is made together with others.
            struct BatchToolUse {
                /// The call.
                id: str = "id",
                /// The tool's name.
                name: str = "name",
            }
        }
        $each! {
            /// How to show a tool call.
            struct ToolUseMeta {
                /// The call.
                id: str = "id",
                /// The tool's name for people.
                display_name: str = "display_name",
                /// The server's name for people.
                server_display_name: str = "server_display_name",
                /// Where the tool's icon is.
                icon_url: str = "icon_url",
                /// The server that has the tool.
                server_id: str = "server_id",
                /// Proves which server it is.
                server_id_stamp: str = "server_id_stamp",
                /// The tool's name on its server.
                tool_name: str = "tool_name",
            }
        }
        $each! {
            /// A slash command that was run.
            struct LocalCommandRun {
                /// The command's name.
                command: str = "command",
                /// What was written after it.
                args: str = "args",
                /// The plugin that has the command.
                plugin: str = "plugin",
            }
        }
        $each! {
            /// How a slash command ended.
            struct LocalCommandOutcome {
                /// The kind of ending.
                kind: str = "kind",
                /// What the user may have meant.
                suggestion: str = "suggestion",
            }
        }
        $each! {
            /// Something that the user says, or the results of tools.
            struct User: ChatMessage {
                /// The tool's result in the program's own form.
                tool_use_result: json = "tool_use_result" | "toolUseResult",
                /// More about the results of tools.
                tool_result_meta: [ToolResultMeta] = "tool_result_meta",
                /// More about the result of an MCP tool.
                mcp_meta: McpMeta = "mcp_meta" | "mcpMeta",
                /// The line with the tool call that this answers.
                source_tool_assistant_uuid: str =
                    "source_tool_assistant_uuid" | "sourceToolAssistantUUID",
                /// The tool call that made this message.
                source_tool_use_id: str =
                    "source_tool_use_id" | "sourceToolUseID",
                /// Whether the message is sent back to the one who wrote it.
                is_replay: bool = "isReplay" | "is_replay",
                /// Whether the program wrote the message.
                is_synthetic: bool = "isSynthetic" | "is_synthetic",
                /// Whether the message sums up the conversation before it.
                is_compact_summary: bool =
                    "is_compact_summary" | "isCompactSummary",
                /// Whether only the transcript shows the message.
                is_visible_in_transcript_only: bool =
                    "is_visible_in_transcript_only"
                    | "isVisibleInTranscriptOnly",
                /// What the message sums up.
                summarize_metadata: SummarizeMetadata =
                    "summarize_metadata" | "summarizeMetadata",
                /// Whether the model shall answer.
                should_query: bool = "shouldQuery" | "should_query",
                /// How soon the message shall be read.
                priority: str = "priority",
                /// How soon the queued message was to be read.
                queue_priority: str = "queuePriority",
                /// How soon an interruption puts the message back, in
                /// milliseconds.
                requeue_if_interrupted_within_ms: f64 =
                    "requeue_if_interrupted_within_ms",
                /// The message that this one interrupted.
                interrupted_message_id: str =
                    "interrupted_message_id" | "interruptedMessageId",
                /// Where the message came in.
                inbound_origin: str = "inbound_origin",
                /// Who set the message off.
                initiator: str = "initiator",
                /// Whether the client put the message together.
                client_composed: bool = "client_composed",
                /// The client that it was written in.
                client_platform: str = "client_platform",
                /// When the server had the message, in milliseconds since
                /// 1970.
                server_received_wall_ms: f64 = "server_received_wall_ms",
                /// How the prompt was entered.
                prompt_source: str = "promptSource",
                /// Whether the message called the agent to the work.
                seeded_summon: bool = "seeded_summon",
                /// Whether the text came by other means than typing.
                text_not_typed: bool = "text_not_typed",
                /// The pictures that were pasted.
                image_paste_ids: [u64] = "image_paste_ids" | "imagePasteIds",
                /// The files that came along.
                file_attachments: [json] = "file_attachments",
                /// What was pasted.
                pasted_content: [json] = "pasted_content",
                /// What was pasted into the text.
                inline_pastes: [str] = "inline_pastes",
                /// The plan that the user agreed to.
                plan_content: str = "plan_content" | "planContent",
                /// How a tool call was denied.
                tool_denial_kind: str = "toolDenialKind",
                /// What was decided about a tool call.
                permission_decision: json = "permissionDecision",
                /// What the user said about a tool call.
                user_feedback: str = "userFeedback",
                /// Whether the tool's result ends the turn.
                tool_ends_turn: bool = "toolEndsTurn",
                /// What goes along with the turn.
                turn_companion: json = "turnCompanion",
                /// What set the turn off.
                turn_origin: json = "turnOrigin",
                /// Where in the turn the line stands.
                turn_position: json = "turnPosition",
                /// Notes for the classifier of commands.
                classifier_meta_lines: json = "classifierMetaLines",
                /// What the classifier on the server was told.
                server_classifier_context: json = "serverClassifierContext",
                /// How much the model was to think.
                thinking_metadata: json = "thinkingMetadata",
                /// The list of things to do.
                todos: [json] = "todos",
            }
        }
        $each! {
            /// More about the result of a tool.
            struct ToolResultMeta {
                /// The call.
                id: str = "id",
                /// Why the tool was not run.
                non_execution_kind: str = "non_execution_kind",
                /// What the user said about the call.
                user_feedback: str = "user_feedback",
                /// What can be done about it.
                remedy: json = "remedy",
                /// Whether the call was allowed.
                permission_decision: ToolPermissionDecision =
                    "permission_decision",
            }
        }
        $each! {
            /// What was decided about a tool call.
            struct ToolPermissionDecision {
                /// Whether it was allowed.
                decision: str = "decision",
                /// Who decided.
                source: str = "source",
                /// The kind of reason.
                reason_type: str = "reason_type",
            }
        }
        $each! {
            /// More about the result of an MCP tool.
            struct McpMeta {
                /// The server's own notes.
                meta: json = "_meta",
                /// The result as data.
                structured_content: json =
                    "structured_content" | "structuredContent",
                /// What the result points to.
                resource_links: [ResourceLink] =
                    "resource_links" | "resourceLinks",
            }
        }
        $each! {
            /// Something that a result points to.
            struct ResourceLink {
                /// Where it is.
                uri: str = "uri",
                /// Its name.
                name: str = "name",
                /// Its title for people.
                title: str = "title",
                /// What it is.
                description: str = "description",
                /// Its media type.
                mime_type: str = "mimeType",
                /// Its size in bytes.
                size: u64 = "size",
                /// Notes on it.
                annotations: json = "annotations",
            }
        }
        $each! {
            /// How much of a conversation was summed up.
            struct Summarized {
                /// The messages that were summed up.
                messages_summarized: u64 =
                    "messages_summarized" | "messagesSummarized",
                /// What the user asked to be kept.
                user_context: str = "user_context" | "userContext",
            }
        }
        $each! {
            /// What a summary covers.
            struct SummarizeMetadata: Summarized {
                /// Which side of the chosen message was summed up.
                direction: str = "direction",
            }
        }
        $each! {
            /// A change in how much the user may still ask.
            struct RateLimitEvent: Envelope {
                /// The limits as they are now.
                rate_limit_info: RateLimitInfo = "rate_limit_info",
            }
        }
        $each! {
            /// How much of a limit is used up.
            struct WindowUsage {
                /// Whether more may be asked.
                status: RateLimitStatus = "status",
                /// The part that is used up.
                utilization: f64 = "utilization",
                /// When the limit starts anew, in seconds since 1970.
                resets_at: u64 = "resetsAt" | "resets_at",
                /// The mark of warning that was passed.
                surpassed_threshold: f64 =
                    "surpassedThreshold" | "surpassed_threshold",
            }
        }
        $each! {
            /// How much the user may still ask.
            struct RateLimitInfo: WindowUsage {
                /// The limit that matters now.
                rate_limit_type: RateLimitWindow =
                    "rateLimitType" | "rate_limit_type",
                /// The limits one by one.
                unified_windows: UnifiedWindows =
                    "unifiedWindows" | "unified_windows",
                /// Whether more may be asked beyond the limit, for money.
                overage_status: RateLimitStatus =
                    "overageStatus" | "overage_status",
                /// When the limit of that starts anew, in seconds since 1970.
                overage_resets_at: u64 =
                    "overageResetsAt" | "overage_resets_at",
                /// Why nothing may be asked beyond the limit.
                overage_disabled_reason: str =
                    "overageDisabledReason" | "overage_disabled_reason",
                /// Whether the user is beyond the limit.
                is_using_overage: bool = "isUsingOverage" | "is_using_overage",
                /// Whether requests are now paid for.
                overage_in_use: bool = "overageInUse" | "overage_in_use",
                /// What was used beyond the limit this month.
                overage_period_monthly: json =
                    "overagePeriodMonthly" | "overage_period_monthly",
                /// What was used beyond the limit in this channel.
                overage_period_channel: json =
                    "overagePeriodChannel" | "overage_period_channel",
                /// Whether the limit is not yet enforced.
                rate_limit_grace_active: bool =
                    "rateLimitGraceActive" | "rate_limit_grace_active",
                /// Whom the limit is for.
                limit_scope: str = "limitScope" | "limit_scope",
                /// The code of the error that the limit caused.
                error_code: str = "errorCode" | "error_code",
                /// Whether the user can buy more.
                can_user_purchase_credits: bool =
                    "canUserPurchaseCredits" | "can_user_purchase_credits",
                /// Whether the user has a way to pay.
                has_chargeable_saved_payment_method: bool =
                    "hasChargeableSavedPaymentMethod"
                    | "has_chargeable_saved_payment_method",
                /// An offer to buy more.
                usage_credit_offer: json =
                    "usageCreditOffer" | "usage_credit_offer",
                /// An offer to ask an administrator for more.
                admin_request_offer: json =
                    "adminRequestOffer" | "admin_request_offer",
            }
        }
        $each! {
            /// The limits one by one.
            struct UnifiedWindows {
                /// The limit of five hours.
                five_hour: WindowUsage = "five_hour",
                /// The limit of seven days.
                seven_day: WindowUsage = "seven_day",
                /// The limit of seven days, with what is paid for.
                seven_day_overage_included: WindowUsage =
                    "seven_day_overage_included",
            }
        }
        $each! {
            /// Whether more may be asked.
            enum RateLimitStatus {
                /// More may be asked.
                Allowed = "allowed",
                /// More may be asked, but not much.
                AllowedWarning = "allowed_warning",
                /// Nothing more may be asked for now.
                Rejected = "rejected",
            }
        }
        $each! {
            /// One of the limits.
            enum RateLimitWindow {
                /// The limit of five hours.
                FiveHour = "five_hour",
                /// The limit of seven days.
                SevenDay = "seven_day",
                /// The limit of seven days for Opus.
                SevenDayOpus = "seven_day_opus",
                /// The limit of seven days for Sonnet.
                SevenDaySonnet = "seven_day_sonnet",
                /// The limit of seven days, with what is paid for.
                SevenDayOverageIncluded = "seven_day_overage_included",
                /// The limit of what is paid for.
                Overage = "overage",
            }
        }
        $each! {
            /// A message for an MCP server that the host runs.
            struct McpMessage: Envelope {
                /// The MCP server's name.
                server_name: str = "server_name",
                /// The MCP message.
                message: json = "message",
            }
        }
        $each! {
            /// A sign that a tool is still running.
            struct ToolProgress: Envelope {
                /// How long it has run, in seconds.
                elapsed_time_seconds: f64 = "elapsed_time_seconds",
                /// Whether there is no news but that it runs.
                heartbeat: bool = "heartbeat",
                /// How a sub-agent tries again after an error.
                subagent_retry: json = "subagent_retry",
            }
        }
        $each! {
            /// What some tool calls did, in short.
            struct ToolUseSummary: Envelope {
                /// What they did.
                summary: str = "summary",
                /// The calls.
                preceding_tool_use_ids: [str] = "preceding_tool_use_ids",
            }
        }
        $each! {
            /// How logging in goes.
            struct AuthStatus: Envelope {
                /// Whether it is still going on.
                is_authenticating: bool =
                    "isAuthenticating" | "is_authenticating",
                /// What there is to tell the user.
                output: [str] = "output",
                /// Why it failed.
                error: str = "error",
            }
        }
        $each! {
            /// What became of a message that was sent to the agent.
            struct CommandLifecycle: Envelope {
                /// The message.
                command_uuid: str = "command_uuid",
                /// What became of it.
                state: CommandState = "state",
                /// Whether it was taken before its turn.
                ran_ahead: bool = "ran_ahead",
                /// When it is to be taken.
                scheduled_for: f64 = "scheduled_for",
                /// What woke the agent up.
                wakeup_source: str = "wakeup_source",
            }
        }
        $each! {
            /// What became of a message that was sent to the agent.
            enum CommandState {
                /// It waits.
                Queued = "queued",
                /// It is being worked on.
                Started = "started",
                /// It is done.
                Completed = "completed",
                /// It was taken back.
                Cancelled = "cancelled",
                /// It was thrown away.
                Discarded = "discarded",
            }
        }
        $each! {
            /// The conversation starts anew, under a new session id.
            struct ConversationReset: Envelope {
                /// The new conversation.
                new_conversation_id: str = "new_conversation_id",
                /// Why it starts anew.
                trigger: ResetTrigger = "trigger",
            }
        }
        $each! {
            /// Why a conversation starts anew.
            enum ResetTrigger {
                /// The user cleared it.
                Clear = "clear",
                /// A plan was agreed to.
                PlanModeExit = "plan_mode_exit",
                /// A session was begun.
                FreshSession = "fresh_session",
                /// The user was shown around.
                Onboarding = "onboarding",
            }
        }
        $each! {
            /// What the user might ask next.
            struct PromptSuggestion: Envelope {
                /// The prompt.
                suggestion: str = "suggestion",
            }
        }
        $each! {
            /// A sign of life.
            struct KeepAlive: Envelope {}
        }
        $each! {
            /// An error in place of a message.
            struct ErrorMessage: Envelope {
                /// What went wrong.
                error: ApiErrorBody = "error",
            }
        }
        $each! {
            /// An event that only has a name and data.
            struct RawEvent {
                /// The event's name.
                event_type: str = "event_type",
                /// All about the event.
                data: json = "data",
            }
        }
    };
}
#[cfg(feature = "owned")]
pub(crate) use stream_json;
stream_json!(views);

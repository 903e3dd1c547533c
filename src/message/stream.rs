/*!
Stream-json: the messages that an agent and its host exchange, one per line.
*/

use crate::message::{all::*, schema::views};

macro_rules! stream_json {
    ($to:ident) => {
        $to! {
            /// The fields that the messages of a turn share.
            struct TurnPart: Envelope {
                /// The reason why the turn was resumed.
                resume_reason: str = "resume_reason",
                /// The display mode of the model's thinking.
                thinking_display: str =
                    "thinking_display" | "thinkingDisplay",
                /// The time to the first token, in milliseconds.
                ttft_ms: f64 = "ttft_ms",
                /// The origin of the prompt.
                origin: MessageOrigin = "origin",
                /// The API error.
                api_error: str = "api_error" | "apiError",
                /// The error code of the API.
                api_error_code: str = "api_error_code",
                /// The type of the API error, such as `rate_limit_error`.
                api_error_type: str = "api_error_type" | "apiErrorType",
                /// The origin of the API error.
                api_error_origin: str = "api_error_origin",
                /// The HTTP status code of the API error.
                api_error_status: u64 = "api_error_status" | "apiErrorStatus",
            }

            /// The origin of a prompt.
            struct MessageOrigin {
                /// The kind of sender.
                kind: OriginKind = "kind",
                /// The server of the channel.
                server: str = "server",
                /// The address of the peer or observer.
                from: str = "from",
                /// The permissions of the peer.
                from_mode: PeerMode = "fromMode",
                /// The name of the peer.
                name: str = "name",
                /// The session of the peer.
                from_session: str = "fromSession",
                /// The identifier of the task that sent the prompt.
                sender_task_id: str = "senderTaskId",
                /// The text of the peer, without the text around it.
                body: str = "body",
                /// The verified process id of the peer.
                verified_peer_pid: u64 = "verifiedPeerPid",
                /// The kind of task notification.
                subkind: OriginSubkind = "subkind",
                /// The reason why the scheduled task was started.
                fire_reason: str = "fireReason",
                /// The identifier of the task's run.
                run_id: str = "runId",
                /// The part of the agent program that made the prompt.
                producer: str = "producer",
            }

            /// The permissions of a peer that sends a prompt.
            enum PeerMode {
                /// The peer uses tools without asking.
                Bypass = "bypass",
                /// The peer asks for permission to use tools.
                Prompting = "prompting",
            }

            /// The kind of task notification.
            enum OriginSubkind {
                /// A scheduled task was started.
                ScheduledTrigger = "scheduled-trigger",
                /// A peer sent a message.
                PeerSendMessage = "peer-send-message",
                /// A message was relayed between projects.
                ProjectsRelay = "projects-relay",
                /// A message arrived in the inbox of the session.
                SessionInbox = "session-inbox",
            }

            /// The kind of sender of a prompt.
            enum OriginKind {
                /// A person.
                Human = "human",
                /// A messaging channel.
                Channel = "channel",
                /// Another agent.
                Peer = "peer",
                /// A background task that has ended.
                TaskNotification = "task-notification",
                /// The agent that coordinates this one.
                Coordinator = "coordinator",
                /// The agent program, which continues the work automatically.
                AutoContinuation = "auto-continuation",
                /// An unclassified sender.
                Unclassified = "unclassified",
                /// An agent that observes this one.
                Observer = "observer",
                /// The activity of an observing agent.
                ObserverActivity = "observer-activity",
            }

            /// The fields that assistant and user messages share.
            struct ChatMessage: TurnPart {
                /// The API message, or a string in place of it.
                message: (ApiMessage) = "message",
                /// Whether the message was never sent to the API.
                is_virtual: bool = "is_virtual",
                /// The identifier of the message that the model refused to
                /// complete.
                refused_message_id: str =
                    "refused_message_id" | "refusedMessageId",
            }

            /// A message from the model.
            struct Assistant: ChatMessage {
                /// The subtype.
                subtype: AssistantSubtype = "subtype",
                /// The input of the tool.
                tool_arguments: json = "toolArguments",
                /// The error that occurred instead of an answer.
                error: AssistantError = "error",
                /// Details about the error.
                error_details: str = "error_details" | "errorDetails",
                /// Whether the text is an error message of the API.
                is_api_error_message: bool =
                    "is_api_error_message" | "isApiErrorMessage",
                /// The parameters of the API error.
                api_error_params: json = "api_error_params",
                /// The advisor model.
                advisor_model: str = "advisor_model" | "advisorModel",
                /// The agent to which the message is attributed.
                attribution_agent: str =
                    "attribution_agent" | "attributionAgent",
                /// The plugin to which the message is attributed.
                attribution_plugin: str =
                    "attribution_plugin" | "attributionPlugin",
                /// The skill to which the message is attributed.
                attribution_skill: str =
                    "attribution_skill" | "attributionSkill",
                /// The MCP server to which the message is attributed.
                attribution_mcp_server: str =
                    "attribution_mcp_server" | "attributionMcpServer",
                /// The MCP tool to which the message is attributed.
                attribution_mcp_tool: str =
                    "attribution_mcp_tool" | "attributionMcpTool",
                /// The tool uses of one batch.
                batch_tool_uses: [BatchToolUse] = "batch_tool_uses",
                /// Display information for the tool uses.
                tool_use_meta: [ToolUseMeta] = "tool_use_meta",
                /// The tool inputs as received from the API.
                wire_tool_inputs: json = "wire_tool_inputs" | "wireToolInputs",
                /// Context from when the message was received.
                wire_ingest_context: json =
                    "wire_ingest_context" | "wireIngestContext",
                /// The usage of the context window.
                context_usage: json = "context_usage",
                /// A report of the user's usage so far.
                usage_report: json = "usage_report",
                /// The quotas that were nearly used up.
                quota_limits: json = "quotaLimits",
                /// The cost of the message in US dollars; only old versions
                /// write it.
                cost_usd: f64 = "costUSD",
                /// The slash command that was run.
                local_command_run: LocalCommandRun = "local_command_run",
                /// The outcome of the slash command.
                local_command_outcome: LocalCommandOutcome =
                    "local_command_outcome",
                /// The source of the slash command.
                local_command_source: str = "local_command_source",
                /// The indexes of the blocks that narrate the work.
                narration_block_indexes: [u64] = "narration_block_indexes",
                /// A display hint for the narration blocks.
                narration_hint: str = "narration_hint",
                /// Whether the model resumed from incomplete thinking.
                resumed_from_incomplete_thinking: bool =
                    "resumed_from_incomplete_thinking",
                /// The duration of the thinking in milliseconds.
                thinking_duration_ms: f64 =
                    "thinking_duration_ms" | "thinkingDurationMs",
                /// The uuids of the messages that this one replaces.
                supersedes: [str] = "supersedes",
                /// The reasoning effort requested for this turn.
                per_turn_effort: str = "perTurnEffort",
                /// The index of this line's content block in the API message.
                api_block_index: u64 = "apiBlockIndex",
                /// Whether the stream was aborted before the message was
                /// complete.
                is_aborted_mid_stream: bool = "isAbortedMidStream",
                /// The session that made the request. In a fork, the lines that
                /// were copied have the session of the original.
                request_session_id: str = "requestSessionId",
                /// The identifier of the line `api-request` of the request.
                request_ref: str = "requestRef",
                /// The model that was requested.
                requested_model: str = "requestedModel",
                /// The maker of the message, such as `model`.
                made_by: str = "madeBy",
                /// The lifetime of the cache that was requested, such as `5m`.
                prompt_cache_requested: str = "promptCacheRequested",
                /// Whether the response that failed had no tool use.
                failed_response_had_no_tool_call: bool =
                    "failedResponseHadNoToolCall",
                /// The identifier of the request to the classifier on the
                /// server.
                server_classifier_request: str = "serverClassifierRequest",
                /// The time in which the tool input was streamed, in
                /// milliseconds.
                tool_input_stream_ms: f64 = "toolInputStreamMs",
            }

            /// The subtype of an assistant message.
            enum AssistantSubtype {
                /// Text.
                Response = "response",
                /// A tool use.
                ToolUse = "tool_use",
                /// Thinking.
                Thinking = "thinking",
                /// A slash command.
                Command = "command",
                /// An error.
                Error = "error",
            }

            /// An error that occurs instead of an answer.
            enum AssistantError {
                /// The API key or login is invalid.
                AuthenticationFailed = "authentication_failed",
                /// The organisation is not allowed.
                OauthOrgNotAllowed = "oauth_org_not_allowed",
                /// The account is on hold.
                AccountOnHold = "account_on_hold",
                /// There is a problem with the account's billing.
                BillingError = "billing_error",
                /// A rate limit was exceeded.
                RateLimit = "rate_limit",
                /// The API is overloaded.
                Overloaded = "overloaded",
                /// The API rejected the request as invalid.
                InvalidRequest = "invalid_request",
                /// The model does not exist.
                ModelNotFound = "model_not_found",
                /// The API had an internal error.
                ServerError = "server_error",
                /// The answer reached the maximum number of output tokens.
                MaxOutputTokens = "max_output_tokens",
                /// The account must be verified first.
                VerificationRequired = "verification_required",
                /// The credentials of the cloud provider are invalid.
                CloudCredentialError = "cloud_credential_error",
                /// The cause is unknown to the agent program.
                Unknown = "unknown",
            }

            /// A tool use of a batch.
            struct BatchToolUse {
                /// The identifier of the tool use.
                id: str = "id",
                /// The name of the tool.
                name: str = "name",
            }

            /// Display information for a tool use.
            struct ToolUseMeta {
                /// The identifier of the tool use.
                id: str = "id",
                /// The display name of the tool.
                display_name: str = "display_name",
                /// The display name of the server.
                server_display_name: str = "server_display_name",
                /// The URL of the tool's icon.
                icon_url: str = "icon_url",
                /// The identifier of the server that provides the tool.
                server_id: str = "server_id",
                /// The stamp that authenticates the server's identifier.
                server_id_stamp: str = "server_id_stamp",
                /// The name of the tool on its server.
                tool_name: str = "tool_name",
            }

            /// A slash command that was run.
            struct LocalCommandRun {
                /// The name of the command.
                command: str = "command",
                /// The arguments of the command.
                args: str = "args",
                /// The plugin that provides the command.
                plugin: str = "plugin",
            }

            /// The outcome of a slash command.
            struct LocalCommandOutcome {
                /// The kind of outcome.
                kind: str = "kind",
                /// The command that the user may have meant.
                suggestion: str = "suggestion",
            }

            /// A message from the user, or tool results.
            struct User: ChatMessage {
                /// The tool result in the agent program's own format.
                tool_use_result: json = "tool_use_result" | "toolUseResult",
                /// Metadata of the tool results.
                tool_result_meta: [ToolResultMeta] = "tool_result_meta",
                /// Metadata of an MCP tool's result.
                mcp_meta: McpMeta = "mcp_meta" | "mcpMeta",
                /// The uuid of the assistant message whose tool use is
                /// answered.
                source_tool_assistant_uuid: str =
                    "source_tool_assistant_uuid" | "sourceToolAssistantUUID",
                /// The identifier of the tool use that produced the message.
                source_tool_use_id: str =
                    "source_tool_use_id" | "sourceToolUseID",
                /// Whether the message is a replay, echoed to its sender.
                is_replay: bool = "isReplay" | "is_replay",
                /// Whether the agent program generated the message.
                is_synthetic: bool = "isSynthetic" | "is_synthetic",
                /// Whether the message is the summary made by a compaction.
                is_compact_summary: bool =
                    "is_compact_summary" | "isCompactSummary",
                /// Whether the message is shown only in the transcript.
                is_visible_in_transcript_only: bool =
                    "is_visible_in_transcript_only"
                    | "isVisibleInTranscriptOnly",
                /// Metadata of the summary.
                summarize_metadata: SummarizeMetadata =
                    "summarize_metadata" | "summarizeMetadata",
                /// Whether the message should be sent to the model.
                should_query: bool = "shouldQuery" | "should_query",
                /// The priority of the message.
                priority: str = "priority",
                /// The priority that the message had in the queue.
                queue_priority: str = "queuePriority",
                /// Whether the message was queued without its attachments.
                queue_skip_attachments: bool = "queueSkipAttachments",
                /// The period in which an interruption requeues the message,
                /// in milliseconds.
                requeue_if_interrupted_within_ms: f64 =
                    "requeue_if_interrupted_within_ms",
                /// The identifier of the message that this one interrupted.
                interrupted_message_id: str =
                    "interrupted_message_id" | "interruptedMessageId",
                /// The channel through which the message arrived.
                inbound_origin: str = "inbound_origin",
                /// The initiator of the message.
                initiator: str = "initiator",
                /// Whether the client composed the message.
                client_composed: bool = "client_composed",
                /// The platform of the client.
                client_platform: str = "client_platform",
                /// The time at which the server received the message, in
                /// milliseconds since the Unix epoch.
                server_received_wall_ms: f64 = "server_received_wall_ms",
                /// The way in which the prompt was entered.
                prompt_source: str = "promptSource",
                /// Whether the message summoned the agent.
                seeded_summon: bool = "seeded_summon",
                /// Whether the text was entered by other means than typing.
                text_not_typed: bool = "text_not_typed",
                /// The identifiers of the pasted images.
                image_paste_ids: [u64] = "image_paste_ids" | "imagePasteIds",
                /// The attached files.
                file_attachments: [json] = "file_attachments",
                /// The pasted content.
                pasted_content: [json] = "pasted_content",
                /// The content pasted into the text.
                inline_pastes: [str] = "inline_pastes",
                /// The plan that the user approved.
                plan_content: str = "plan_content" | "planContent",
                /// The kind of denial of a tool use.
                tool_denial_kind: str = "toolDenialKind",
                /// The permission decision about a tool use.
                permission_decision: json = "permissionDecision",
                /// The user's feedback on a tool use.
                user_feedback: str = "userFeedback",
                /// Whether the tool result ends the turn.
                tool_ends_turn: bool = "toolEndsTurn",
                /// The companion data of the turn.
                turn_companion: json = "turnCompanion",
                /// The origin of the turn.
                turn_origin: json = "turnOrigin",
                /// The position of the line within the turn.
                turn_position: json = "turnPosition",
                /// Metadata lines for the permission classifier.
                classifier_meta_lines: json = "classifierMetaLines",
                /// The context given to the classifier on the server.
                server_classifier_context: json = "serverClassifierContext",
                /// The thinking settings.
                thinking_metadata: json = "thinkingMetadata",
                /// The to-do list.
                todos: [json] = "todos",
                /// Whether the message has words of a person.
                holds_persons_words: bool = "holdsPersonsWords",
                /// Why an MCP call may change something, such as `no_hint`.
                mcp_call_not_read_only: str = "mcpCallNotReadOnly",
                /// Whether the command ran in the sandbox.
                sandboxed: bool = "sandboxed",
                /// The uuids of the prompts of the turn that a summary
                /// replaces.
                summarized_prompt_uuids: [str] = "summarizedTurnPromptUuids",
            }

            /// Metadata of a tool result.
            struct ToolResultMeta {
                /// The identifier of the tool use.
                id: str = "id",
                /// The kind of reason why the tool was not executed.
                non_execution_kind: str = "non_execution_kind",
                /// The user's feedback on the tool use.
                user_feedback: str = "user_feedback",
                /// A suggested remedy.
                remedy: json = "remedy",
                /// The permission decision about the tool use.
                permission_decision: ToolPermissionDecision =
                    "permission_decision",
            }

            /// A permission decision about a tool use.
            struct ToolPermissionDecision {
                /// The decision.
                decision: str = "decision",
                /// The source of the decision.
                source: str = "source",
                /// The type of reason for the decision.
                reason_type: str = "reason_type",
            }

            /// Metadata of an MCP tool's result.
            struct McpMeta {
                /// The metadata that the server attached.
                meta: json = "_meta",
                /// The result as structured content.
                structured_content: json =
                    "structured_content" | "structuredContent",
                /// The resources that the result links to.
                resource_links: [ResourceLink] =
                    "resource_links" | "resourceLinks",
            }

            /// A link to a resource.
            struct ResourceLink {
                /// The URI of the resource.
                uri: str = "uri",
                /// The name of the resource.
                name: str = "name",
                /// The display title of the resource.
                title: str = "title",
                /// The description of the resource.
                description: str = "description",
                /// The media type of the resource.
                mime_type: str = "mimeType",
                /// The size of the resource in bytes.
                size: u64 = "size",
                /// The annotations of the resource.
                annotations: json = "annotations",
            }

            /// The extent of a summary.
            struct Summarized {
                /// The number of messages summarised.
                messages_summarized: u64 =
                    "messages_summarized" | "messagesSummarized",
                /// The user's instructions for the summary.
                user_context: str = "user_context" | "userContext",
            }

            /// Metadata of a summary.
            struct SummarizeMetadata: Summarized {
                /// The direction from the selected message in which messages
                /// were summarised.
                direction: str = "direction",
            }

            /// A change of the rate limits.
            struct RateLimitEvent: Envelope {
                /// The current rate limits.
                rate_limit_info: RateLimitInfo = "rate_limit_info",
            }

            /// The usage of a rate limit window.
            struct WindowUsage {
                /// The status of the limit.
                status: RateLimitStatus = "status",
                /// The used fraction of the limit.
                utilization: f64 = "utilization",
                /// The time at which the limit resets, in seconds since the
                /// Unix epoch.
                resets_at: u64 = "resetsAt" | "resets_at",
                /// The warning threshold that was exceeded.
                surpassed_threshold: f64 =
                    "surpassedThreshold" | "surpassed_threshold",
            }

            /// The current rate limits.
            struct RateLimitInfo: WindowUsage {
                /// The window of the limit that currently applies.
                rate_limit_type: RateLimitWindow =
                    "rateLimitType" | "rate_limit_type",
                /// The usage of each window.
                unified_windows: UnifiedWindows =
                    "unifiedWindows" | "unified_windows",
                /// Whether requests are allowed as paid overage, beyond the
                /// limit.
                overage_status: RateLimitStatus =
                    "overageStatus" | "overage_status",
                /// The time at which the overage limit resets, in seconds
                /// since the Unix epoch.
                overage_resets_at: u64 =
                    "overageResetsAt" | "overage_resets_at",
                /// The reason why overage is disabled.
                overage_disabled_reason: str =
                    "overageDisabledReason" | "overage_disabled_reason",
                /// Whether overage is enabled.
                overage_enabled: bool = "overageEnabled" | "overage_enabled",
                /// Whether the user is using overage.
                is_using_overage: bool = "isUsingOverage" | "is_using_overage",
                /// Whether requests are currently billed as overage.
                overage_in_use: bool = "overageInUse" | "overage_in_use",
                /// The monthly overage usage.
                overage_period_monthly: json =
                    "overagePeriodMonthly" | "overage_period_monthly",
                /// The overage usage of this channel.
                overage_period_channel: json =
                    "overagePeriodChannel" | "overage_period_channel",
                /// Whether a grace period delays the enforcement of the limit.
                rate_limit_grace_active: bool =
                    "rateLimitGraceActive" | "rate_limit_grace_active",
                /// The scope of the limit.
                limit_scope: str = "limitScope" | "limit_scope",
                /// The code of the error that the limit caused.
                error_code: str = "errorCode" | "error_code",
                /// Whether the user can purchase credits.
                can_user_purchase_credits: bool =
                    "canUserPurchaseCredits" | "can_user_purchase_credits",
                /// Whether the user has a saved payment method that can be
                /// charged.
                has_chargeable_saved_payment_method: bool =
                    "hasChargeableSavedPaymentMethod"
                    | "has_chargeable_saved_payment_method",
                /// An offer to purchase usage credits.
                usage_credit_offer: json =
                    "usageCreditOffer" | "usage_credit_offer",
                /// An offer to request more usage from an administrator.
                admin_request_offer: json =
                    "adminRequestOffer" | "admin_request_offer",
            }

            /// The usage of each rate limit window.
            struct UnifiedWindows {
                /// The usage of the five-hour window.
                five_hour: WindowUsage = "five_hour",
                /// The usage of the seven-day window.
                seven_day: WindowUsage = "seven_day",
                /// The usage of the seven-day window, including overage.
                seven_day_overage_included: WindowUsage =
                    "seven_day_overage_included",
            }

            /// The status of a rate limit.
            enum RateLimitStatus {
                /// Requests are allowed.
                Allowed = "allowed",
                /// Requests are allowed, but the limit is near.
                AllowedWarning = "allowed_warning",
                /// Requests are rejected.
                Rejected = "rejected",
            }

            /// A rate limit window.
            enum RateLimitWindow {
                /// The five-hour window.
                FiveHour = "five_hour",
                /// The seven-day window.
                SevenDay = "seven_day",
                /// The seven-day window for Opus.
                SevenDayOpus = "seven_day_opus",
                /// The seven-day window for Sonnet.
                SevenDaySonnet = "seven_day_sonnet",
                /// The seven-day window, including overage.
                SevenDayOverageIncluded = "seven_day_overage_included",
                /// The overage window.
                Overage = "overage",
            }

            /// A message for an MCP server that runs in the host.
            struct McpMessage: Envelope {
                /// The name of the MCP server.
                server_name: str = "server_name",
                /// The JSON-RPC message.
                message: json = "message",
            }

            /// A progress report of a running tool.
            struct ToolProgress: Envelope {
                /// The time that the tool has run, in seconds.
                elapsed_time_seconds: f64 = "elapsed_time_seconds",
                /// Whether the message only reports that the tool is still
                /// running.
                heartbeat: bool = "heartbeat",
                /// The retry state of a sub-agent after an error.
                subagent_retry: json = "subagent_retry",
            }

            /// A summary of several tool uses.
            struct ToolUseSummary: Envelope {
                /// The summary.
                summary: str = "summary",
                /// The identifiers of the summarised tool uses.
                preceding_tool_use_ids: [str] = "preceding_tool_use_ids",
            }

            /// The status of a login.
            struct AuthStatus: Envelope {
                /// Whether authentication is in progress.
                is_authenticating: bool =
                    "isAuthenticating" | "is_authenticating",
                /// The output lines for the user.
                output: [str] = "output",
                /// The error, if authentication failed.
                error: str = "error",
            }

            /// A state change of a command, a message that was sent to the
            /// agent.
            struct CommandLifecycle: Envelope {
                /// The uuid of the command.
                command_uuid: str = "command_uuid",
                /// The new state.
                state: CommandState = "state",
                /// Whether the command ran ahead of its turn.
                ran_ahead: bool = "ran_ahead",
                /// The time for which the command is scheduled.
                scheduled_for: f64 = "scheduled_for",
                /// The source of the wakeup.
                wakeup_source: str = "wakeup_source",
            }

            /// The state of a command.
            enum CommandState {
                /// The command is queued.
                Queued = "queued",
                /// The command is running.
                Started = "started",
                /// The command is completed.
                Completed = "completed",
                /// The command was cancelled.
                Cancelled = "cancelled",
                /// The command was discarded.
                Discarded = "discarded",
            }

            /// A reset of the conversation, which continues under a new
            /// session id.
            struct ConversationReset: Envelope {
                /// The identifier of the new conversation.
                new_conversation_id: str = "new_conversation_id",
                /// The trigger of the reset.
                trigger: ResetTrigger = "trigger",
            }

            /// The trigger of a conversation reset.
            enum ResetTrigger {
                /// The user cleared the conversation.
                Clear = "clear",
                /// The user approved a plan and left plan mode.
                PlanModeExit = "plan_mode_exit",
                /// A new session was started.
                FreshSession = "fresh_session",
                /// The onboarding of the user.
                Onboarding = "onboarding",
            }

            /// A suggestion for the user's next prompt.
            struct PromptSuggestion: Envelope {
                /// The suggested prompt.
                suggestion: str = "suggestion",
            }

            /// A keep-alive message.
            struct KeepAlive: Envelope {
                /// The phase that the startup has reached.
                startup_mark: str = "startup_mark",
            }

            /// A change of the goal that the agent pursues.
            struct ActiveGoal: Header {
                /// The goal; absent if the agent has none.
                goal: Goal = "value",
            }

            /// A goal that the agent pursues until its condition holds.
            struct Goal {
                /// The condition.
                condition: str = "condition",
                /// The number of times that the condition was checked.
                iterations: u64 = "iterations",
                /// The time at which the goal was set, in milliseconds since
                /// the Unix epoch.
                set_at: f64 = "set_at",
                /// The number of tokens used before the goal was set.
                tokens_at_start: u64 = "tokens_at_start",
                /// The reason why the condition did not hold the last time.
                last_reason: str = "last_reason",
            }

            /// Lines of a transcript, sent to the host as they are written.
            struct TranscriptMirror: Header {
                /// The path of the transcript.
                file_path: str = "filePath" | "file_path",
                /// The lines.
                entries: [json] = "entries",
            }

            /// An error reported in place of a message.
            struct ErrorMessage: Envelope {
                /// The error.
                error: ApiErrorBody = "error",
            }

            /// An event with a name and data, without a type.
            struct RawEvent {
                /// The name of the event.
                event_type: str = "event_type",
                /// The data of the event.
                data: json = "data",
            }
        }
    };
}
pub(crate) use stream_json;
stream_json!(views);

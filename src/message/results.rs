/*!
Results: the outcome of a run, with its cost, duration and token usage.
*/

use crate::message::{all::*, schema::views};

macro_rules! results {
    ($to:ident) => {
        $to! {
            /// The result of a run.
            struct ResultMessage: TurnPart {
                /// The subtype.
                subtype: ResultSubtype = "subtype",
                /// The final text of the model.
                result: str = "result",
                /// The error message.
                error: str = "error",
                /// All error messages.
                errors: [str] = "errors",
                /// The time spent in API requests, in milliseconds.
                duration_api_ms: f64 = "duration_api_ms",
                /// The number of turns; may be -1.
                num_turns: i64 = "num_turns",
                /// The estimated cost of the session so far, in US dollars.
                total_cost_usd: f64 = "total_cost_usd",
                /// The stop reason of the last message.
                stop_reason: StopReason = "stop_reason",
                /// The reason why the run ended.
                terminal_reason: TerminalReason = "terminal_reason",
                /// The token usage of the main agent.
                usage: Usage = "usage",
                /// The usage of each model so far.
                model_usage: {ModelUsage} = "modelUsage" | "model_usage",
                /// The usage of each model since the previous result.
                model_usage_since_last_result: {ModelUsage} =
                    "model_usage_since_last_result",
                /// The tool uses that were denied.
                permission_denials: [PermissionDenial] = "permission_denials",
                /// The structured output, in the requested JSON schema.
                structured_output: json = "structured_output",
                /// The tool use that was deferred.
                deferred_tool_use: DeferredToolUse = "deferred_tool_use",
                /// Statistics about the sub-agents.
                subagent_stats: SubagentStats = "subagent_stats",
                /// The slash command that was run.
                local_command: str = "local_command",
                /// Whether a shutdown interrupted the run.
                interrupted_by_shutdown: bool = "interrupted_by_shutdown",
                /// The reason why the agent program could not start.
                startup_failure_reason: StartupFailureReason =
                    "startup_failure_reason",
                /// The configuration file that is invalid.
                invalid_config_file: InvalidConfigFile = "invalid_config_file",
                /// The time at which the credentials expire, in ISO 8601
                /// format.
                credential_expires_at: str = "credential_expires_at",
                /// The exit state of the process that runs the agent.
                runner_exit: json = "runner_exit",
                /// The number of times that the run was stopped for safety.
                safety_stops: u64 = "safety_stops",
                /// The number of turns that are still queued.
                queued_turn_count: u64 = "queued_turn_count",
                /// The zero-based index of the result in the session.
                result_index: u64 = "result_index",
                /// The time to the first token of the stream, in milliseconds.
                ttft_stream_ms: f64 = "ttft_stream_ms",
                /// The time to the first request, in milliseconds.
                time_to_request_ms: f64 = "time_to_request_ms",
                first_content_frame_ms: f64 = "first_content_frame_ms",
                first_request_input_tokens: u64 = "first_request_input_tokens",
                first_stream_post_ack_ms: f64 = "first_stream_post_ack_ms",
                first_stream_post_ms: f64 = "first_stream_post_ms",
                first_stream_post_queue_wait_ms: f64 =
                    "first_stream_post_queue_wait_ms",
                first_stream_post_queued_behind: json =
                    "first_stream_post_queued_behind",
                first_stream_post_wall_ms: f64 = "first_stream_post_wall_ms",
                first_text_post_ms: f64 = "first_text_post_ms",
                first_text_post_queue_wait_ms: f64 =
                    "first_text_post_queue_wait_ms",
                first_text_post_queued_behind: json =
                    "first_text_post_queued_behind",
                first_text_post_wall_ms: f64 = "first_text_post_wall_ms",
                flag_fetch_kick: str = "flag_fetch_kick",
                frame_enqueued_wall_ms: f64 = "frame_enqueued_wall_ms",
                frame_intake_phases_ms: {f64} = "frame_intake_phases_ms",
                frame_received_wall_ms: f64 = "frame_received_wall_ms",
                handoff_intake_phases_ms: {f64} = "handoff_intake_phases_ms",
                input_attachments_detail: json = "input_attachments_detail",
                main_stream_chunk_count: u64 = "main_stream_chunk_count",
                main_stream_count: u64 = "main_stream_count",
                main_stream_event_count: u64 = "main_stream_event_count",
                process_anon_mib_result: u64 = "process_anon_mib_result",
                process_anon_mib_turn_start: u64 =
                    "process_anon_mib_turn_start",
                process_cpu_ms_between_turns: f64 =
                    "process_cpu_ms_between_turns",
                process_cpu_ms_streaming: f64 = "process_cpu_ms_streaming",
                process_cpu_ms_turn: f64 = "process_cpu_ms_turn",
                process_garbage_collections: json =
                    "process_garbage_collections",
                process_peak_rss_mib: u64 = "process_peak_rss_mib",
                process_rss_mib_result: u64 = "process_rss_mib_result",
                process_rss_mib_turn_start: u64 = "process_rss_mib_turn_start",
                process_start_purge_delay_ms: f64 =
                    "process_start_purge_delay_ms",
                process_start_tuning: u64 = "process_start_tuning",
                process_turn_index: u64 = "process_turn_index",
                process_wall_ms_between_turns: f64 =
                    "process_wall_ms_between_turns",
                process_wall_ms_streaming: f64 = "process_wall_ms_streaming",
                process_wall_ms_turn: f64 = "process_wall_ms_turn",
                request_sent_wall_ms: f64 = "request_sent_wall_ms",
                resume_store_confirm_detail: json =
                    "resume_store_confirm_detail",
                shell_cpu_ms_since_last_result: f64 =
                    "shell_cpu_ms_since_last_result",
                shell_cpu_ms_turn: f64 = "shell_cpu_ms_turn",
                shell_wall_ms_since_last_result: f64 =
                    "shell_wall_ms_since_last_result",
                text_post_count: u64 = "text_post_count",
                text_post_flush_timer_max_late_ms: f64 =
                    "text_post_flush_timer_max_late_ms",
                text_post_gap_over_500ms_count: u64 =
                    "text_post_gap_over_500ms_count",
                time_origin_ms: f64 = "time_origin_ms",
                time_to_request_cpu_ms: f64 = "time_to_request_cpu_ms",
                time_to_request_from_spawn_ms: f64 =
                    "time_to_request_from_spawn_ms",
                time_to_request_loop_lag_ms: f64 =
                    "time_to_request_loop_lag_ms",
                time_to_request_major_faults: u64 =
                    "time_to_request_major_faults",
                time_to_request_phases_ms: {f64} = "time_to_request_phases_ms",
                turn_start_control_requests_ms: f64 =
                    "turn_start_control_requests_ms",
                turn_start_phases_ms: {f64} = "turn_start_phases_ms",
                turn_start_resume_kind: str = "turn_start_resume_kind",
                turn_started_wall_ms: f64 = "turn_started_wall_ms",
                user_message_server_received_wall_ms: f64 =
                    "user_message_server_received_wall_ms",
                warm_spare_claimed: bool = "warm_spare_claimed",
                /// The key of the call, in the journal of a workflow. There,
                /// the line is the result of a sub-agent.
                key: str = "key",
                /// The tools that the sub-agent used, in such a journal.
                tools_used: [str] = "toolsUsed",
                /// Whether the sub-agent reports on a remote device.
                remote_device_report: bool = "remoteControlDeviceReport",
            }

            /// The subtype of a result.
            enum ResultSubtype {
                /// The run was completed.
                Success = "success",
                /// An error occurred during the run.
                ErrorDuringExecution = "error_during_execution",
                /// The maximum number of turns was reached.
                ErrorMaxTurns = "error_max_turns",
                /// The budget was exhausted.
                ErrorMaxBudgetUsd = "error_max_budget_usd",
                /// The model did not produce valid structured output within
                /// the allowed retries.
                ErrorMaxStructuredOutputRetries =
                    "error_max_structured_output_retries",
                /// An error occurred; written only by some hosts.
                Error = "error",
                /// The run waits for input from the user.
                InputRequired = "input_required",
            }

            /// The reason why a run ended.
            enum TerminalReason {
                /// The run was completed.
                Completed = "completed",
                /// The maximum number of turns was reached.
                MaxTurns = "max_turns",
                /// A tool use was deferred.
                ToolDeferred = "tool_deferred",
                /// The run was aborted while the answer was streamed.
                AbortedStreaming = "aborted_streaming",
                /// The run was aborted while tools were running.
                AbortedTools = "aborted_tools",
                /// A hook stopped the run.
                HookStopped = "hook_stopped",
                /// A stop hook prevented the run from continuing.
                StopHookPrevented = "stop_hook_prevented",
                /// The run was moved to the background.
                BackgroundRequested = "background_requested",
                /// A blocking limit was reached.
                BlockingLimit = "blocking_limit",
                /// The context window filled up again too fast after a
                /// compaction.
                RapidRefillBreaker = "rapid_refill_breaker",
                /// The prompt is too long.
                PromptTooLong = "prompt_too_long",
                /// An image could not be processed.
                ImageError = "image_error",
                /// The model failed.
                ModelError = "model_error",
                /// The API failed.
                ApiError = "api_error",
                /// Too many tool uses were malformed.
                MalformedToolUseExhausted = "malformed_tool_use_exhausted",
                /// The budget was exhausted.
                BudgetExhausted = "budget_exhausted",
                /// The model did not produce valid structured output within
                /// the allowed retries.
                StructuredOutputRetryExhausted =
                    "structured_output_retry_exhausted",
                /// The deferred tool is no longer available.
                ToolDeferredUnavailable = "tool_deferred_unavailable",
                /// The setup of the turn failed.
                TurnSetupFailed = "turn_setup_failed",
            }

            /// The reason why the agent program could not start.
            enum StartupFailureReason {
                /// The API key conflicts with the required organisation.
                OrgPinApiKeyConflict = "org_pin_api_key_conflict",
                /// The API provider is not allowed.
                ProviderNotAllowed = "provider_not_allowed",
                /// The organisation could not be verified.
                OrgVerifyFailed = "org_verify_failed",
                /// The login is of another organisation than the required one.
                OrgPinMismatch = "org_pin_mismatch",
                /// The managed settings are invalid.
                ManagedSettingsInvalid = "managed_settings_invalid",
                /// The required remote settings are unavailable.
                RemoteSettingsRequiredUnavailable =
                    "remote_settings_required_unavailable",
                /// The gateway requires a login.
                GatewaySigninRequired = "gateway_signin_required",
                /// The gateway denied access.
                GatewayAccessDenied = "gateway_access_denied",
                /// The proxy setting is invalid.
                ProxyInvalid = "proxy_invalid",
                /// The directory for temporary files is unusable.
                TempDirUnusable = "temp_dir_unusable",
                /// The working directory is unavailable.
                CwdUnavailable = "cwd_unavailable",
                /// No shell was found.
                ShellToolMissing = "shell_tool_missing",
                /// A background process uses the session.
                SessionHeldByBackground = "session_held_by_background",
                /// The session's git worktree may not be resumed.
                WorktreeResumeRefused = "worktree_resume_refused",
                /// The git worktree could not be verified.
                WorktreeUnverified = "worktree_unverified",
                /// The agent program is too old.
                CliVersionTooOld = "cli_version_too_old",
                /// The root user may not bypass permissions.
                BypassRoot = "bypass_root",
                /// The required configuration of the organisation is
                /// unavailable.
                OrgConfigRequiredUnavailable =
                    "org_config_required_unavailable",
                /// The configuration of the organisation was refused.
                OrgConfigRefused = "org_config_refused",
                /// The required sandbox is unavailable.
                SandboxRequiredUnavailable = "sandbox_required_unavailable",
                /// The first message of the host was not `initialize`.
                InitializeNotFirst = "initialize_not_first",
                /// The configuration file is invalid.
                ConfigFileInvalid = "config_file_invalid",
                /// The managed settings were not delivered.
                ManagedSettingsNotDelivered = "managed_settings_not_delivered",
                /// The fields of `initialize` were not delivered.
                InitializeFieldsNotDelivered =
                    "initialize_fields_not_delivered",
            }

            /// A configuration file that is invalid.
            struct InvalidConfigFile {
                /// The path of the file.
                path: str = "path",
                /// Whether the file applies to all projects.
                is_global: bool = "is_global",
                /// Whether a backup was searched for.
                backup_searched: bool = "backup_searched",
                /// The path of the backup.
                backup_path: str = "backup_path",
            }

            /// The usage of one model.
            struct ModelUsage {
                /// The input tokens, without those written to or read from the
                /// cache.
                input_tokens: u64 = "inputTokens" | "input_tokens",
                /// The output tokens.
                output_tokens: u64 = "outputTokens" | "output_tokens",
                /// The output tokens used for thinking.
                thinking_tokens: u64 = "thinkingTokens" | "thinking_tokens",
                /// The cache read tokens: input tokens read from the cache.
                cache_read_input_tokens: u64 =
                    "cacheReadInputTokens" | "cache_read_input_tokens",
                /// The cache creation tokens: input tokens written to the
                /// cache.
                cache_creation_input_tokens: u64 =
                    "cacheCreationInputTokens" | "cache_creation_input_tokens",
                /// The cache creation tokens cached for five minutes.
                cache_creation_ephemeral_5m_input_tokens: u64 =
                    "cacheCreationEphemeral5mInputTokens"
                    | "cache_creation_ephemeral_5m_input_tokens",
                /// The cache creation tokens cached for one hour.
                cache_creation_ephemeral_1h_input_tokens: u64 =
                    "cacheCreationEphemeral1hInputTokens"
                    | "cache_creation_ephemeral_1h_input_tokens",
                /// The number of web searches.
                web_search_requests: u64 =
                    "webSearchRequests" | "web_search_requests",
                /// The estimated cost in US dollars.
                cost_usd: f64 = "costUSD" | "cost_usd",
                /// The source of the prices.
                cost_basis: CostBasis = "costBasis" | "cost_basis",
                /// The size of the context window, in tokens.
                context_window: u64 = "contextWindow" | "context_window",
                /// The maximum number of output tokens of one answer.
                max_output_tokens: u64 =
                    "maxOutputTokens" | "max_output_tokens",
                /// The canonical name of the model.
                canonical_model: str = "canonicalModel" | "canonical_model",
                /// The provider of the model.
                provider: str = "provider",
            }

            /// The source of the prices from which a cost is estimated.
            enum CostBasis {
                /// The public price list.
                List = "list",
                /// The prices that the organisation configured.
                Managed = "managed",
                /// The prices are unknown.
                Unknown = "unknown",
            }

            /// A tool use that was denied.
            struct PermissionDenial {
                /// The name of the tool.
                tool_name: str = "tool_name",
                /// The identifier of the tool use.
                tool_use_id: str = "tool_use_id",
                /// The input of the tool.
                tool_input: json = "tool_input",
            }

            /// A tool use that was deferred.
            struct DeferredToolUse {
                /// The identifier of the tool use.
                id: str = "id",
                /// The name of the tool.
                name: str = "name",
                /// The input of the tool.
                input: json = "input",
            }

            /// Statistics about the sub-agents of a run.
            struct SubagentStats {
                /// The number of sub-agents started.
                spawned: u64 = "spawned",
                /// The sub-agents that were requested.
                requested: json = "requested",
                /// The number of sub-agents started in the background.
                started_in_background: u64 = "started_in_background",
                /// The number of sub-agents of each type.
                by_type: {u64} = "by_type",
                /// The maximum nesting depth of sub-agents.
                max_depth: u64 = "max_depth",
                /// The number of sub-agents started by other sub-agents.
                spawned_by_subagents: u64 = "spawned_by_subagents",
                /// The number of sub-agents that completed.
                completed: u64 = "completed",
                /// The number of sub-agents that failed.
                failed: u64 = "failed",
                /// The sub-agents that were killed, by reason.
                killed: json = "killed",
                /// The sub-agents that were refused, by reason.
                refused: json = "refused",
            }
        }
    };
}
pub(crate) use results;
results!(views);

impl ResultMessage<'_> {
    /// Returns whether this is an entry of a workflow's journal: the result of
    /// one of the workflow's sub-agents, and not of a run. It has a `key` and
    /// no `subtype`.
    pub fn is_journal(self) -> bool {
        let [key, subtype] = self.value().get_many(["key", "subtype"]);
        key.is_some() && subtype.is_none()
    }

    /// Returns whether this is the result of a run. An entry of a workflow's
    /// [journal](ResultMessage::is_journal) is not, and neither is the last
    /// line of `gemini --output-format stream-json`, which has a `status` and
    /// `stats`, and no `subtype`.
    ///
    /// # Example
    ///
    /// This shows a result of each program.
    ///
    /// ```
    /// use linetape::{Decoder, Message};
    ///
    /// let mut decoder = Decoder::new();
    /// let mut is_of_run = |line: &str| {
    ///     let record = decoder.decode(line.as_bytes())?;
    ///     let Message::Result(result) = record.message() else { return Ok(false) };
    ///     Ok::<_, linetape::Error>(result.is_of_run())
    /// };
    /// assert!(is_of_run(r#"{"type":"result","subtype":"success"}"#)?);
    /// assert!(!is_of_run(r#"{"type":"result","status":"success","stats":{}}"#)?);
    /// # Ok::<(), linetape::Error>(())
    /// ```
    pub fn is_of_run(self) -> bool {
        let keys = ["key", "subtype", "status", "stats"];
        let [key, subtype, status, stats] = self.value().get_many(keys);
        let is_foreign = status.is_some() && stats.is_some();
        subtype.is_some() || key.is_none() && !is_foreign
    }
}

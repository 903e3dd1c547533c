/*!
Results: how a run ended, and what it took.
*/

use crate::message::{all::*, schema::views};

macro_rules! results {
    ($each:ident) => {
        $each! {
            /// How a run ended.
            struct ResultMessage: TurnPart {
                /// The kind of ending.
                subtype: ResultSubtype = "subtype",
                /// The last thing that the model said.
                result: str = "result",
                /// What went wrong.
                error: str = "error",
                /// All that went wrong.
                errors: [str] = "errors",
                /// The time spent on the API, in milliseconds.
                duration_api_ms: f64 = "duration_api_ms",
                /// How many turns there were; may be -1.
                num_turns: i64 = "num_turns",
                /// What the session has cost so far, in dollars; an estimate.
                total_cost_usd: f64 = "total_cost_usd",
                /// Why the model stopped.
                stop_reason: StopReason = "stop_reason",
                /// Why the run stopped.
                terminal_reason: TerminalReason = "terminal_reason",
                /// The tokens that the main agent used.
                usage: Usage = "usage",
                /// What each model has used so far.
                model_usage: {ModelUsage} = "modelUsage" | "model_usage",
                /// What each model used since the last result.
                model_usage_since_last_result: {ModelUsage} =
                    "model_usage_since_last_result",
                /// The tool calls that were not allowed.
                permission_denials: [PermissionDenial] = "permission_denials",
                /// The answer in the form that was asked for.
                structured_output: json = "structured_output",
                /// The tool call that was put off.
                deferred_tool_use: DeferredToolUse = "deferred_tool_use",
                /// What sub-agents there were.
                subagent_stats: SubagentStats = "subagent_stats",
                /// The slash command that was run.
                local_command: str = "local_command",
                /// Whether the program was told to end.
                interrupted_by_shutdown: bool = "interrupted_by_shutdown",
                /// Why the program could not start.
                startup_failure_reason: str = "startup_failure_reason",
                /// How the program that runs the agent ended.
                runner_exit: json = "runner_exit",
                /// How often the run was stopped for safety.
                safety_stops: u64 = "safety_stops",
                /// Turns that still wait.
                queued_turn_count: u64 = "queued_turn_count",
                /// Which of the session's results it is, from 0.
                result_index: u64 = "result_index",
                /// The time to the first token on the stream.
                ttft_stream_ms: f64 = "ttft_stream_ms",
                /// The time to the first request.
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
            }
        }
        $each! {
            /// The kind of ending of a run.
            enum ResultSubtype {
                /// The run went to its end.
                Success = "success",
                /// Something failed.
                ErrorDuringExecution = "error_during_execution",
                /// The limit of turns was reached.
                ErrorMaxTurns = "error_max_turns",
                /// The money was spent.
                ErrorMaxBudgetUsd = "error_max_budget_usd",
                /// The model did not manage the form that was asked for.
                ErrorMaxStructuredOutputRetries =
                    "error_max_structured_output_retries",
                /// Something failed; only some hosts write it.
                Error = "error",
                /// The run waits for the user.
                InputRequired = "input_required",
            }
        }
        $each! {
            /// Why a run stopped.
            enum TerminalReason {
                /// All was done.
                Completed = "completed",
                /// The limit of turns was reached.
                MaxTurns = "max_turns",
                /// A tool call was put off.
                ToolDeferred = "tool_deferred",
                /// It was cancelled during an answer.
                AbortedStreaming = "aborted_streaming",
                /// It was cancelled while tools ran.
                AbortedTools = "aborted_tools",
                /// A hook stopped it.
                HookStopped = "hook_stopped",
                /// A stop hook kept it from going on.
                StopHookPrevented = "stop_hook_prevented",
                /// It was sent to the background.
                BackgroundRequested = "background_requested",
                /// A limit was reached.
                BlockingLimit = "blocking_limit",
                /// The context filled up again too fast.
                RapidRefillBreaker = "rapid_refill_breaker",
                /// The prompt did not fit.
                PromptTooLong = "prompt_too_long",
                /// A picture could not be used.
                ImageError = "image_error",
                /// The model failed.
                ModelError = "model_error",
                /// The API failed.
                ApiError = "api_error",
                /// Too many tool calls were malformed.
                MalformedToolUseExhausted = "malformed_tool_use_exhausted",
                /// The money was spent.
                BudgetExhausted = "budget_exhausted",
                /// The model did not manage the form that was asked for.
                StructuredOutputRetryExhausted =
                    "structured_output_retry_exhausted",
                /// The tool that was put off is gone.
                ToolDeferredUnavailable = "tool_deferred_unavailable",
                /// The turn could not begin.
                TurnSetupFailed = "turn_setup_failed",
            }
        }
        $each! {
            /// What one model has used.
            struct ModelUsage {
                /// Tokens read, other than through the cache.
                input_tokens: u64 = "inputTokens" | "input_tokens",
                /// Tokens written.
                output_tokens: u64 = "outputTokens" | "output_tokens",
                /// Tokens read from the cache.
                cache_read_input_tokens: u64 =
                    "cacheReadInputTokens" | "cache_read_input_tokens",
                /// Tokens put into the cache.
                cache_creation_input_tokens: u64 =
                    "cacheCreationInputTokens" | "cache_creation_input_tokens",
                /// Searches of the web.
                web_search_requests: u64 =
                    "webSearchRequests" | "web_search_requests",
                /// What it cost, in dollars; an estimate.
                cost_usd: f64 = "costUSD" | "cost_usd",
                /// The tokens that the model can hold.
                context_window: u64 = "contextWindow" | "context_window",
                /// The tokens that one answer may have.
                max_output_tokens: u64 =
                    "maxOutputTokens" | "max_output_tokens",
                /// The model's full name.
                canonical_model: str = "canonicalModel" | "canonical_model",
                /// Who runs the model.
                provider: str = "provider",
            }
        }
        $each! {
            /// A tool call that was not allowed.
            struct PermissionDenial {
                /// The tool's name.
                tool_name: str = "tool_name",
                /// The call.
                tool_use_id: str = "tool_use_id",
                /// What the tool was to be called with.
                tool_input: json = "tool_input",
            }
        }
        $each! {
            /// A tool call that was put off.
            struct DeferredToolUse {
                /// The call.
                id: str = "id",
                /// The tool's name.
                name: str = "name",
                /// What the tool is to be called with.
                input: json = "input",
            }
        }
        $each! {
            /// What sub-agents a run had.
            struct SubagentStats {
                /// Sub-agents that were started.
                spawned: u64 = "spawned",
                /// Sub-agents that were asked for.
                requested: json = "requested",
                /// Sub-agents started in the background.
                started_in_background: u64 = "started_in_background",
                /// How many there were of each type.
                by_type: {u64} = "by_type",
                /// How deep sub-agents started one another.
                max_depth: u64 = "max_depth",
                /// Sub-agents that sub-agents started.
                spawned_by_subagents: u64 = "spawned_by_subagents",
                /// Sub-agents that came to their end.
                completed: u64 = "completed",
                /// Sub-agents that failed.
                failed: u64 = "failed",
                /// Sub-agents that were stopped, by why.
                killed: json = "killed",
                /// Sub-agents that were not allowed, by why.
                refused: json = "refused",
            }
        }
    };
}
#[cfg(feature = "owned")]
pub(crate) use results;
results!(views);

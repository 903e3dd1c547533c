/*!
Tool results: what a tool returns to the agent program.
*/

use linetape::message::{Usage, schema::views};

use crate::inputs::{Annotation, GrepMode, Question, Replacement, Todo};

macro_rules! results {
    ($to:ident) => {
        $to! {
            /// The result of `Bash`.
            struct BashResult {
                /// The output.
                stdout: str = "stdout",
                /// The error output.
                stderr: str = "stderr",
                /// The path of the file with the raw output.
                raw_output_path: str = "rawOutputPath",
                /// Whether the command was interrupted.
                interrupted: bool = "interrupted",
                /// Whether the output is an image.
                is_image: bool = "isImage",
                /// The identifier of the task, if the command runs in the
                /// background.
                background_task_id: str = "backgroundTaskId",
                /// Whether the user moved the command to the background.
                backgrounded_by_user: bool = "backgroundedByUser",
                /// The time limit in milliseconds, if it moved the command to
                /// the background.
                timed_out_after_ms: f64 = "timedOutAfterMs",
                /// A note for the model that the working directory has not
                /// changed.
                background_cwd_hint: str = "backgroundCwdHint",
                /// Whether the agent's last answer ends the command.
                background_ends_with_final_response: bool =
                    "backgroundEndsWithFinalResponse",
                /// Whether the end of the command wakes the sub-agent.
                background_wakes_owner: bool = "backgroundWakesOwner",
                /// Whether the command ran outside of the sandbox.
                dangerously_disable_sandbox: bool =
                    "dangerouslyDisableSandbox",
                /// The meaning of the exit code.
                return_code_interpretation: str = "returnCodeInterpretation",
                /// Whether no output means success.
                no_output_expected: bool = "noOutputExpected",
                /// The output as content blocks.
                structured_content: [json] = "structuredContent",
                /// The path of the file with the whole output.
                persisted_output_path: str = "persistedOutputPath",
                /// The size of the whole output in bytes.
                persisted_output_size: u64 = "persistedOutputSize",
                /// A note for the model about files that have changed.
                stale_read_file_state_hint: str = "staleReadFileStateHint",
                /// A note for the model about a rate limit of GitHub.
                gh_rate_limit_hint: str = "ghRateLimitHint",
                /// The git operation that the command performed.
                git_operation: GitOperation = "gitOperation",
            }

            /// A git operation.
            struct GitOperation {
                /// A commit.
                commit: GitCommit = "commit",
                /// A push.
                push: GitPush = "push",
                /// A merge or rebase.
                branch: GitBranch = "branch",
                /// An action on a pull request.
                pr: GitPullRequest = "pr",
            }

            /// A commit.
            struct GitCommit {
                /// The hash of the commit.
                sha: str = "sha",
                /// The kind: `committed`, `amended` or `cherry-picked`.
                kind: str = "kind",
                /// The branch.
                branch: str = "branch",
            }

            /// A push.
            struct GitPush {
                /// The branch.
                branch: str = "branch",
            }

            /// A merge or rebase.
            struct GitBranch {
                /// The branch or commit that was merged, or the new base.
                reference: str = "ref",
                /// The action: `merged` or `rebased`.
                action: str = "action",
            }

            /// An action on a pull request.
            struct GitPullRequest {
                /// The number of the pull request.
                number: u64 = "number",
                /// The address of the pull request.
                url: str = "url",
                /// The action, such as `created` or `merged`.
                action: str = "action",
            }

            /// The result of `Read`.
            struct ReadResult {
                /// The type of result.
                kind: ReadKind = "type",
                /// The file, with the fields that the type of result has.
                file: ReadFile = "file",
                /// The number of the first page of the PDF file.
                first_page: u64 = "firstPage",
                /// The pages of the PDF file.
                pages: [PageImage] = "pages",
                /// The artifact that was read.
                artifact_read: ArtifactRead = "artifactRead",
            }

            /// The type of a result of `Read`.
            enum ReadKind {
                /// Text.
                Text = "text",
                /// An image.
                Image = "image",
                /// A notebook.
                Notebook = "notebook",
                /// A PDF file.
                Pdf = "pdf",
                /// Pages of a PDF file.
                Parts = "parts",
                /// Nothing, because the file has not changed since it was
                /// read.
                FileUnchanged = "file_unchanged",
            }

            /// A file that was read.
            struct ReadFile {
                /// The path of the file.
                file_path: str = "filePath",
                /// The text.
                content: str = "content",
                /// The number of lines in the text.
                num_lines: u64 = "numLines",
                /// The number of the first line.
                start_line: u64 = "startLine",
                /// The number of lines in the file.
                total_lines: u64 = "totalLines",
                /// Whether the text is only the beginning, because the file
                /// has too many tokens.
                truncated_by_token_cap: bool = "truncatedByTokenCap",
                /// The content of an image or PDF file in Base64.
                base64: str = "base64",
                /// The media type of an image.
                media_type: str = "type",
                /// The size of the file in bytes.
                original_size: u64 = "originalSize",
                /// The dimensions of an image.
                dimensions: ImageDimensions = "dimensions",
                /// The cells of a notebook.
                cells: [json] = "cells",
                /// The number of extracted pages.
                count: u64 = "count",
                /// The directory with the extracted pages.
                output_dir: str = "outputDir",
            }

            /// The dimensions of an image in pixels.
            struct ImageDimensions {
                /// The original width.
                original_width: u64 = "originalWidth",
                /// The original height.
                original_height: u64 = "originalHeight",
                /// The width that the model sees.
                display_width: u64 = "displayWidth",
                /// The height that the model sees.
                display_height: u64 = "displayHeight",
            }

            /// The image of a page.
            struct PageImage {
                /// The image in Base64.
                base64: str = "base64",
                /// The media type.
                media_type: str = "mediaType",
                /// The reason why there is no image.
                error: str = "error",
            }

            /// An artifact that was read.
            struct ArtifactRead {
                /// The name of the artifact.
                slug: str = "slug",
                /// The version of the artifact.
                version: str = "ver",
                /// `false` if the version was not recorded as read.
                seeded: bool = "seeded",
            }

            /// The fields that the results of changing a file share.
            struct FileChange {
                /// The path of the file.
                file_path: str = "filePath",
                /// The changes.
                structured_patch: [Hunk] = "structuredPatch",
                /// Whether the user changed the edit before accepting it.
                user_modified: bool = "userModified",
            }

            /// A hunk: consecutive changed lines, with context.
            struct Hunk {
                /// The number of the first line before the change.
                old_start: u64 = "oldStart",
                /// The number of lines before the change.
                old_lines: u64 = "oldLines",
                /// The number of the first line after the change.
                new_start: u64 = "newStart",
                /// The number of lines after the change.
                new_lines: u64 = "newLines",
                /// The lines, each with a space, `+` or `-` before it.
                lines: [str] = "lines",
            }

            /// The fields that the results of `Edit` and `Write` share.
            struct TrackedChange: FileChange {
                /// The content of the file before the change.
                original_file: str = "originalFile",
                /// The difference to the last commit.
                git_diff: GitDiff = "gitDiff",
                /// Whether the change waits for a review, so that the file is
                /// unchanged.
                staged: bool = "staged",
                /// Whether the file was stamped as part of the agent's memory.
                memdir_stamped: bool = "memdirStamped",
            }

            /// The difference of a file to the last commit.
            struct GitDiff {
                /// The path of the file.
                filename: str = "filename",
                /// The status: `modified` or `added`.
                status: str = "status",
                /// The number of added lines.
                additions: u64 = "additions",
                /// The number of deleted lines.
                deletions: u64 = "deletions",
                /// The number of added and deleted lines.
                changes: u64 = "changes",
                /// The difference as text.
                patch: str = "patch",
                /// The owner and name of the repository on GitHub.
                repository: str = "repository",
            }

            /// The result of `Edit`.
            struct EditResult: TrackedChange {
                /// The text that was replaced.
                old_string: str = "oldString",
                /// The text that replaced it.
                new_string: str = "newString",
                /// Whether every occurrence was replaced.
                replace_all: bool = "replaceAll",
                /// Whether the file had changed since it was read, and the
                /// edit was made nevertheless.
                stale_recovered: bool = "staleRecovered",
                /// Whether the model had not seen the content of the file.
                content_not_in_model_context: bool =
                    "contentNotInModelContext",
            }

            /// The result of `MultiEdit`.
            struct MultiEditResult: FileChange {
                /// The replacements.
                edits: [Replacement] = "edits",
                /// The content of the file before the change.
                original_file_contents: str = "originalFileContents",
            }

            /// The result of `Write`.
            struct WriteResult: TrackedChange {
                /// Whether the file is new.
                kind: WriteKind = "type",
                /// The content of the file.
                content: str = "content",
            }

            /// The type of a result of `Write`.
            enum WriteKind {
                /// The file is new.
                Create = "create",
                /// The file existed before.
                Update = "update",
            }

            /// The result of `Grep`.
            struct GrepResult {
                /// What the result contains.
                mode: GrepMode = "mode",
                /// The number of files in the result.
                num_files: u64 = "numFiles",
                /// The paths of the files.
                filenames: [str] = "filenames",
                /// The matching lines, or the counts.
                content: str = "content",
                /// The number of lines in `content`.
                num_lines: u64 = "numLines",
                /// The number of matches.
                num_matches: u64 = "numMatches",
                /// The number of files before the limit was applied.
                total_files: u64 = "totalFiles",
                /// The number of lines before the limit was applied.
                total_lines: u64 = "totalLines",
                /// The limit, if it was applied.
                applied_limit: u64 = "appliedLimit",
                /// The number of skipped lines or entries.
                applied_offset: u64 = "appliedOffset",
                /// Whether the time limit ended the search.
                timed_out: bool = "timedOut",
            }

            /// The result of `Glob`.
            struct GlobResult {
                /// The duration in milliseconds.
                duration_ms: f64 = "durationMs",
                /// The number of paths in the result.
                num_files: u64 = "numFiles",
                /// The paths.
                filenames: [str] = "filenames",
                /// Whether paths are missing.
                truncated: bool = "truncated",
                /// The number of matching paths.
                total_matches: u64 = "totalMatches",
                /// Whether `totalMatches` is exact.
                count_is_complete: bool = "countIsComplete",
                /// Whether the time limit ended the search.
                timed_out: bool = "timedOut",
            }

            /// The result of `Agent`. Which fields it has depends on the
            /// status.
            struct AgentResult {
                /// The status.
                status: AgentStatus = "status",
                /// The task.
                prompt: str = "prompt",
                /// The identifier of the sub-agent.
                agent_id: str = "agentId",
                /// The type of the sub-agent.
                agent_type: str = "agentType",
                /// The text of the sub-agent's last answer.
                content: [AgentText] = "content",
                /// The model.
                resolved_model: str = "resolvedModel",
                /// The models that the sub-agent has used.
                models_used: [str] = "modelsUsed",
                /// The number of tool uses.
                total_tool_use_count: u64 = "totalToolUseCount",
                /// The duration in milliseconds.
                total_duration_ms: f64 = "totalDurationMs",
                /// The number of tokens, as the agent program counts them.
                total_tokens: u64 = "totalTokens",
                /// The token usage, as the agent program states it.
                usage: Usage = "usage",
                /// The tools that the sub-agent has used.
                tools_used: [str] = "toolsUsed",
                /// The number of tool uses, by kind of tool.
                tool_stats: ToolStats = "toolStats",
                /// The path of the sub-agent's git worktree.
                worktree_path: str = "worktreePath",
                /// The branch of the sub-agent's git worktree.
                worktree_branch: str = "worktreeBranch",
                /// Whether the sub-agent runs in the background.
                is_async: bool = "isAsync",
                /// A short description of the task.
                description: str = "description",
                /// The path of the file with the sub-agent's output.
                output_file: str = "outputFile",
                /// Whether the calling agent can read that file.
                can_read_output_file: bool = "canReadOutputFile",
                /// The identifier of the task on another machine.
                task_id: str = "taskId",
                /// The address of the session on another machine.
                session_url: str = "sessionUrl",
            }

            /// The status of a sub-agent.
            enum AgentStatus {
                /// It has completed its task.
                Completed = "completed",
                /// It runs in the background.
                AsyncLaunched = "async_launched",
                /// It runs on another machine.
                RemoteLaunched = "remote_launched",
            }

            /// A text of a sub-agent.
            struct AgentText {
                /// The type of block: `text`.
                kind: str = "type",
                /// The text.
                text: str = "text",
                /// The citations in the text.
                citations: [json] = "citations",
            }

            /// The number of tool uses of a sub-agent, by kind of tool.
            struct ToolStats {
                /// The files read.
                read_count: u64 = "readCount",
                /// The searches.
                search_count: u64 = "searchCount",
                /// The shell commands.
                bash_count: u64 = "bashCount",
                /// The edits of files.
                edit_file_count: u64 = "editFileCount",
                /// The lines added to files.
                lines_added: u64 = "linesAdded",
                /// The lines removed from files.
                lines_removed: u64 = "linesRemoved",
                /// The uses of other tools.
                other_tool_count: u64 = "otherToolCount",
                /// The artifacts published.
                frame_count: u64 = "frameCount",
            }

            /// The result of `WebFetch`.
            struct WebFetchResult {
                /// The size of the page in bytes.
                bytes: u64 = "bytes",
                /// The status code of the HTTP response.
                code: u64 = "code",
                /// The status text of the HTTP response.
                code_text: str = "codeText",
                /// The model's answer.
                result: str = "result",
                /// The duration in milliseconds.
                duration_ms: f64 = "durationMs",
                /// The address of the page.
                url: str = "url",
                /// The artifact that was read.
                artifact_read: ArtifactRead = "artifactRead",
            }

            /// The result of `WebSearch`.
            struct WebSearchResult {
                /// The search terms.
                query: str = "query",
                /// The found pages, and the model's remarks between them.
                results: [(SearchResult)] = "results",
                /// The duration in seconds.
                duration_seconds: f64 = "durationSeconds",
                /// The number of searches.
                search_count: u64 = "searchCount",
            }

            /// The pages that one search found. A bare string is a remark of
            /// the model.
            struct SearchResult or "text" {
                /// The remark.
                text: str = "text",
                /// The identifier of the search.
                tool_use_id: str = "tool_use_id",
                /// The pages.
                content: [SearchHit] = "content",
            }

            /// A page that a search found.
            struct SearchHit {
                /// The title of the page.
                title: str = "title",
                /// The address of the page.
                url: str = "url",
                /// A part of the page's text; only in hook inputs.
                snippet: str = "snippet",
            }

            /// The result of `TodoWrite`.
            struct TodoWriteResult {
                /// The old list.
                old_todos: [Todo] = "oldTodos",
                /// The new list.
                new_todos: [Todo] = "newTodos",
            }

            /// The result of `AskUserQuestion`.
            struct AskUserQuestionResult {
                /// The questions.
                questions: [Question] = "questions",
                /// The answers, by question. Several selected options are
                /// separated by commas.
                answers: {str} = "answers",
                /// What the user typed instead of selecting an option.
                response: str = "response",
                /// The user's annotations, by question.
                annotations: {Annotation} = "annotations",
                /// The time in milliseconds after which the questions were
                /// closed, because the user was away.
                afk_timeout_ms: f64 = "afkTimeoutMs",
            }

            /// The result of `ExitPlanMode`.
            struct ExitPlanModeResult {
                /// The plan.
                plan: str = "plan",
                /// Whether a sub-agent presented the plan.
                is_agent: bool = "isAgent",
                /// The path of the file with the plan.
                file_path: str = "filePath",
                /// Whether the agent can run sub-agents.
                has_task_tool: bool = "hasTaskTool",
                /// Whether the user changed the plan.
                plan_was_edited: bool = "planWasEdited",
                /// Whether the plan waits for the approval of the team's
                /// leader.
                awaiting_leader_approval: bool = "awaitingLeaderApproval",
                /// The identifier of the request for approval.
                request_id: str = "requestId",
            }

            /// A task of the list of tasks.
            struct ListedTask {
                /// The identifier.
                id: str = "id",
                /// The title.
                subject: str = "subject",
                /// What to do.
                description: str = "description",
                /// The status.
                status: str = "status",
                /// The agent that does the task.
                owner: str = "owner",
                /// The tasks that wait for this one.
                blocks: [str] = "blocks",
                /// The tasks for which this one waits.
                blocked_by: [str] = "blockedBy",
            }

            /// A change of the status of a task.
            struct StatusChange {
                /// The old status.
                from: str = "from",
                /// The new status.
                to: str = "to",
            }

            /// The result of `TaskCreate`, `TaskGet`, `TaskList` or
            /// `TaskUpdate`.
            struct TaskListResult {
                /// The task.
                task: ListedTask = "task",
                /// All tasks.
                tasks: [ListedTask] = "tasks",
                /// Whether the task was changed.
                success: bool = "success",
                /// The identifier of the changed task.
                task_id: str = "taskId",
                /// The names of the changed fields.
                updated_fields: [str] = "updatedFields",
                /// The error.
                error: str = "error",
                /// The change of the status.
                status_change: StatusChange = "statusChange",
            }

            /// The result of `TaskOutput`.
            struct TaskOutputResult {
                /// Whether the task has ended, such as `not_ready`.
                retrieval_status: str = "retrieval_status",
                /// The task.
                task: OutputOfTask = "task",
            }

            /// A background task and its output.
            struct OutputOfTask {
                /// The identifier of the task.
                task_id: str = "task_id",
                /// The type of the task.
                task_type: str = "task_type",
                /// The status of the task.
                status: str = "status",
                /// A short description of the task.
                description: str = "description",
                /// The output.
                output: str = "output",
                /// The exit code of a command.
                exit_code: i64 = "exitCode",
                /// The prompt of a sub-agent.
                prompt: str = "prompt",
                /// The answer of a sub-agent.
                result: str = "result",
                /// The error.
                error: str = "error",
            }

            /// The result of `Skill`.
            struct SkillResult {
                /// Whether the skill was found.
                success: bool = "success",
                /// The name of the skill.
                command_name: str = "commandName",
                /// The tools that the skill allows.
                allowed_tools: [str] = "allowedTools",
                /// The model of the skill.
                model: str = "model",
                /// The way in which it runs, such as `inline`.
                status: str = "status",
                /// The sub-agent that ran the skill.
                agent_id: str = "agentId",
                /// The answer of that sub-agent.
                result: str = "result",
                /// Whether the sub-agent runs in the background.
                background: bool = "background",
            }

            /// The result of `SendMessage`.
            struct SendMessageResult {
                /// Whether the message was sent.
                success: bool = "success",
                /// The identifier of the message.
                msg_id: str = "msg_id",
                /// What became of the message.
                message: str = "message",
                /// The identifier of the request.
                request_id: str = "request_id",
                /// The agent that was asked.
                target: str = "target",
                /// The agents that the message was sent to.
                recipients: [str] = "recipients",
                /// Sender and recipient, as they are shown.
                routing: json = "routing",
            }

            /// The result of `ToolSearch`.
            struct ToolSearchResult {
                /// The names of the tools.
                matches: [str] = "matches",
                /// The search terms.
                query: str = "query",
                /// The number of tools that can be found.
                total_deferred_tools: u64 = "total_deferred_tools",
                /// The MCP servers that are not connected yet.
                pending_mcp_servers: [str] = "pending_mcp_servers",
                /// The MCP servers that failed.
                failed_mcp_servers: [json] = "failed_mcp_servers",
            }

            /// The result of `Workflow`.
            struct WorkflowResult {
                /// Where the workflow runs, such as `async_launched`.
                status: str = "status",
                /// The identifier of the task.
                task_id: str = "taskId",
                /// The type of the task.
                task_type: str = "taskType",
                /// The name of the workflow.
                workflow_name: str = "workflowName",
                /// The identifier of the run.
                run_id: str = "runId",
                /// A summary.
                summary: str = "summary",
                /// The folder of the transcripts of its sub- agents.
                transcript_dir: str = "transcriptDir",
                /// The path of the script.
                script_path: str = "scriptPath",
                /// The URL of the remote session.
                session_url: str = "sessionUrl",
                /// A warning.
                warning: str = "warning",
                /// The error.
                error: str = "error",
            }

            /// The fields that schedules share.
            struct Schedule {
                /// The identifier of the schedule.
                id: str = "id",
                /// The schedule in words.
                human_schedule: str = "humanSchedule",
                /// Whether the prompt is sent more than once.
                recurring: bool = "recurring",
                /// Whether the schedule outlives the session.
                durable: bool = "durable",
                /// The next time, in milliseconds since the Unix epoch.
                next_fire_at: f64 = "nextFireAt",
            }

            /// A scheduled prompt.
            struct CronJob: Schedule {
                /// The schedule, as a cron expression.
                cron: str = "cron",
                /// The prompt.
                prompt: str = "prompt",
            }

            /// The result of `CronCreate`, `CronDelete` or `CronList`.
            struct CronResult: Schedule {
                /// All schedules.
                jobs: [CronJob] = "jobs",
                /// Whether the agent is no longer woken in a loop.
                ended_loop_wakeup: bool = "endedLoopWakeup",
            }

            /// The result of `EnterWorktree` or `ExitWorktree`.
            struct WorktreeResult {
                /// What became of the worktree: `keep` or `remove`.
                action: str = "action",
                /// The result in words.
                message: str = "message",
                /// The working directory outside of the worktree.
                original_cwd: str = "originalCwd",
                /// The path of the worktree.
                worktree_path: str = "worktreePath",
                /// The branch of the worktree.
                worktree_branch: str = "worktreeBranch",
                /// The name of the tmux session.
                tmux_session_name: str = "tmuxSessionName",
                /// The number of changed files that were discarded.
                discarded_files: u64 = "discardedFiles",
                /// The number of commits that were discarded.
                discarded_commits: u64 = "discardedCommits",
            }

            /// The result of `SetGoal`.
            struct SetGoalResult {
                /// The condition under which the goal is reached.
                condition: str = "condition",
                /// Whether the user was asked first.
                ask_user: bool = "askUser",
            }
        }
    };
}
pub(crate) use results;
results!(views);

/*!
Tool inputs: what the model passes to a tool.
*/

use linetape::message::{schema::views, system::PermissionMode};

macro_rules! inputs {
    ($to:ident) => {
        $to! {
            /// The input of `Bash`, which runs a shell command.
            struct BashInput {
                /// The command.
                command: str = "command",
                /// The time limit in milliseconds.
                timeout: f64 = "timeout",
                /// What the command does, in the model's words.
                description: str = "description",
                /// Whether the command runs in the background.
                run_in_background: bool = "run_in_background",
                /// Whether the command runs outside of the sandbox.
                dangerously_disable_sandbox: bool =
                    "dangerouslyDisableSandbox",
            }

            /// The input of `Read`, which reads a file.
            struct ReadInput {
                /// The path of the file.
                file_path: str = "file_path",
                /// The number of the first line to read.
                offset: u64 = "offset",
                /// The number of lines to read.
                limit: u64 = "limit",
                /// The pages of a PDF file to read, such as `1-5`.
                pages: str = "pages",
                /// Whether the file may be larger than usual.
                allow_large: bool = "allow_large",
            }

            /// A replacement in a file.
            struct Replacement {
                /// The text to replace.
                old_string: str = "old_string",
                /// The text that replaces it.
                new_string: str = "new_string",
                /// Whether to replace every occurrence.
                replace_all: bool = "replace_all",
            }

            /// The input of `Edit`, which makes a replacement in a file.
            struct EditInput: Replacement {
                /// The path of the file.
                file_path: str = "file_path",
            }

            /// The input of `MultiEdit`, which makes several replacements in
            /// a file. Only earlier agent programs have this tool.
            struct MultiEditInput {
                /// The path of the file.
                file_path: str = "file_path",
                /// The replacements, in the order in which they are made.
                edits: [Replacement] = "edits",
            }

            /// The input of `Write`, which writes a file.
            struct WriteInput {
                /// The path of the file.
                file_path: str = "file_path",
                /// The content of the file.
                content: str = "content",
            }

            /// The input of `Grep`, which searches files for a regular
            /// expression.
            struct GrepInput {
                /// The regular expression.
                pattern: str = "pattern",
                /// The file or directory to search.
                path: str = "path",
                /// The pattern of the paths to search.
                glob: str = "glob",
                /// What the result contains.
                output_mode: GrepMode = "output_mode",
                /// The number of lines to show before each match.
                before: u64 = "-B",
                /// The number of lines to show after each match.
                after: u64 = "-A",
                /// The number of lines to show before and after each match.
                context: u64 = "context" | "-C",
                /// Whether to show line numbers.
                line_numbers: bool = "-n",
                /// Whether to ignore case.
                ignore_case: bool = "-i",
                /// Whether to show only the matching part of a line.
                only_matching: bool = "-o",
                /// The type of files to search, such as `rust`.
                file_type: str = "type",
                /// The maximum number of lines or entries.
                head_limit: u64 = "head_limit",
                /// The number of lines or entries to skip.
                offset: u64 = "offset",
                /// Whether a match can span lines.
                multiline: bool = "multiline",
            }

            /// What the result of a search contains.
            enum GrepMode {
                /// The matching lines.
                Content = "content",
                /// The paths of the files with a match.
                FilesWithMatches = "files_with_matches",
                /// The number of matches in each file.
                Count = "count",
            }

            /// The input of `Glob`, which finds files by a pattern.
            struct GlobInput {
                /// The pattern of the paths.
                pattern: str = "pattern",
                /// The directory to search.
                path: str = "path",
            }

            /// The input of `Agent`, which runs a sub-agent. Earlier agent
            /// programs call the tool `Task`.
            struct AgentInput {
                /// A short description of the task.
                description: str = "description",
                /// The task.
                prompt: str = "prompt",
                /// The type of the sub-agent.
                subagent_type: str = "subagent_type",
                /// The model.
                model: str = "model",
                /// The effort of the model.
                effort: str = "effort",
                /// Whether the sub-agent runs in the background.
                run_in_background: bool = "run_in_background",
                /// The name by which the sub-agent can be addressed.
                name: str = "name",
                /// The name of the team.
                team_name: str = "team_name",
                /// The permission mode.
                mode: PermissionMode = "mode",
                /// How the sub-agent is isolated.
                isolation: Isolation = "isolation",
                /// The maximum number of turns.
                max_turns: u64 = "max_turns",
                /// The identifier of the sub-agent to resume.
                resume: str = "resume",
            }

            /// How a sub-agent is isolated.
            enum Isolation {
                /// In a git worktree of its own.
                Worktree = "worktree",
                /// On another machine.
                Remote = "remote",
            }

            /// The input of `WebFetch`, which fetches a web page and lets a
            /// model answer a question about it.
            struct WebFetchInput {
                /// The address of the page.
                url: str = "url",
                /// The question.
                prompt: str = "prompt",
                /// The number of characters of the page to skip.
                offset: u64 = "offset",
            }

            /// The input of `WebSearch`, which searches the web.
            struct WebSearchInput {
                /// The search terms.
                query: str = "query",
                /// The only domains to search.
                allowed_domains: [str] = "allowed_domains",
                /// The domains not to search.
                blocked_domains: [str] = "blocked_domains",
            }

            /// The input of `TodoWrite`, which replaces the to-do list.
            struct TodoWriteInput {
                /// The new list.
                todos: [Todo] = "todos",
            }

            /// An item of the to-do list.
            struct Todo {
                /// The text of the item.
                content: str = "content",
                /// The status of the item.
                status: TodoStatus = "status",
                /// The text while the item is in progress.
                active_form: str = "activeForm",
                /// The identifier of the item; only in earlier versions.
                id: str = "id",
                /// The priority of the item; only in earlier versions.
                priority: str = "priority",
            }

            /// The status of an item of the to-do list.
            enum TodoStatus {
                /// Not begun.
                Pending = "pending",
                /// Begun.
                InProgress = "in_progress",
                /// Done.
                Completed = "completed",
            }

            /// The input of `AskUserQuestion`, which asks the user.
            struct AskUserQuestionInput {
                /// The questions.
                questions: [Question] = "questions",
                /// The answers, by question. The host adds them when it
                /// permits the tool use.
                answers: {str} = "answers",
                /// The user's annotations, by question.
                annotations: {Annotation} = "annotations",
                /// Metadata of the questions.
                metadata: QuestionMetadata = "metadata",
            }

            /// A question to the user.
            struct Question {
                /// The question.
                question: str = "question",
                /// A short label.
                header: str = "header",
                /// The options.
                options: [QuestionOption] = "options",
                /// Whether the user can select several options.
                multi_select: bool = "multiSelect",
            }

            /// An option of a question.
            struct QuestionOption {
                /// The text of the option.
                label: str = "label",
                /// What the option means.
                description: str = "description",
                /// A preview of what the option leads to.
                preview: str = "preview",
            }

            /// The user's annotation of an answer.
            struct Annotation {
                /// The preview of the selected option.
                preview: str = "preview",
                /// The user's notes.
                notes: str = "notes",
                /// Why there is no answer: `skipped`, `replied_in_chat` or
                /// `dismissed`. Only in the result.
                unanswered: str = "unanswered",
            }

            /// Metadata of questions.
            struct QuestionMetadata {
                /// The origin of the questions.
                source: str = "source",
            }

            /// The input of `ExitPlanMode`, which presents a plan to the user.
            struct ExitPlanModeInput {
                /// The plan. Newer agent programs read it from a file.
                plan: str = "plan",
                /// The path of the file with the plan.
                plan_file_path: str = "planFilePath",
                /// The tool uses that the plan requires.
                allowed_prompts: [AllowedPrompt] = "allowedPrompts",
            }

            /// A kind of tool use that a plan requires.
            struct AllowedPrompt {
                /// The name of the tool.
                tool: str = "tool",
                /// A description of the tool uses.
                prompt: str = "prompt",
            }

            /// The input of `TaskCreate`, `TaskGet`, `TaskList` and
            /// `TaskUpdate`, which read and change the list of tasks. The tool
            /// determines which fields it has.
            struct TaskListInput {
                /// The identifier of the task.
                task_id: str = "taskId",
                /// The title of the task.
                subject: str = "subject",
                /// What to do.
                description: str = "description",
                /// The text while the task is in progress.
                active_form: str = "activeForm",
                /// The new status; `deleted` removes the task.
                status: str = "status",
                /// The agent that does the task.
                owner: str = "owner",
                /// The tasks that cannot begin before this one is done.
                add_blocks: [str] = "addBlocks",
                /// The tasks that must be done before this one.
                add_blocked_by: [str] = "addBlockedBy",
                /// Any metadata.
                metadata: json = "metadata",
            }

            /// The input of `TaskOutput`, which reads the output of a
            /// background task.
            struct TaskOutputInput {
                /// The identifier of the task.
                task_id: str = "task_id",
                /// Whether to wait for the end of the task.
                block: bool = "block",
                /// The longest time to wait, in milliseconds.
                timeout: u64 = "timeout",
            }

            /// The input of `Skill`, which runs a skill.
            struct SkillInput {
                /// The name of the skill.
                skill: str = "skill",
                /// The arguments.
                args: str = "args",
            }

            /// The input of `SendMessage`, which sends a message to another
            /// agent.
            struct SendMessageInput {
                /// The name or address of the agent.
                to: str = "to",
                /// A summary of the message in a few words.
                summary: str = "summary",
                /// The message: a text, or an object of a protocol.
                message: json = "message",
                /// Whether to be notified when the agent is idle.
                notify_when_idle: bool = "notify_when_idle",
            }

            /// The input of `ToolSearch`, which finds tools that the model has
            /// not been told of.
            struct ToolSearchInput {
                /// The search terms, or `select:` and names.
                query: str = "query",
                /// The maximum number of tools.
                max_results: u64 = "max_results",
            }

            /// The input of `Workflow`, which runs a script that starts
            /// sub-agents.
            struct WorkflowInput {
                /// The script.
                script: str = "script",
                /// The name of a saved workflow.
                name: str = "name",
                /// The title.
                title: str = "title",
                /// What the workflow does.
                description: str = "description",
                /// The arguments of the script.
                args: json = "args",
                /// The path of the script.
                script_path: str = "scriptPath",
                /// The run to resume.
                resume_from_run_id: str = "resumeFromRunId",
            }

            /// The input of `CronCreate`, `CronDelete` and `CronList`, which
            /// schedule prompts. The tool determines which fields it has.
            struct CronInput {
                /// The schedule, as a cron expression.
                cron: str = "cron",
                /// The prompt.
                prompt: str = "prompt",
                /// Whether the prompt is sent more than once.
                recurring: bool = "recurring",
                /// Whether the schedule outlives the session.
                durable: bool = "durable",
                /// The identifier of the schedule to delete.
                id: str = "id",
            }

            /// The input of `EnterWorktree` and `ExitWorktree`. The tool
            /// determines which fields it has.
            struct WorktreeInput {
                /// The name of a new worktree.
                name: str = "name",
                /// The path of an existing worktree.
                path: str = "path",
                /// What becomes of the worktree: `keep` or `remove`.
                action: str = "action",
                /// Whether to discard changes that are not saved elsewhere.
                discard_changes: bool = "discard_changes",
            }

            /// The input of `SetGoal`, which sets the goal that the agent
            /// pursues.
            struct SetGoalInput {
                /// The condition under which the goal is reached.
                condition: str = "condition",
                /// Whether to ask the user first.
                ask_user: bool = "ask_user",
            }
        }
    };
}
pub(crate) use inputs;
inputs!(views);

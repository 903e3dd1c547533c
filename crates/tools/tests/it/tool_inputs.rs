//! Tool inputs: every field of every tool.

use crate::fixture::fields;

const LOG: &str = include_str!("../data/tools.jsonl");

const INPUT: &str = "/message/content/0/input";

fields! {
    bash: inputs::BashInput, 1, INPUT => {
        command: "tide --watch",
        timeout: 5000,
        description: "Watches the tide",
        run_in_background: true,
        dangerously_disable_sandbox: false,
    }

    read: inputs::ReadInput, 3, INPUT => {
        file_path: "/bay/tide.rs",
        offset: 10,
        limit: 20,
        pages: "1-5",
        allow_large: true,
    }

    read_image: inputs::ReadInput, 5, INPUT => {
        file_path: "/bay/map.png",
    }

    read_notebook: inputs::ReadInput, 7, INPUT => {
        file_path: "/bay/tide.ipynb",
    }

    read_parts: inputs::ReadInput, 9, INPUT => {
        file_path: "/bay/tide.pdf",
        pages: "2",
    }

    edit: inputs::EditInput, 11, INPUT => {
        file_path: "/bay/tide.rs",
        old_string: "low",
        new_string: "high",
        replace_all: true,
    }

    multi_edit: inputs::MultiEditInput, 13, INPUT => {
        file_path: "/bay/tide.rs",
        edits: [
            {"old_string": "low", "new_string": "high", "replace_all": false},
        ],
    }

    write: inputs::WriteInput, 15, INPUT => {
        file_path: "/bay/new.rs",
        content: "let tide;\n",
    }

    grep: inputs::GrepInput, 17, INPUT => {
        pattern: "ti.e",
        path: "/bay",
        glob: "*.rs",
        output_mode: "content",
        before: 1,
        after: 2,
        context: 3,
        line_numbers: true,
        ignore_case: false,
        only_matching: true,
        file_type: "rust",
        head_limit: 10,
        offset: 5,
        multiline: false,
    }

    grep_count: inputs::GrepInput, 19, INPUT => {
        pattern: "tide",
        context: 4,
    }

    glob: inputs::GlobInput, 21, INPUT => {
        pattern: "**/*.rs",
        path: "/bay",
    }

    agent: inputs::AgentInput, 23, INPUT => {
        description: "Survey the bay",
        prompt: "Measure every tide.",
        subagent_type: "explorer",
        model: "haiku",
        effort: "low",
        run_in_background: true,
        name: "pilot",
        team_name: "harbour",
        mode: "plan",
        isolation: "worktree",
        max_turns: 9,
        resume: "a0",
    }

    agent_in_the_background: inputs::AgentInput, 25, INPUT => {
        description: "Survey the cove",
        prompt: "Go.",
        subagent_type: "explorer",
    }

    agent_remote: inputs::AgentInput, 27, INPUT => {
        description: "Survey the sea",
        prompt: "Go.",
        isolation: "remote",
    }

    web_fetch: inputs::WebFetchInput, 29, INPUT => {
        url: "https://tides.example",
        prompt: "When is high tide?",
        offset: 100,
    }

    web_search: inputs::WebSearchInput, 31, INPUT => {
        query: "tide table",
        allowed_domains: ["tides.example"],
        blocked_domains: ["spam.example"],
    }

    todo_write: inputs::TodoWriteInput, 33, INPUT => {
        todos: [
            {
                "content": "Measure the tide",
                "status": "in_progress",
                "activeForm": "Measuring the tide",
                "id": "1",
                "priority": "high",
            },
        ],
    }

    ask_user_question: inputs::AskUserQuestionInput, 35, INPUT => {
        questions: [
            {
                "question": "Which bay?",
                "header": "Bay",
                "options": [
                    {
                        "label": "North",
                        "description": "The northern bay",
                        "preview": "~~~",
                    },
                    {
                        "label": "South",
                        "description": "The southern bay",
                        "preview": "---",
                    },
                ],
                "multiSelect": true,
            },
        ],
        answers: {"Which bay?": "North"},
        annotations: {
            "Which bay?": {"preview": "~~~", "notes": "Both are fine."},
        },
        metadata: {"source": "survey"},
    }

    exit_plan_mode: inputs::ExitPlanModeInput, 37, INPUT => {
        plan: "1. Measure.",
        plan_file_path: "/bay/plan.md",
        allowed_prompts: [{"tool": "Bash", "prompt": "read the tide"}],
    }

    replacement: inputs::Replacement, 13,
    "/message/content/0/input/edits/0" => {
        old_string: "low",
        new_string: "high",
        replace_all: false,
    }

    todo: inputs::Todo, 33, "/message/content/0/input/todos/0" => {
        content: "Measure the tide",
        status: "in_progress",
        active_form: "Measuring the tide",
        id: "1",
        priority: "high",
    }

    question: inputs::Question, 35, "/message/content/0/input/questions/0" => {
        question: "Which bay?",
        header: "Bay",
        options: [
            {
                "label": "North",
                "description": "The northern bay",
                "preview": "~~~",
            },
            {
                "label": "South",
                "description": "The southern bay",
                "preview": "---",
            },
        ],
        multi_select: true,
    }

    question_option: inputs::QuestionOption, 35,
    "/message/content/0/input/questions/0/options/0" => {
        label: "North",
        description: "The northern bay",
        preview: "~~~",
    }

    annotation: inputs::Annotation, 36,
    "/toolUseResult/annotations/Which bay?" => {
        preview: "~~~",
        notes: "Both are fine.",
        unanswered: "skipped",
    }

    question_metadata: inputs::QuestionMetadata, 35,
    "/message/content/0/input/metadata" => {
        source: "survey",
    }

    allowed_prompt: inputs::AllowedPrompt, 37,
    "/message/content/0/input/allowedPrompts/0" => {
        tool: "Bash",
        prompt: "read the tide",
    }
}

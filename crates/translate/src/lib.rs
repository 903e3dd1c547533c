/*!
From one dialect to another.

- [`Wrapper`] makes [`Frame`]s for a client, such as an app, of what an agent
  writes. What the model says about progress is a frame of its own as well; the
  text stays whole.
- [`ToUi`] makes events of an agent server of it, and [`FromUi`] makes messages
  of such events again.

All are fed with borrowed messages, one after the other, from decoding or from
peeking, and hand out what each of them amounts to. A message that does not
name its session is of the session that was named last.

# What becomes of what: [`Wrapper`]

| message | frame |
|---|---|
| text of `assistant` | [`ClaudeResponse`](Frame::ClaudeResponse), with the session as `conversationId` |
| progress in that text | [`ProgressUpdate`](Frame::ProgressUpdate), as often as it is there |
| a sub-agent in that text | [`SubAgentProgress`](Frame::SubAgentProgress), `mentioned`, once for each name |
| `tool_use` of `Task` or `Agent` | the same, `started` |
| its `tool_result`, or `task_notification` if that is first | the same, `finished` or `failed` |
| any other `tool_use` | [`PermissionRequest`](Frame::PermissionRequest) |
| `control_request` to use a tool | the same, unless the call was asked about before |

A call may also be a line of its own: `assistant` with the subtype `tool_use`,
`toolName` and `toolArguments`. Its id is the line's `uuid`. Its result is the
`system` line with the subtype `tool_result` that has it as `parentUuid`, or
one that tells of an error.

A call that was sent to the background is finished when its notification says
so, and not by its result. A call counts as asked about until its result comes.
Texts of sub-agents are left out, as they are not said to the user. Their tool
calls are translated.

Nothing else is translated. In particular, neither are thoughts, nor tools that
the API runs by itself, nor `stream_event`: the whole message follows it.

# What counts as progress

N and M are whole numbers in ASCII digits, at most nine of them and none a
leading zero, with N no more than M, and M not 0. They stand as `N of M`,
`N out of M`, `N/M` or `N / M`; or as `N%` with M being 100. Between words is
one space. All is on one line. And there must be a reason to take the numbers
for progress:

| reason | example | `currentStep` |
|---|---|---|
| a verb, one to three nouns, the last in the singular; not with `%` | `Running test 5 of 20` | `Running tests` |
| the same with the last in the plural; a verb that opens a clause, and nothing more is said; not with `N/M` | `Running tests 5 of 20` | `Running tests` |
| a verb, up to three nouns, then `:`, `...` or brackets around the numbers, and nothing more is said | `Running unit tests: 5/20` | `Running unit tests` |
| | `Downloading (45%)` | `Downloading` |
| the word `progress` in the place of a verb | `Progress: 45%` | `Progress` |
| a verb that opens a clause; then what is counted, unless it is `%`, and nothing more is said | `Running 5 of 20 tests` | `Running tests` |
| the same without what is counted; not with `N/M`, which may be a date | `Running 5 of 20`, `Downloading 45%` | `Running`, `Downloading` |
| a word that counts; not with `%` | `Step 3 of 5: build`, `Test #5/20` | `Step 3`, `Test 5` |
| the same that is often something else; opens a clause, and nothing more is said | `Page 3 of 5`, `Pass 2/3: inline` | `Page 3`, `Pass 2` |
| what is done, before it; then what is counted | `Completed 3 of 10 tasks`, `Processed: 3/10 big files` | `Tasks`, `Big files` |
| the same without what is counted; not with `N/M`, and with `%` if nothing more is said | `Completed 3 of 10 so far`, `Done: 45%` | `Progress` |
| `ran` that opens a clause; then what is counted, and nothing more is said | `Ran 5 of 20 tests` | `Tests` |
| one to three nouns that open a clause, the last in the plural, what is done, a colon; and nothing more is said | `Tests completed: 5/20` | `Tests` |
| what is done, after it | `3 of 14 files processed` | `Files` |
| | `45% complete`, `3/14 done` | `Progress` |
| brackets at the start of a line, around `N/M`, which may be padded | `[3/7] Linking the app`, `[ 3/10] Linking` | `Linking the app`, `Linking` |
| the same with round ones, before a verb or a capital letter | `(3/7) linking it` | `linking it` |

A verb ends in `ing` and says what is being done. Words that count are `step`,
`phase`, `stage`, `test`, `task`, `file`, `item`, `batch`, `iteration`,
`chunk`, `part`, `module` and `epoch`; and often something else are `pass`,
`round`, `page`, `chapter`, `commit`, `case` and `example`. `attempt` is not
among them: who tries again is no further. Done are `done`, `completed`,
`finished` and `processed`; and after the numbers, `complete`. What is counted
is up to three words, of which the last, and no other, is in the plural.

A word opens a clause if it is the first of its line, or follows a mark that
ends or opens one, but for a comma; or `am`, `are`, `is`, `now`, `currently` or
`still`. Nothing more is said if the line ends, or a mark, a bracket or a dash
follows; so it must be after a `:` that leads to the numbers. A `#` may stand
between a word that is numbered and N, and what leads to the numbers may be
bold, as in `**Progress:** 45%`. So may both of the numbers, as in
`**5** of **20**`.

These are no progress:

| text | why |
|---|---|
| `it is faster on 3 of 4 tasks` | nothing says that this is work being done |
| `Running 5 of 20 tests in CI`, `I suggest running 5 of 20 tests` | may be all that is ever run |
| `Showing 5 of 20 tests`, `Saving 45%` | verbs that choose, show or measure |
| `Downloading 45% of it`, `Completed 45% sooner` | more is said |
| `Running 3/4`, `Completed 3/4` | may be dates |
| `Attempt 2 of 3`, `Retrying (2/3)`, `Completed 2 of 3 times` | tried again |
| `they pass 3 of 4`, `in case 3 of 4 fail`, `see page 3 of 5` | a verb, a condition, a reference |
| `Complete 3 of 10 tasks`, `Done: 18 of 20 tests passed` | to be done; something else is |
| `Testing shows 3 of 4` | what comes of a verb, and not what it is done to |
| `(3/4) of them`, `(3/4)` | may be an aside |
| `the tests completed: 5/20`, `I ran 5 of 20 tests` | may be all that there is |
| `18 of 20 tests passed` | the other two may be over as well |
| `Something like 3 of 4`, `Rating: 4/5` | not verbs, for all their ends |
| `1 of the 3`, `step one of five` | no numbers |
| `Processing file 3/4/2025`, `src/1/2`, `step 1.2/3` | dates, paths, versions |
| `step 05/20`, `step 5 of 0`, `step 7 of 5` | not a count |
| `not 100% done`, `if 3/4 done` | not so, or not yet |
| `100% sure`, `~95% identical`, `45.5% done` | not done, about, not whole |

# What counts as mentioning a sub-agent

| text | name |
|---|---|
| `@agent-NAME` | any: letters, digits, `-`, `_` and `:` |
| `NAME agent`, `NAME sub-agent`, `NAME subagent`, and NAME may stand in quotes | known: named by `init`, or called before, or one of `general-purpose`, `Explore` and `Plan` |
| the same with NAME in backquotes | any that has a hyphen |
| `the NAME sub-agent`, `the NAME subagent` | any that has a hyphen |
| `using NAME agent`, `using the NAME agent`; so with `launching`, `starting`, `invoking`, `spawning`, `running` and `delegating to`, and with sub-agents | any that has a hyphen |
| `sub-agent NAME`, `subagent: NAME` | known, or any that has a hyphen; but without a colon or quotes, none that begins with `re-`, `pre-`, `auto-`, `self-`, `non-` or `agent-` |

So `the main agent`, `a per-session agent`, `the read-only agent`, `agents` and
`agent-based` are nobody. `the read-only sub-agent` and `using the read-only
agent` are mistaken for names.

# What becomes of what: [`ToUi`]

| message | event |
|---|---|
| text of `assistant`, `text_delta` of `stream_event` | `TextChunk`; a text that came in deltas does not come again |
| `tool_use` | `ToolExecuting`; for `AskUserQuestion`, `UserInteractionRequired` as well |
| `assistant` with the subtype `tool_use` and `toolName` | the same, with the line's `uuid` as id |
| `tool_result` | `ToolCompleted`, with texts as lines |
| `system` with `tool_result` and a `parentUuid`, or with an error whose parent is such a call | the same, of the parent |
| `control_request` to use a tool | `PermissionRequired`; for `AskUserQuestion`, `UserInteractionRequired` unless it came before |
| `usage` of a message | `TokenUpdate`, if it is news; what comes from the cache counts as input |
| `result` | `Complete`, or `Error` |
| `error`, an API's error in place of an answer, `system` with `error` or `api_error` | `Error` |
| output of a slash command | `Display`; then `CommandComplete`, if the command is known |
| any other `system` | `System`, with its text or else its subtype |

Texts and tokens of sub-agents are left out. Their tool calls are translated.
Sessions become numbers, from 1; 0 is a session without a name. `Error` and
`System` of messages that name no session are of all. The turns of a session
count from 1, and end with its results; so logs that have no results are one
turn, and have no `Complete`. `refusal`, `pause_turn` and what is not known
become `EndTurn`.

What a tool needs leave for is the `command` of its input, which it would
execute; the host of its `url`, which it would read; or its path, which it would
write to unless it is known only to read. If there is none of them, it is the
tool itself.

# What becomes of what: [`FromUi`]

| event | message |
|---|---|
| a run of `TextChunk` | `assistant`, before whatever comes next of the session |
| `Complete` | `result` of success |
| `ToolExecuting` | `assistant` with a `tool_use` |
| `ToolCompleted` | `user` with a `tool_result` |
| `Error` | `error` |
| `System` | `system`, `informational` |
| `Display` | `system`, `local_command` |
| input for a server | `user` |
| `PermissionRequired`, `BatchPermissionRequired`, `UserInteractionRequired`, `TokenUpdate`, `CommandComplete` | none |

There and back again, texts, tool calls and results of tools stay what they
were, in order, but for texts that follow each other: they become one.
*/
#![cfg_attr(
    not(test),
    deny(
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic,
        clippy::indexing_slicing,
        clippy::print_stdout,
        clippy::print_stderr
    )
)]

mod ask;
mod call;
mod command;
mod events;
mod frame;
mod from_ui;
mod json;
mod mention;
mod progress;
mod sessions;
mod to_ui;
mod wrapper;

pub use frame::{Frame, SubAgentStatus};
pub use from_ui::FromUi;
pub use sessions::Sessions;
pub use to_ui::ToUi;
pub use wrapper::Wrapper;

/// Compiles the examples of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

// Compares the types of the agent SDK with the tables of linetape: finds the
// names that the SDK has and linetape does not know.
//
//   node drift.js MODULES KNOWN
//
// MODULES is a folder node_modules, KNOWN the output of
// `linetape schema --known --json`. Prints a JSON object: `missing` is a list of
// {at, key, line}, the item of a table, the missing name and the line to add;
// `names` is the number of compared names, and `json` lists the fields whose
// inside is not compared, since linetape keeps any JSON there.
"use strict";

const fs = require("fs");
const path = require("path");
const { open } = require("./types.js");

const [modules, knownFile] = process.argv.slice(2).map((p) => path.resolve(p));
const known = JSON.parse(fs.readFileSync(knownFile, "utf8"));
const folder = path.join(modules, "@anthropic-ai/claude-agent-sdk");
const files = ["sdk.d.ts", "sdk-tools.d.ts"];
const sdk = open(files.map((file) => path.join(folder, file)), modules);

// The tools that linetape knows, by their names in both. The SDK has no types
// of MultiEdit, TaskOutput, Skill, SendMessage and ToolSearch.
const TOOLS = [
  ["Agent", "Agent"],
  ["AskUserQuestion", "AskUserQuestion"],
  ["Bash", "Bash"],
  ["ExitPlanMode", "ExitPlanMode"],
  ["FileEdit", "Edit"],
  ["FileRead", "Read"],
  ["FileWrite", "Write"],
  ["Glob", "Glob"],
  ["Grep", "Grep"],
  ["TodoWrite", "TodoWrite"],
  ["WebFetch", "WebFetch"],
  ["WebSearch", "WebSearch"],
  ["TaskCreate", "TaskList"],
  ["TaskGet", "TaskList"],
  ["TaskList", "TaskList"],
  ["TaskUpdate", "TaskList"],
  ["Workflow", "Workflow"],
  ["CronCreate", "Cron"],
  ["CronDelete", "Cron"],
  ["CronList", "Cron"],
  ["EnterWorktree", "Worktree"],
  ["ExitWorktree", "Worktree"],
  ["ProposeGoal", "SetGoal"],
];

// The types to begin with, and the item of linetape that reads them.
const ROOTS = [
  ["messages", "StdoutMessage", "Message"],
  ["messages", "SDKUserMessage", "Message"],
  ["messages", "SDKControlRequestInner", "Request"],
  ["tools", "HookInput", "HookInput"],
  ["tools", "HookJSONOutput", "HookAnswer"],
  ...TOOLS.flatMap(([theirs, ours]) => [
    ["tools", `${theirs}Input`, `${ours}Input`],
    ["tools", `${theirs}Output`, `${ours}Result`],
  ]),
];

// A type of a field that is not in the tables: text, or a list of blocks.
const CONTENT = { Content: "[Block]" };

// A field of a message that the agent program sets on every line, whatever
// its type.
const TAGS = ["type", "subtype"];

const missing = new Map();
const names = new Set();
const anyJson = new Set();
const skipped = new Set();

/// The tables of one crate. Those of messages are behind them: other crates
/// use their types.
class Tables {
  constructor(tables) {
    for (const part of ["structs", "unions", "enums"]) {
      this[part] = { ...known.messages[part], ...tables[part] };
    }
    this.seen = new Set();
  }

  has(name) {
    return Boolean(this.structs[name] ?? this.unions[name]);
  }

  /// Returns the field of a struct or of its parents that has this key.
  field(name, key) {
    for (let at = name; at; at = this.structs[at]?.parent) {
      const fields = this.structs[at]?.fields ?? [];
      const found = fields.find((f) => f.key === key || f.alias === key);
      if (found) return found;
    }
  }

  /// Compares the alternatives of a type with the type of a field.
  compare(type, kind) {
    for (const one of sdk.alternatives(type)) {
      const once = `${one.id} ${kind}`;
      if (this.seen.has(once)) continue;
      this.seen.add(once);
      this.compareOne(sdk.shape(one), CONTENT[kind] ?? kind);
    }
  }

  compareOne(shape, kind) {
    const inner = kind.slice(1, -1);
    if (kind.startsWith("[")) {
      (shape.items ?? []).forEach((item) => this.compare(item, inner));
    } else if (kind.startsWith("{")) {
      const values = shape.fields ? [...shape.fields.values()] : [];
      if (shape.value) values.push(shape.value);
      if (shape.is !== "text") values.forEach((v) => this.compare(v, inner));
    } else if (kind.startsWith("(")) {
      this.compareOne(shape, inner);
    } else if (this.enums[kind]) {
      if (shape.is !== "text") return;
      names.add(`enum ${kind} ${shape.value}`);
      if (!this.enums[kind].includes(shape.value)) {
        const variant = camel(shape.value);
        const line = `${variant} = ${JSON.stringify(shape.value)},`;
        report(`enum ${kind}`, shape.value, line);
      }
    } else if (this.unions[kind]) {
      if (shape.is === "object") this.compareUnion(shape, kind);
    } else if (this.structs[kind]) {
      if (shape.is === "object") this.compareStruct(shape, kind, TAGS);
    }
  }

  /// Finds the variant by its tag, which may have several values.
  compareUnion(shape, name) {
    const { by, variants } = this.unions[name];
    const tag = shape.fields.get(by);
    const texts = tag ? sdk.alternatives(tag).map(sdk.shape) : [];
    for (const { is, value } of texts) {
      if (is !== "text") continue;
      names.add(`union ${name} ${value}`);
      const view = variants[value];
      if (view === undefined) {
        const fields = [...shape.fields.keys()].filter((key) => key !== by);
        const line = `${camel(value)}(${camel(value)}) = "${value}",`;
        report(`union ${name}`, value, `${line} // ${fields.join(", ")}`);
      } else if (this.unions[view]) {
        this.compareUnion(shape, view);
      } else {
        this.compareStruct(shape, view, [...TAGS, by]);
      }
    }
  }

  compareStruct(shape, name, tags) {
    for (const [key, type] of shape.fields) {
      const field = this.field(name, key);
      names.add(`struct ${name} ${key}`);
      if (field?.type.includes("json")) {
        anyJson.add(`struct ${name} ${key}`);
      } else if (field) {
        this.compare(type, field.type);
      } else if (!tags.includes(key)) {
        const line = `${snake(key)}: ${kindOf(type)} = "${key}",`;
        report(`struct ${name}`, key, line);
      }
    }
  }
}

function report(at, key, line) {
  missing.set(`${at} ${key}`, { at, key, line });
}

/// Returns the type of a table for a type of the SDK, as a proposal.
function kindOf(type) {
  const kinds = sdk.alternatives(type).map((one) => {
    const shape = sdk.shape(one);
    if (shape.is === "text") return "str";
    if (shape.is === "list") return `[${kindOf(shape.items[0])}]`;
    if (shape.is === "map") return `{${kindOf(shape.value)}}`;
    return { string: "str", number: "u64", boolean: "bool", true: "bool",
             false: "bool" }[shape.name] ?? "json";
  });
  return new Set(kinds).size === 1 ? kinds[0] : "json";
}

function snake(key) {
  return key.replace(/([a-z0-9])([A-Z])/g, "$1_$2").toLowerCase();
}

function camel(text) {
  const words = text.split(/[^A-Za-z0-9]+/).filter(Boolean);
  return words.map((w) => w[0].toUpperCase() + w.slice(1)).join("");
}

const crates = {};
for (const [crate, from, to] of ROOTS) {
  if (!known[crate]) {
    skipped.add(`linetape has no tables "${crate}"`);
    continue;
  }
  crates[crate] ??= new Tables(known[crate]);
  if (!crates[crate].has(to)) throw new Error(`linetape has no ${to}`);
  crates[crate].compare(sdk.named(from), to);
}
console.log(
  JSON.stringify({
    missing: [...missing.values()],
    skipped: [...skipped],
    names: names.size,
    json: [...anyJson],
  }),
);

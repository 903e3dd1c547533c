// Prints the messages of sessions as the TypeScript agent SDK reads them.
//
//     CLAUDE_CONFIG_DIR=FOLDER node sdk_branch.mjs MODULES SESSION...
//
// One JSON array of uuids for each session, in order.
import path from "node:path";
import { pathToFileURL } from "node:url";

const [modules, ...sessions] = process.argv.slice(2);
const sdk = path.join(modules, "@anthropic-ai/claude-agent-sdk/sdk.mjs");
const { getSessionMessages } = await import(pathToFileURL(sdk));
for (const session of sessions) {
  const messages = await getSessionMessages(session);
  console.log(JSON.stringify(messages.map((message) => message.uuid)));
}

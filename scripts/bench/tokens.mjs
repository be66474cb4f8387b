// What a sidecar saves: tokens of ten real files beside their summary and outline, and of
// folder summaries. Counted with gpt-tokenizer (o200k_base). Prints markdown table rows, and
// says how many summaries are over their goal.
//
//   node scripts/bench/tokens.mjs INSPECTFS FOLDER_WITH_NODE_MODULES FILE_OR_FOLDER...
import { execFileSync } from "node:child_process";
import { createRequire } from "node:module";
import { readFileSync, statSync } from "node:fs";
import { basename, dirname } from "node:path";

const [inspectfs, modules, ...paths] = process.argv.slice(2);
const { encode } = createRequire(modules + "/x.js")("gpt-tokenizer");
// Text that looks like a special token is text.
const tokens = (text) => encode(text, { allowedSpecial: new Set(), disallowedSpecial: new Set() }).length;
const ask = (command, path) =>
  execFileSync(inspectfs, [command, "--parse-time", "2000", "--workspace", dirname(path), path], {
    maxBuffer: 1 << 24,
    encoding: "utf8",
  });

let over = 0;
for (const path of paths) {
  const summary = tokens(ask("inspect", path));
  const name = basename(path);
  if (statSync(path).isDirectory()) {
    if (summary >= 80) over++;
    console.log(`| ${name}/ | | ${summary} | |`);
    continue;
  }
  const whole = tokens(readFileSync(path, "utf8"));
  const outline = tokens(ask("outline", path));
  if (summary > 125) over++;
  console.log(`| ${name} | ${whole} | ${summary} | ${outline} |`);
}
if (over) console.error(`${over} over the goal: 125 tokens a file, under 80 a folder`);

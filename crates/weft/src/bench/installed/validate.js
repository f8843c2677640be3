// Validates every *.jsonl of a folder with the schema beside it; prints the seconds of the best of nine rounds.
const fs = require("fs");
let Seven, Twenty;
try {
  Seven = require("ajv");
  Twenty = require("ajv/dist/2020");
} catch {
  process.exit(3);
}
let addFormats = (ajv) => ajv;
try {
  addFormats = require("ajv-formats");
} catch {}
const folder = process.argv[1];
const work = fs.readdirSync(folder).filter((name) => name.endsWith(".jsonl")).map((name) => {
  const path = folder + "/" + name;
  const schema = JSON.parse(fs.readFileSync(path.replace(".jsonl", ".schema.json"), "utf8"));
  const Ajv = schema.$schema.includes("draft-07") ? Seven : Twenty;
  const ajv = new Ajv({ strict: false });
  addFormats(ajv);
  return [ajv.compile(schema), fs.readFileSync(path, "utf8").split("\n").filter(Boolean)];
});
let best = Infinity;
for (let round = 0; round < 9; round++) {
  const start = process.hrtime.bigint();
  for (const [validate, lines] of work)
    for (const line of lines) if (!validate(JSON.parse(line))) throw new Error(line);
  best = Math.min(best, Number(process.hrtime.bigint() - start) / 1e9);
}
console.log(best);

// #region list
import {
  createMediaGen,
  fieldsOf,
  isModel,
  listModels,
  validate,
} from "@mediagen/sdk/node";

const media = createMediaGen();

for (const { kind, model } of listModels()) {
  const required = fieldsOf(model).filter((field) => field.required);
  console.log(
    `${kind} ${model} requires ${required.map(({ field }) => field).join(", ") || "(not documented)"}`,
  );
}
// #endregion list

// #region generate
const [text = "imgmodelv4", json = '{ "prompt": "A paper boat" }'] =
  process.argv.slice(2);
if (!isModel(text)) throw new Error(`${text} is not a model`);
const form = JSON.parse(json) as Record<string, unknown>;

const issues = validate(text, form);
for (const issue of issues) console.log(issue.message);
if (issues.length === 0) {
  const task = await media.generate(text, form);
  console.log(`${task.kind} task ${task.taskid}`);
}
// #endregion generate

import { createMediaGen, fileStore, OutcomeUnknownError } from "@mediagen/sdk/node";

const media = createMediaGen({ store: fileStore("generations") });
const emulator = `${process.env["MEDIAGEN_BASE_URL"]}/_emulator`;
// your own: here a new order in each run
const idempotencyKey = `order-${Date.now()}`;
const form = { prompt: `A fox in the snow for ${idempotencyKey}` };
const generate = () =>
  media.video.generate("vidmodelv2fast", form, { idempotencyKey });

// The emulator's fault: it creates the task, bills it, and closes the connection
// before it responds.
await fetch(`${emulator}/next`, {
  method: "POST",
  headers: { "content-type": "application/json" },
  body: JSON.stringify({ fault: "resetAfter", on: "generateVidmodelv2fast" }),
});

const lost = await generate().catch((error: unknown) => error);
if (!(lost instanceof OutcomeUnknownError))
  throw new Error("The response was not lost.");
console.log(
  `lost: ${lost.model} of ${new Date(lost.at).toISOString()}, generation ${lost.generationId}`,
);

// The same key does not send the form again: nothing more is billed.
console.log(
  await generate().catch((error: unknown) =>
    error instanceof Error ? error.name : error,
  ),
);

// Look for the task by its model and prompt, as a person would do at the service.
const { tasks } = (await (await fetch(`${emulator}/state`)).json()) as {
  tasks: { taskid: string; model: string; prompt: string }[];
};
const found = tasks.find(
  ({ model, prompt }) => model === lost.model && prompt === form.prompt,
);
if (!found || !lost.generationId) throw new Error("There is no such task.");
console.log(`found: ${found.taskid}`);

const resolved = await media.resolve(lost.generationId, { taskid: found.taskid });
await resolved.wait();

const task = await generate();
console.log(`${idempotencyKey} is ${task.taskid}, billed once`);

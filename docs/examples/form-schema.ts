import { createMediaGen } from "@mediagen/sdk";
import { formSchema } from "@mediagen/sdk/schema";

const media = createMediaGen();
const schema = formSchema("vidmodelv2", { from: "text", without: ["duration"] });

/** Generates what a visitor has filled in. */
async function generate(fields: FormData): Promise<string> {
  const result = schema["~standard"].validate(fields);
  if (result.issues) return result.issues.map(({ message }) => message).join("\n");
  // The server decides about the duration.
  const task = await media.video.generate("vidmodelv2", {
    ...result.value,
    duration: 5,
  });
  return task.taskid;
}

const fields = new FormData();
fields.set("prompt", "A fox runs through snow");
fields.set("generate_audio", "on");
console.log(await generate(fields));
fields.set("ratio", "16x9");
fields.set("duration", "15");
console.log(await generate(fields));

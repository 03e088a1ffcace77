import { createMediaGen, type Form } from "@mediagen/sdk/node";

async function generate(form: Form<"vidmodelv2">): Promise<string> {
  "use step";
  return (await createMediaGen({ retries: 0 }).video.generate("vidmodelv2", form)).taskid;
}

/** What a newcomer writes: a step that generates, without an idempotency key. */
export async function makeVideo(form: Form<"vidmodelv2">): Promise<string> {
  "use workflow";
  return generate(form);
}

import Replicate, { type Prediction } from "replicate";

const replicate = new Replicate({ auth: "key" });

/** A video of a prompt. */
export async function makeVideo(
  prompt: string,
  duration: 5 | 10,
  signal?: AbortSignal,
): Promise<unknown> {
  const created: Prediction = await replicate.predictions.create({
    model: "owner/model",
    input: { prompt, duration },
    ...(signal ? { signal } : {}),
  });
  const done = await replicate.wait(created, { interval: 500 });
  console.log(done.status, done.metrics?.predict_time);
  if (done.status !== "succeeded") throw new Error(String(done.error));
  return done.output;
}

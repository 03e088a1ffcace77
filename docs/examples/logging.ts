import { createMediaGen, type Logger } from "@mediagen/sdk/node";

/** Writes each line as JSON, as log collectors expect it. */
function write(level: keyof Logger): (line: string) => void {
  return (line) => console.log(JSON.stringify({ level, time: Date.now(), msg: line }));
}

const logger: Logger = { error: write("error"), warn: write("warn"), info: write("info"), debug: write("debug") };
const media = createMediaGen({ logger, logLevel: "info" });

await (await media.video.generate("vidmodelv2", { prompt: "A fox runs through snow" })).wait();

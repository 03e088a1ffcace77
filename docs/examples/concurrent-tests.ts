import { emulatorFixture } from "@mediagen/emulator/vitest";
import { createMediaGen } from "@mediagen/sdk";
import { describe, test as base } from "vitest";

const test = base.extend({ emulator: emulatorFixture({ credits: 100 }) });

describe.concurrent("foxes", () => {
  test.for([1, 2, 3])("fox %i is billed once", async (number, { emulator }) => {
    const media = createMediaGen(emulator.client);
    await media.image.generate("imgmodelv4", { prompt: `Fox ${number}` });
    emulator.paidOnce();
    emulator.noViolations();
  });
});

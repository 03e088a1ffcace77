import {
  createMediaGenProvider,
  type MediaGenModelOptions,
  mediagen,
} from "@mediagen/ai-sdk-provider";
import { expectTypeOf, test } from "vitest";

test("models are typed from the spec", () => {
  mediagen.image("imgmodelv45");
  mediagen.video("vidmodelv2");
  // @ts-expect-error -- it makes videos
  mediagen.image("vidmodelv2");
  // @ts-expect-error -- there is no such model
  mediagen.video("vidmodelx");
});

test("options of a provider are those of a client, each with a value", () => {
  createMediaGenProvider({
    apiKey: () => "a-key",
    baseUrl: "https://media.example",
    headers: { "x-team": "foxes" },
  });
  // @ts-expect-error -- a misspelled option
  void (() => createMediaGenProvider({ baseURL: "https://media.example" }));
  // @ts-expect-error -- the account of the environment would pay
  void (() => createMediaGenProvider({ apiKey: undefined }));
});

test("options of a model are its form and a key", () => {
  const options = {
    batchsize: 4,
    idempotencyKey: "order-42",
  } satisfies MediaGenModelOptions<"imgmodelv45">;
  expectTypeOf(options.batchsize).toBeNumber();
  // @ts-expect-error -- a misspelled field
  void ({ batchsiz: 4 } satisfies MediaGenModelOptions<"imgmodelv45">);
  // @ts-expect-error -- a key without a value would be no key
  void ({ idempotencyKey: undefined } satisfies MediaGenModelOptions<"imgmodelv45">);
});

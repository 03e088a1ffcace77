import { sValidator } from "@hono/standard-validator";
import { standardSchemaResolver } from "@hookform/resolvers/standard-schema";
import { type Form, listModels, type Model } from "@mediagen/sdk";
import { formSchema, type FormWithout } from "@mediagen/sdk/schema";
import { Client, InMemoryTransport } from "@modelcontextprotocol/client";
import { McpServer } from "@modelcontextprotocol/server";
import { FormApi } from "@tanstack/react-form";
import { initTRPC } from "@trpc/server";
import { generateText, stepCountIs, tool } from "ai";
import { MockLanguageModelV4 } from "ai/test";
import { Hono } from "hono";
import { useForm } from "react-hook-form";
import { describe, expect, expectTypeOf, test } from "vitest";

const picture = new File(["GIF89a"], "first.gif", { type: "image/gif" });

/** A form as a browser sends it. */
function formData(fields: Readonly<Record<string, string | File>>): FormData {
  const data = new FormData();
  for (const [name, value] of Object.entries(fields)) data.set(name, value);
  return data;
}

describe("Hono", () => {
  const app = new Hono()
    .post("/json", sValidator("json", formSchema("imgmodelv45")), (c) => {
      expectTypeOf(c.req.valid("json")).toExtend<Form<"imgmodelv45">>();
      return c.json(c.req.valid("json"));
    })
    .post(
      "/form",
      sValidator("form", formSchema("vidmodelv2", { from: "text", without: ["duration"] })),
      (c) => {
        const form = c.req.valid("form");
        expectTypeOf(form).toExtend<FormWithout<"vidmodelv2", "duration">>();
        return c.json({
          ...form,
          sourceImage: form.sourceImage instanceof File && form.sourceImage.name,
        });
      },
    );

  test("passes valid JSON on, and rejects a field out of its bounds", async () => {
    const post = (form: object) =>
      app.request("/json", {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(form),
      });
    expect(await (await post({ prompt: "A fox", batchsize: 2 })).json()).toEqual({
      prompt: "A fox",
      batchsize: 2,
    });
    const response = await post({ prompt: "A fox", batchsize: 99 });
    expect([response.status, await response.json()]).toMatchObject([
      400,
      { error: [{ path: ["batchsize"] }] },
    ]);
  });

  test("reads a form with a file, and rejects a field that the server sets", async () => {
    const post = (fields: Readonly<Record<string, string | File>>) =>
      app.request("/form", { method: "POST", body: formData(fields) });
    const fields = {
      prompt: "A fox",
      seed: "5",
      generate_audio: "on",
      ratio: "",
      sourceImage: picture,
    };
    const valid = await post(fields);
    expect(await valid.json()).toEqual({
      prompt: "A fox",
      seed: 5,
      generate_audio: true,
      sourceImage: "first.gif",
    });
    expect((await post({ ...fields, duration: "15" })).status).toBe(400);
  });
});

test("tRPC checks JSON and FormData", async () => {
  const { procedure, router, createCallerFactory } = initTRPC.create();
  const routes = router({
    json: procedure.input(formSchema("imgmodelz")).mutation(({ input }) => input),
    form: procedure
      .input(formSchema("vidmodelv2", { from: "text" }))
      .mutation(({ input }) => input),
  });
  const caller = createCallerFactory(routes)({});
  expectTypeOf(await caller.json({ prompt: "A fox" })).toExtend<Form<"imgmodelz">>();
  // The cast: a schema has the type of the form that it returns.
  const data = formData({ prompt: "A fox", duration: "5" }) as FormWithout<"vidmodelv2", never>;
  expect(await caller.form(data)).toEqual({ prompt: "A fox", duration: 5 });
  await expect(caller.json({ prompt: "A fox", seed: 0.5 })).rejects.toMatchObject({
    code: "BAD_REQUEST",
  });
});

test("react-hook-form shows each issue at its field", async () => {
  const resolver = standardSchemaResolver(formSchema("vidmodelv2", { from: "text" }));
  const options = { fields: {}, shouldUseNativeValidation: false };
  // The cast: a form in a page has texts.
  const resolve = (form: object) => resolver(form as Form<"vidmodelv2">, undefined, options);
  const values = { prompt: "A fox", duration: 5 };
  expect(await resolve({ prompt: "A fox", duration: "5", ratio: "" })).toEqual({
    values,
    errors: {},
  });
  const { errors } = await resolve({ prompt: "A fox", duration: "7" });
  expect(errors).toMatchObject({
    duration: { message: "duration must be one of 5, 10 or 15, not 7." },
  });
  // A component that only the compiler reads.
  const Component = () => {
    const { handleSubmit } = useForm({
      resolver: standardSchemaResolver(formSchema("imgmodelv45")),
    });
    return handleSubmit((form) => expectTypeOf(form).toExtend<Form<"imgmodelv45">>());
  };
  expect(Component).toBeTypeOf("function");
});

test("TanStack Form shows each issue at its field", async () => {
  const defaultValues: FormWithout<"imgmodelv45", never> = { prompt: "A fox" };
  const form = new FormApi({ defaultValues, validators: { onChange: formSchema("imgmodelv45") } });
  form.mount();
  // A video needs no prompt, so that the type of its form says what the values are.
  const video = {
    defaultValues: { prompt: "" } as Form<"vidmodelv2">,
    validators: { onChange: formSchema("vidmodelv2") },
  };
  expect(new FormApi(video).state.values).toEqual({ prompt: "" });
  form.setFieldValue("batchsize", 99);
  expect(form.getAllErrors().fields["batchsize"]?.errors).toMatchObject([
    { message: expect.stringContaining("batchsize must be ") },
  ]);
  form.setFieldValue("batchsize", 15);
  expect(form.state.canSubmit).toBe(true);
});

describe("the AI SDK", () => {
  /**
   * Calls a tool as a model would, and returns what the tool was called with, and what the model
   * receives.
   */
  async function callTool(input: object) {
    const drawn: object[] = [];
    const draw = tool({
      inputSchema: formSchema("imgmodelv45", { without: ["sourceImage"] }),
      execute: (form) => {
        expectTypeOf(form).toExtend<FormWithout<"imgmodelv45", "sourceImage">>();
        return drawn.push(form);
      },
    });
    let schema: unknown;
    const model = new MockLanguageModelV4({
      doGenerate: async ({ tools = [] }) => {
        [schema] = tools;
        return {
          content: [
            { type: "tool-call", toolCallId: "1", toolName: "draw", input: JSON.stringify(input) },
          ],
          finishReason: { unified: "tool-calls", raw: undefined },
          usage: {
            inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
            outputTokens: { total: 1, text: 1, reasoning: 0 },
          },
          warnings: [],
        };
      },
    });
    const { steps } = await generateText({
      model,
      tools: { draw },
      stopWhen: stepCountIs(1),
      prompt: "Draw a fox",
    });
    return {
      drawn,
      schema,
      parts: steps.flatMap(({ content }) => content.map(({ type }) => type)),
    };
  }

  test("offers the JSON Schema to the model, and calls the tool with a valid form only", async () => {
    const { drawn, schema, parts } = await callTool({ prompt: "A fox", resolution: "2K" });
    expect(schema).toMatchObject({
      name: "draw",
      inputSchema: { required: ["prompt"], additionalProperties: false },
    });
    expect([drawn, parts]).toEqual([
      [{ prompt: "A fox", resolution: "2K" }],
      ["tool-call", "tool-result"],
    ]);
    expect(await callTool({ prompt: "A fox", batchsize: 99 })).toMatchObject({
      drawn: [],
      parts: ["tool-call", "tool-error"],
    });
  });
});

test.for(listModels())("an MCP server takes the schema of $model", async ({ model }) => {
  const server = new McpServer({ name: "draw", version: "1.0.0" });
  // The cast: the list has the names of the models.
  const inputSchema = formSchema(model as Model);
  server.registerTool("draw", { inputSchema }, (form) => ({
    content: [{ type: "text", text: JSON.stringify(form) }],
  }));
  const client = new Client({ name: "a-host", version: "1.0.0" });
  const [near, far] = InMemoryTransport.createLinkedPair();
  await Promise.all([server.connect(far), client.connect(near)]);
  const { tools } = await client.listTools();
  expect(tools[0]?.inputSchema).toEqual(
    inputSchema["~standard"].jsonSchema.input({ target: "draft-2020-12" }),
  );
  const valid = await client.callTool({ name: "draw", arguments: { prompt: "A fox" } });
  expect(valid).toMatchObject({ content: [{ text: '{"prompt":"A fox"}' }] });
  const invalid = await client.callTool({
    name: "draw",
    arguments: { prompt: "A fox", promt: "A fox" },
  });
  expect(invalid).toMatchObject({
    isError: true,
    content: [{ text: expect.stringContaining("Did you mean prompt?") }],
  });
  await client.close();
});

import { http, HttpResponse } from "msw-3";
import { setupServer } from "msw-3/node";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { baseUrls, clientAt, entries, failureOf, finished, generateAndFetch, png } from "./mocked-calls.ts";

const server = setupServer();
const logged: string[] = [];
beforeAll(() => {
  vi.spyOn(console, "error").mockImplementation((text) => void logged.push(String(text)));
  server.listen({ onUnhandledFrame: "error" });
});
afterEach(() => {
  server.resetHandlers();
  logged.splice(0);
});
afterAll(() => server.close());

describe.each(Object.keys(entries) as (keyof typeof entries)[])("MSW intercepts all that %s sends", (entry) => {
  test.each(baseUrls)("to %s", async (baseUrl) => {
    const uploads: unknown[] = [];
    server.use(
      http.post(`${baseUrl}/v1/video/vidmodelv2`, async ({ request }) => {
        const form = await request.formData();
        uploads.push([request.url, form.get("prompt"), form.getAll("sourceImage.items").length]);
        return HttpResponse.json({ code: 1000, msg: "", data: { taskid: "t-1" } });
      }),
      http.post(`${baseUrl}/v1/video/infobytaskid`, () => HttpResponse.json(finished(baseUrl))),
      http.get(`${baseUrl}/1.png`, () => HttpResponse.arrayBuffer(new Uint8Array(png).buffer)),
    );
    expect(await generateAndFetch(clientAt(entry, baseUrl))).toEqual([png.length, png.length]);
    expect(uploads).toEqual([[`${baseUrl}/v1/video/vidmodelv2`, "A fox", 2]]);
  });

  test("also where the environment names a proxy", async () => {
    const [baseUrl = ""] = baseUrls;
    vi.stubEnv("HTTPS_PROXY", "http://proxy.invalid:3128");
    server.use(
      http.post(`${baseUrl}/v1/video/vidmodelv2`, () => HttpResponse.json(finished(baseUrl))),
      http.post(`${baseUrl}/v1/video/infobytaskid`, () => HttpResponse.json(finished(baseUrl))),
      http.get(`${baseUrl}/1.png`, () => HttpResponse.arrayBuffer(new Uint8Array(png).buffer)),
    );
    const sizes = await generateAndFetch(clientAt(entry, baseUrl)).finally(() => vi.unstubAllEnvs());
    expect(sizes).toEqual([png.length, png.length]);
  });

  test.each([
    [() => HttpResponse.json({ code: 9000, msg: "no" }), "InsufficientCreditsError"],
    [() => HttpResponse.error(), "OutcomeUnknownError"],
    [() => new HttpResponse(null, { status: 503 }), "OutcomeUnknownError"],
  ])("a failure: %s", async (resolver, failure) => {
    const [baseUrl = ""] = baseUrls;
    server.use(http.post(`${baseUrl}/v1/video/vidmodelv2`, resolver));
    expect(await failureOf(clientAt(entry, baseUrl))).toBe(failure);
  });

  test("and lets nothing reach the real service that no handler expects", async () => {
    for (const baseUrl of baseUrls) {
      const media = clientAt(entry, baseUrl);
      await expect(media.video.generate("vidmodelv2", { prompt: "A fox" })).rejects.toThrow("[MSW]");
      await expect(media.video.query("t-1")).rejects.toThrow("[MSW]");
      expect(logged.splice(0).map((text) => /POST \S+/.exec(text)?.[0])).toEqual([
        `POST ${baseUrl}/v1/video/vidmodelv2`,
        `POST ${baseUrl}/v1/video/infobytaskid`,
      ]);
    }
  });
});

import nock from "nock";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { baseUrls, clientAt, entries, failureOf, finished, generateAndFetch, png } from "./mocked-calls.ts";

/** Nock shows a body of bytes in hexadecimal digits. */
const filesIn = (body: unknown) =>
  Buffer.from(String(body), "hex").toString("latin1").split('name="sourceImage.items"').length - 1;

beforeAll(() => nock.disableNetConnect());
afterEach(() => nock.cleanAll());
afterAll(() => nock.restore());

describe.each(Object.keys(entries) as (keyof typeof entries)[])("nock intercepts all that %s sends", (entry) => {
  test.each(baseUrls)("to %s", async (baseUrl) => {
    const scope = nock(baseUrl)
      .post("/v1/video/vidmodelv2", (body) => filesIn(body) === 2)
      .reply(200, { code: 1000, msg: "", data: { taskid: "t-1" } })
      .post("/v1/video/infobytaskid", { taskid: "t-1" })
      .reply(200, finished(baseUrl))
      .get("/1.png")
      .twice()
      .reply(200, png);
    expect(await generateAndFetch(clientAt(entry, baseUrl))).toEqual([png.length, png.length]);
    expect(scope.isDone()).toBe(true);
  });

  test("also where the environment names a proxy", async () => {
    const [baseUrl = ""] = baseUrls;
    vi.stubEnv("HTTPS_PROXY", "http://proxy.invalid:3128");
    nock(baseUrl)
      .post(/vidmodelv2|infobytaskid/)
      .twice()
      .reply(200, finished(baseUrl))
      .get("/1.png")
      .twice()
      .reply(200, png);
    const sizes = await generateAndFetch(clientAt(entry, baseUrl)).finally(() => vi.unstubAllEnvs());
    expect(sizes).toEqual([png.length, png.length]);
  });

  test("failures too", async () => {
    const [baseUrl = ""] = baseUrls;
    const post = () => nock(baseUrl).post("/v1/video/vidmodelv2");
    post().reply(200, { code: 9000, msg: "no" });
    expect(await failureOf(clientAt(entry, baseUrl))).toBe("InsufficientCreditsError");
    post().replyWithError(Object.assign(new Error("reset"), { code: "ECONNRESET" }));
    expect(await failureOf(clientAt(entry, baseUrl))).toBe("OutcomeUnknownError");
    post().reply(503);
    expect(await failureOf(clientAt(entry, baseUrl))).toBe("OutcomeUnknownError");
  });

  test("and lets nothing reach the real service that no interceptor expects", async () => {
    const rejects = async (call: Promise<unknown>) => expect(call).rejects.toThrow(/HTTP 501|Nock|No match/);
    for (const baseUrl of baseUrls) {
      const media = clientAt(entry, baseUrl);
      await rejects(media.video.generate("vidmodelv2", { prompt: "A fox" }));
      await rejects(media.video.query("t-1"));
    }
  });
});

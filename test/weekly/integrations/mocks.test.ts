import { blobs, createMediaGen, type MediaGen } from "@mediagen/sdk";
import { createMediaGen as createNodeMediaGen, download } from "@mediagen/sdk/node";
import { http, HttpResponse } from "msw";
import { setupServer } from "msw/node";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { ownDirectory } from "../../sdk/result-server.ts";

const directory = ownDirectory();
const png = Buffer.from("\x89PNG\r\n\x1a\n", "latin1");
/** URLs that no mocking library can confuse: secure and not, with a port and without. */
const first = "https://media.example.com";
const others = ["https://media.example.com:8443", "http://a.example:8080"];
const generation = "/v1/video/vidmodelv2";
/** A library that intercepts requests. */
interface Library {
  /** Intercepts a generation with two files, its query and its results. */
  mock(baseUrl: string, record: object): { readonly uploads: () => number };
  /** What a request without a mock fails with. */
  readonly unexpected: RegExp;
  reset(): void;
  close(): void;
}

function useMsw(): Library {
  const server = setupServer();
  const log = vi.spyOn(console, "error").mockImplementation(() => undefined);
  server.listen({ onUnhandledFrame: "error" });
  return {
    mock(baseUrl, record) {
      let uploads = 0;
      server.use(
        http.post(baseUrl + generation, async ({ request }) => {
          uploads += (await request.formData()).getAll("sourceImage.items").length;
          return HttpResponse.json(record);
        }),
        http.post(`${baseUrl}/v1/video/infobytaskid`, () => HttpResponse.json(record)),
        http.get(`${baseUrl}/1.png`, () => HttpResponse.arrayBuffer(new Uint8Array(png).buffer)),
      );
      return { uploads: () => uploads };
    },
    unexpected: /\[MSW\]/,
    reset: () => server.resetHandlers(),
    close() {
      server.close();
      log.mockRestore();
    },
  };
}

async function useNock(): Promise<Library> {
  const { default: nock } = await import("nock");
  nock.disableNetConnect();
  return {
    mock(baseUrl, record) {
      let uploads = 0;
      const count = (body: unknown) => {
        // Nock shows a body of bytes in hexadecimal digits.
        const text = Buffer.from(String(body), "hex").toString("latin1");
        return (uploads = text.split('name="sourceImage.items"').length - 1) > 0;
      };
      nock(baseUrl)
        .post(generation, count)
        .reply(200, record)
        .post("/v1/video/infobytaskid")
        .reply(200, record);
      nock(baseUrl).get("/1.png").twice().reply(200, png);
      return { uploads: () => uploads };
    },
    unexpected: /HTTP 501|Nock|No match/,
    reset: () => nock.cleanAll(),
    close: () => nock.restore(),
  };
}

describe.each([
  ["MSW", useMsw],
  ["nock", useNock],
])("%s", (_, use) => {
  let library: Library;
  beforeAll(async () => void (library = await use()));
  afterEach(() => {
    library.reset();
    vi.unstubAllEnvs();
  });
  afterAll(() => library.close());

  describe.each([
    ["@mediagen/sdk", createMediaGen],
    ["@mediagen/sdk/node", createNodeMediaGen],
  ])("intercepts all that %s sends", (__, create) => {
    const clientAt = (baseUrl: string) =>
      create({ baseUrl, allowHttp: true, apiKey: "key", retries: 0 });
    const generate = (media: MediaGen, more: { readonly sourceImage?: File[] } = {}) =>
      media.video.generate("vidmodelv2", { prompt: "A fox", ...more });

    test.each([[first], ...others.map((url) => [url]), [first, "http://proxy.invalid:3128"]])(
      "to %s, also if the environment names the proxy %s",
      async (baseUrl, proxy) => {
        if (proxy) vi.stubEnv("HTTPS_PROXY", proxy);
        const data = { taskid: "t-1", url: [`${baseUrl}/1.png`] };
        const { uploads } = library.mock(baseUrl, { code: 1000, msg: "", data });
        const file = new File([png], "fox.png", { type: "image/png" });
        const task = await generate(clientAt(baseUrl), { sourceImage: [file, file] });
        await task.wait();
        const [blob] = await blobs(task);
        const [downloaded] = await download(task, directory.path);
        expect([uploads(), blob?.size, downloaded?.bytes]).toEqual([2, png.length, png.length]);
      },
    );

    test("and lets nothing reach the service for which there is no mock", async () => {
      for (const baseUrl of [first, ...others]) {
        const media = clientAt(baseUrl);
        for (const call of [() => generate(media), () => media.video.query("t-1")])
          await expect(call()).rejects.toThrow(library.unexpected);
      }
    });
  });
});

import type { ImageModelV4 } from "@ai-sdk/provider";
import type { ModelInfo } from "@mediagen/sdk";
import { imagesOf, takesFiles } from "./files.ts";
import { providerName } from "./options.ts";
import { finish, type Host, start } from "./tasks.ts";

/** Creates an image model of the AI SDK. */
export function imageModel(host: Host, info: ModelInfo): ImageModelV4 {
  const { model: modelId } = info;
  return {
    specificationVersion: "v4",
    provider: `${providerName}.image`,
    modelId,
    // The AI SDK would drop the paid images of its other calls if one of them failed.
    maxImagesPerCall: Number.MAX_SAFE_INTEGER,
    supportsFileInputs: takesFiles(info),
    supportsMaskInputs: false,
    async doGenerate(call) {
      const timestamp = new Date();
      const started = await start(host, info, { ...call, sources: imagesOf(call) });
      const { results, warnings } = await finish(host, started, call.abortSignal);
      const images = results.map(({ metadata }) => metadata);
      const tasks = started.tasks.map((task) => task.toJSON());
      return {
        images: results.map(({ data }) => data),
        warnings,
        providerMetadata: { [providerName]: { images, tasks } },
        response: { timestamp, modelId, headers: undefined },
      };
    },
  };
}

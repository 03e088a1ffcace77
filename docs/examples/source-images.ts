// #region path
import { readFile } from "node:fs/promises";
import { createMediaGen, fileFrom, InvalidRequestError } from "@mediagen/sdk/node";

const media = createMediaGen();

await media.video.generate("vidmodelv2", {
  prompt: "The fox looks up",
  sourceImage: await fileFrom("first.png"),
});
// #endregion path

// #region two
await media.video.generate("vidmodelv2", {
  prompt: "The fox runs off",
  sourceImage: [await fileFrom("first.png"), await fileFrom("last.png")],
});
// #endregion two

// #region bytes
const bytes = await readFile("first.png"); // a Buffer or a Uint8Array
await media.image.generate("imgmodelv45", {
  prompt: "The same fox, as a woodcut",
  sourceImage: await fileFrom(bytes, { name: "fox.png" }),
});
// #endregion bytes

// #region blob
// or what an <input type="file"> holds
const file = new File([bytes], "fox.png", { type: "image/png" });
await media.image.generate("imgmodelv45", {
  prompt: "The same fox, in spring",
  sourceImage: file,
});
// #endregion blob

// #region addresses
await media.video.generate("vidmodelv15pro", {
  prompt: "The fox comes home",
  imageUrl: "https://example.com/first.png,https://example.com/last.png",
});
// #endregion addresses

// #region url
// Without IMAGE_URL, a data URI takes the place of an https URL.
const imageUrl =
  process.env["IMAGE_URL"] ?? `data:image/png;base64,${bytes.toString("base64")}`;
await media.video.generate("vidmodelv2", {
  prompt: "The fox sits down",
  sourceImage: await fileFrom(imageUrl, { maxBytes: 10_000_000 }),
});
// #endregion url

// #region response
const response = await fetch(imageUrl, { headers: { accept: "image/png" } });
await media.video.generate("vidmodelv2", {
  prompt: "The fox yawns",
  sourceImage: await fileFrom(response),
});
// #endregion response

// #region rejected
for (const source of [
  "http://169.254.169.254/latest/meta-data",
  "no-such.png",
  "source-images.ts",
]) {
  try {
    await fileFrom(source);
  } catch (error) {
    if (!(error instanceof InvalidRequestError)) throw error;
    console.log(error.issues[0]?.message);
  }
}
// #endregion rejected

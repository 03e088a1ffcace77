import type { VideoRecord } from "@mediagen/sdk" with {
  "resolution-mode": "import",
};

async function makeVideo(): Promise<VideoRecord> {
  const { createMediaGen } = await import("@mediagen/sdk/node");
  const media = createMediaGen();
  const task = await media.video.generate("vidmodelv2", {
    prompt: "A fox runs through snow",
    duration: 5,
  });
  return task.wait();
}

void makeVideo().then(({ url }) => console.log(url));

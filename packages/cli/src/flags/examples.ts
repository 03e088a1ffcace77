import type { ModelInfo } from "@mediagen/sdk";

/**
 * Returns the examples of each command, as its help prints them. They use the models of the
 * service's description.
 */
export function examplesOf(
  models: readonly ModelInfo[],
): Readonly<Record<string, readonly string[]>> {
  const nameOf = (kind: string) => models.find((one) => one.kind === kind)?.model ?? "MODEL";
  const withFile = models.find(
    (one) => one.kind === "video" && one.form.fields.some(({ takes }) => takes === "file"),
  );
  const video = `mediagen video "A fox runs through snow" -m ${nameOf("video")} -o fox.mp4`;
  const image = `mediagen image "A red bicycle" -m ${nameOf("image")} -o bicycle.png`;
  return {
    mediagen: [
      video,
      image,
      "mediagen emulator exec -- sh    # a shell to try all of this without spending credits",
    ],
    video: [
      video,
      ...(withFile
        ? [`mediagen video "It turns its head" -m ${withFile.model} --image first.png`]
        : []),
    ],
    image: [image, `mediagen image "A red bicycle" -m ${nameOf("image")} --dry-run`],
    "task list": ["mediagen task list", "mediagen task list --limit 100 --json"],
    "task show": ["mediagen task show video:ID"],
    "task wait": ["mediagen task wait video:ID --timeout 2h"],
    "task download": ["mediagen task download video:ID -o out/"],
    "task delete": ["mediagen task delete video:ID"],
    batch: [
      "mediagen batch jobs.jsonl -o jobs/ --dry-run    # checks every line, and sends nothing",
      "mediagen batch jobs.jsonl -o jobs/ --limit 5    # at most five new tasks",
      "mediagen batch jobs.jsonl -o jobs/",
    ],
    recover: ["mediagen recover", "mediagen recover -o recovered/"],
    models: ["mediagen models", `mediagen models ${nameOf("video")}`],
    login: ["mediagen login", "mediagen login --base-url https://... < key.txt"],
    logout: ["mediagen logout"],
    emulator: ["mediagen emulator exec -- sh"],
    completion: ['eval "$(mediagen completion bash)"'],
  };
}

import { defineConfig } from "nitro";

export default defineConfig({
  serverDir: "./server",
  modules: ["workflow/nitro"],
  output: { dir: "../out/workflow-sdk" },
});

import { app } from "./express.ts";

const server = app.listen(Number(process.env["PORT"] ?? 3000), () =>
  console.log(server.address()),
);

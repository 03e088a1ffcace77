import express, { type Express } from "express";
import { accountOf } from "./accounts.ts";
import { readVideo, signedOut, startVideo } from "./videos.ts";

export const app: Express = express();
app.use(express.json());

app.post("/videos/:id", async (request, response) => {
  const account = accountOf(request.get("authorization"));
  const { status, body } = account ? await startVideo(account, request.params.id, request.body) : signedOut;
  response.status(status).json(body);
});

app.get("/videos/:id", async (request, response) => {
  const account = accountOf(request.get("authorization"));
  const { status, body } = account ? await readVideo(account, request.params.id) : signedOut;
  response.status(status).json(body);
});

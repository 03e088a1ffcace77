const url = `${process.env["MEDIAGEN_BASE_URL"]}/v1/video/vidmodelv2`;
const headers = { Authorization: `${process.env["MEDIAGEN_API_KEY"]}` };
const body = new FormData();
body.set("prompt", "A fox runs through snow");

for (let attempt = 1; attempt <= 3; attempt++) {
  try {
    console.log(await (await fetch(url, { method: "POST", headers, body })).json());
    break;
  } catch {} // The connection closed. Was the task created?
}

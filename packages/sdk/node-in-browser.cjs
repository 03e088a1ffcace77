// What bundlers for browsers get as "@mediagen/sdk/node". CommonJS, so that they do not look for its exports before it can explain.
throw new Error(
  '"@mediagen/sdk/node" needs Node, and was bundled for a browser. Import "@mediagen/sdk" there, which runs wherever fetch runs. ' +
    "In a page the API key is public: keep the client on your server.",
);

// Made from packages/emulator/src/page.html by `npm run generate`. Edits are lost.

/** The emulator's page. */
export const page: string = "<!doctype html><title>emulator</title>\n" +
  "";

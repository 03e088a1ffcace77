/** A page as a string, because where the emulator runs there may be no file system. */
export function pageFile(html: string): string {
  return `/** The emulator's page. */\nexport const page: string = ${JSON.stringify(html).replaceAll("\\n", '\\n" +\n  "')};\n`;
}

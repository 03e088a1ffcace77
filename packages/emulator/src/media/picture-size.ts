/** A size in pixels. */
export interface Size {
  readonly width: number;
  readonly height: number;
}

/**
 * Returns the size of a PNG, JPEG, GIF or WebP from its first bytes, or undefined if it is none of
 * these.
 */
export function sizeOf(bytes: Uint8Array): Size | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const name = (at: number) => String.fromCharCode(...bytes.subarray(at, at + 4));
  const size = (width: number, height: number) =>
    width > 0 && height > 0 ? { width, height } : undefined;
  const little = (at: number) => view.getUint16(at, true);
  try {
    if (name(0) === "\x89PNG") return size(view.getUint32(16), view.getUint32(20));
    if (name(0) === "GIF8") return size(little(6), little(8));
    if (name(0) === "RIFF" && name(12) === "VP8X")
      return size(1 + (view.getUint32(24, true) & 0xffffff), 1 + (view.getUint32(26, true) >>> 8));
    if (name(0) === "RIFF" && name(12) === "VP8 ")
      return size(little(26) & 0x3fff, little(28) & 0x3fff);
    if (name(0) === "RIFF" && name(12) === "VP8L")
      return size(1 + (little(21) & 0x3fff), 1 + ((view.getUint32(21, true) >>> 14) & 0x3fff));
    if (view.getUint16(0) === 0xffd8) return jpegSize(view);
  } catch (error) {
    // A read beyond the end: the picture is incomplete.
    if (!(error instanceof RangeError)) throw error;
  }
  return undefined;
}

function jpegSize(view: DataView): Size | undefined {
  for (let at = 2; view.getUint8(at) === 0xff; at += 2 + view.getUint16(at + 2)) {
    const marker = view.getUint8(at + 1);
    // The frame headers of all coding processes. Three other markers are in that range.
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (isFrame) return { width: view.getUint16(at + 7), height: view.getUint16(at + 5) };
  }
  return undefined;
}

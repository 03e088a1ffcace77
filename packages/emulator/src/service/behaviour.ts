/**
 * Everything that the service's description does not say and that the emulator must do one way or another. Nothing here is
 * a fact of the service: an app that passes with other values depends on nothing undocumented.
 */
export interface Behaviour {
  /**
   * The integers that records carry as status, or `"scrambled"`: drawn from the seed.
   * @default { pending: 0, running: 1, succeeded: 2, failed: 3 }
   */
  readonly statuses: Statuses | "scrambled";
  /**
   * What a query or deletion of an id that is not there ends in: a failure, or a success with nothing done.
   * @default "fail"
   */
  readonly unknownIds: "fail" | "ignore";
  /**
   * What a field that the description does not show ends in.
   * @default "accept"
   */
  readonly unknownFields: "accept" | "refuse";
  /**
   * Whether several results are there all at once or one by one.
   * @default "together"
   */
  readonly resultsArrive: "together" | "one by one";
  /**
   * Credits that a video costs for each second of its length.
   * @default 10
   */
  readonly creditsPerVideoSecond: number;
  /**
   * Credits that an image costs.
   * @default 5
   */
  readonly creditsPerImage: number;
  /**
   * How long a task is pending, in milliseconds.
   * @default 1_000
   */
  readonly pendingMs: number;
  /**
   * How long a task runs for each second of its video, in milliseconds.
   * @default 1_000
   */
  readonly runningMsPerVideoSecond: number;
  /**
   * How long a task runs for each of its images, in milliseconds.
   * @default 1_500
   */
  readonly runningMsPerImage: number;
  /**
   * How much longer a task takes whose prompt holds `#slow`.
   * @default 20
   */
  readonly slowFactor: number;
  /**
   * How far each query moves an `auto` clock on, in milliseconds.
   * @default 2_000
   */
  readonly queryMovesMs: number;
  /**
   * How long the address of a result is valid after a query answered it, in milliseconds.
   * @default 86_400_000 (a day)
   */
  readonly linksLiveMs: number;
  /**
   * The HTTP status of an address that is no longer valid.
   * @default 403
   */
  readonly expiredLinkStatus: number;
  /**
   * The largest request body, in bytes.
   * @default 67_108_864 (64 MiB)
   */
  readonly bodyLimit: number;
  /**
   * The longest text of a field that the description leaves unbounded, in characters.
   * @default 100_000
   */
  readonly textLimit: number;
  /**
   * The most pixels of a picture whose size the description leaves unbounded.
   * @default 4096 * 4096
   */
  readonly pixelLimit: number;
  /**
   * The longer side of a picture whose form names no size, in pixels.
   * @default 1024
   */
  readonly imageSide: number;
  /**
   * The width divided by the height of a video whose form names no ratio that is one.
   * @default 16 / 9
   */
  readonly videoRatio: number;
  /**
   * The shorter side of a video whose form names no resolution, in pixels.
   * @default 720
   */
  readonly videoSide: number;
  /**
   * Frames per second of a video whose form names none.
   * @default 24
   */
  readonly videoFps: number;
  /**
   * The length of a video whose form names none, in seconds.
   * @default 5
   */
  readonly videoSeconds: number;
  /**
   * How many calls `emulator.calls` keeps, the latest ones.
   * @default 1_000
   */
  readonly callsKept: number;
}

/** The integer of each of the emulator's states. */
export interface Statuses {
  /** Of a task that waits for its turn. */
  readonly pending: number;
  /** Of a task that is being made. */
  readonly running: number;
  /** Of a task whose results are there. */
  readonly succeeded: number;
  /** Of a task that has failed. */
  readonly failed: number;
}

/** What the emulator does unless told otherwise. */
export const defaultBehaviour: Behaviour = {
  statuses: { pending: 0, running: 1, succeeded: 2, failed: 3 },
  unknownIds: "fail",
  unknownFields: "accept",
  resultsArrive: "together",
  creditsPerVideoSecond: 10,
  creditsPerImage: 5,
  pendingMs: 1_000,
  runningMsPerVideoSecond: 1_000,
  runningMsPerImage: 1_500,
  slowFactor: 20,
  queryMovesMs: 2_000,
  linksLiveMs: 86_400_000,
  expiredLinkStatus: 403,
  bodyLimit: 64 * 1024 * 1024,
  textLimit: 100_000,
  pixelLimit: 4096 * 4096,
  imageSide: 1024,
  videoRatio: 16 / 9,
  videoSide: 720,
  videoFps: 24,
  videoSeconds: 5,
  callsKept: 1_000,
};

/** Words in a prompt that make something happen. */
export const magicWords = {
  /** The task fails. */
  fail: "#fail",
  /** The task takes longer. */
  slow: "#slow",
  /** The generation answers that the credits are out. */
  credits: "#credits",
} as const;

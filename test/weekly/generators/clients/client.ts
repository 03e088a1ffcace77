/** What every response has in common. */
export interface Envelope<Data> {
  readonly code: number;
  readonly msg: string;
  /** Present after success. */
  readonly data?: Data;
}

/** A generated client: four of its operations, called as its generator wants it. */
export interface Client {
  generateImage(form: {
    readonly prompt: string;
    readonly batchsize: number;
    readonly "sourceImage.items": File;
  }): Promise<Envelope<{ readonly taskid: string }>>;
  generateVideo(form: {
    readonly prompt: string;
    readonly duration: 5;
    readonly "sourceImage.items": File[];
  }): Promise<Envelope<{ readonly taskid: string }>>;
  queryVideo(taskid: string): Promise<Envelope<{ readonly url: string[] }>>;
  deleteVideo(taskid: string): Promise<Envelope<{ readonly status: string }>>;
}

/** Where a client sends, and with which key. */
export interface Access {
  readonly baseUrl: string;
  readonly apiKey: string;
}

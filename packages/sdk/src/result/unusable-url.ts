/** The reason why a URL with a private host is not requested. */
export const privateNetwork = "leads to this machine or into a private network";

/** The reason why compressed bytes are not read from fetch. */
export const compressed = "sends compressed bytes, and fetch does not notice when their end is missing";

/** A URL that must not be requested. It may hold a secret, which has to be hidden before the URL is shown. */
export class UnusableUrl extends Error {
  readonly url: string;
  readonly why: string;

  constructor(url: string, why: string) {
    super(why);
    this.url = url;
    this.why = why;
  }
}

/** A user of your app, with an API key of the service. */
export interface User {
  readonly id: string;
  readonly apiKey: string;
}

/**
 * Returns the user who sent a request. Replace it with your session, and read the API key from where you keep secrets: this
 * one finds users in JSON, by their bearer token.
 */
export function userOf(authorization: string | null | undefined, usersByToken = "{}"): User | undefined {
  const token = /^Bearer (\S+)$/.exec(authorization ?? "")?.[1] ?? "";
  // The cast: you wrote this JSON yourself.
  const users = new Map(Object.entries(JSON.parse(usersByToken) as Record<string, User>));
  return users.get(token);
}

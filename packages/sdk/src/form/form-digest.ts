import { InvalidRequestError } from "../errors/errors.ts";
import { kinds } from "../spec/operations.gen.ts";
import { digestOf } from "./digest.ts";
import { readForm } from "./form.ts";
import { operationOf } from "./model.ts";
import { issuesOf } from "./words.ts";

/**
 * Computes the SHA-256 of a form with its files, as a store records it.
 *
 * @param form The fields of the model's form.
 * @returns The hash in hexadecimal; undefined if the runtime has no Web Crypto.
 * @throws An {@link InvalidRequestError} if there is no such model, or the form is not valid
 * @example
 * const record = await store.get(await generationIdOf(media.origin, "order-42"));
 * const isSameForm = record?.digest === (await formDigest("vidmodelv2", form));
 */
export async function formDigest(model: string, form: object): Promise<string | undefined> {
  const { wire, faults } = readForm(operationOf(model, kinds).body, form);
  if (faults.length > 0) throw new InvalidRequestError(model, issuesOf(faults));
  return digestOf(wire);
}

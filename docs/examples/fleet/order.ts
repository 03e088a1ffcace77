import { type Form, type Model, validate } from "@mediagen/sdk";

/** A generation that you want, under your own id. It is plain JSON. */
export type Order = { readonly id: string } & {
  [M in Model]: { readonly model: M; readonly form: Form<M> };
}[Model];

/** An order of unknown outcome. */
export interface UnknownOrder {
  readonly order: Order;
  readonly reason: string;
}

/** Names the ids and the fields that are not valid. */
export function findMistakes(orders: readonly Order[]): readonly string[] {
  return orders.flatMap(({ id, model, form }) => [
    ...(isId(id) ? [] : [`${id}: an id is 1 to 100 letters, digits, "-", "_" or ".", and not only a number`]),
    ...validate(model, form).map(({ field, code }) => `${id}: ${field} ${code}`),
  ]);
}

/** Checks an id, which names a directory and a job. BullMQ has no jobs whose names are integers. */
function isId(id: unknown): boolean {
  return typeof id === "string" && /^(?!-?\d+$)[\w-][\w.-]{0,99}$/.test(id);
}

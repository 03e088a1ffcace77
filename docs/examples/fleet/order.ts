import type { Form, Model } from "@mediagen/sdk";

/** What is to be made, under your own id. It is plain JSON. */
export type Order = { readonly id: string } & {
  [M in Model]: { readonly model: M; readonly form: Form<M> };
}[Model];

/** An order of unknown outcome. */
export interface UnknownOrder {
  readonly order: Order;
  readonly reason: string;
}

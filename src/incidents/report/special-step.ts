// Special step: the words of an action where its own are not right.

/** In the placeholders of a step; `does`: what to do, `%` being the object. */
export interface Special {
  readonly does: string;
  readonly now: string;
  readonly call: string;
}

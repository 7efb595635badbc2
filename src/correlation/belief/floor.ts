// Floor: how much a cause must be worth to be believed.

/** Below this a cause is not believed; it may still be named as an alternative. */
export const FLOOR = 0.3;

// How far a log was read: its last entry, so that a later run takes up there.

export interface LogPlace {
  readonly id: string;
  /** Epoch ms of the BMC's clock; null where it has none that was set. */
  readonly createdMs: number | null;
}

// One resource as it was answered: its body, and when it was asked for and came.

export interface Resource {
  readonly body: unknown;
  readonly path: string;
  readonly sentMs: number;
  readonly receivedMs: number;
  /** The Date header, epoch ms of the BMC's clock. */
  readonly dateMs: number | null;
}

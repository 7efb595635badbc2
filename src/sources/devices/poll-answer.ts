// What a read of a device can come to, and the errors that devices have.

/** What follows from an error: try again later, never try again, or nothing, because the session was closed. */
export type Afterwards = 'retry' | 'fatal' | 'ended';

/** What can go wrong between us and a device. The message says what happened and where; it never carries a secret. */
export abstract class DeviceError extends Error {
  /** Stable error code, "FL2101". */
  abstract readonly code: string;
  /** Which of the errors of its kind of device it is. */
  abstract readonly fault: string;
  /** What to do, null where there is nothing to do. */
  abstract readonly remedy: string | null;
  abstract readonly afterwards: Afterwards;
  /** The device answers, and does not let this user in. */
  readonly refused: boolean = false;
  /** How long the device asks to be left alone, ms; 0 where it does not. */
  readonly retryAfterMs: number = 0;
}

export type PollAnswer =
  | { readonly is: 'ok' }
  | { readonly is: 'retry'; readonly error: DeviceError }
  | { readonly is: 'fatal'; readonly error: DeviceError }
  | { readonly is: 'ended' };

/** The answer of a read. What it throws that is not a `DeviceError` is a mistake of ours, and is thrown again. */
export async function answerOf(read: Promise<void>): Promise<PollAnswer> {
  try {
    await read;
    return { is: 'ok' };
  } catch (error) {
    if (!(error instanceof DeviceError)) throw error;
    return error.afterwards === 'ended' ? { is: 'ended' } : { is: error.afterwards, error };
  }
}

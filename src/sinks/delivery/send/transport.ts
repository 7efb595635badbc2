// Transport: carries one message to one receiver and says what came of it; all that a new protocol has to bring.

import type { Message } from '../spool/frame.ts';
import type { Outcome } from './outcome.ts';

export interface Transport {
  /** What it sends is a copy: once a message is taken, nothing reads its bytes. */
  readonly copies?: boolean;
  /** Never rejects; resolves within a time of its own. Called again with the same message until it is taken or fatal. */
  send(message: Message): Promise<Outcome>;
  /** Ends what is under way. A later `send` connects again. */
  close(): void;
}

/** A new connection takes the place of one whose messages got no answer this often in a row: it may be half open. */
export const DEADLINES_IN_A_ROW = 5;

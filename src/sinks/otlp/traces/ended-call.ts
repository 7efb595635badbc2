// A call out that is over, with the span that it becomes.

import type { CallEnd, CallParent, CallStart } from '../../../helpers/calls.ts';

export interface EndedCall {
  readonly traceId: string;
  readonly spanId: string;
  readonly parent: CallParent | null;
  readonly start: CallStart;
  readonly how: CallEnd;
  readonly startMs: number;
  readonly endMs: number;
}

// Expected: what its own source reports to be on purpose is not worse for what others report of it.

import type { FaultEvent } from '../../model/event.ts';
import type { Severity } from '../../model/severity.ts';
import { byTime } from './event-order.ts';

/** What ranks were to call (`expected` of a mismatch) or a user wrote says nothing of a purpose. */
const isExpected = ({ attributes, trust }: FaultEvent): boolean =>
  trust !== 'tenant' && typeof attributes.expected === 'string';

export class Expected {
  /** The last event of the source that reported it to be on purpose; null where none did. */
  #last: FaultEvent | null = null;

  take(event: FaultEvent): void {
    const last = this.#last;
    if (!isExpected(event) && event.source !== last?.source) return;
    if (last === null || byTime(last, event) <= 0) this.#last = event;
  }

  /** `worst`: what all events make of it. */
  graded(worst: Severity): Severity {
    return this.#last !== null && isExpected(this.#last) ? 'info' : worst;
  }
}

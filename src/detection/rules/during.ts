// During: what lasts at a component makes other events there graver: a power cap is usual, but not under a limit that was lowered.

import { componentText } from '../../model/component.ts';
import type { Kind } from '../../model/kind.ts';
import type { EventInput } from '../../model/record.ts';
import { maxSeverity } from '../../model/severity.ts';
import type { DetectionRule } from './rule.ts';

/** More GPUs than a host holds. */
const MAX_PLACES = 1024;

export class During {
  readonly #lasting = new Map<Kind, Set<string>>();

  constructor(rules: readonly DetectionRule[]) {
    for (const { graverDuring } of rules)
      if (graverDuring !== undefined) this.#lasting.set(graverDuring.kind, new Set());
  }

  /** The event, graver where what its rule names lasts at its component. */
  graded(rule: DetectionRule, event: EventInput): EventInput {
    const { kind, component, state } = event;
    const place = component === null ? '' : componentText(component);
    const lasting = this.#lasting.get(kind);
    if (state === 'clear') lasting?.delete(place);
    else if (state === 'onset' && lasting !== undefined && lasting.size < MAX_PLACES) lasting.add(place);
    const { graverDuring } = rule;
    if (graverDuring === undefined || state === 'clear' || event.severity === undefined) return event;
    if (this.#lasting.get(graverDuring.kind)?.has(place) !== true) return event;
    return { ...event, severity: maxSeverity(event.severity, graverDuring.severity) };
  }
}

// Finding: what a decoder reads in one line, before time, trust and evidence of the line are added.

import type { Component } from '../../../model/component.ts';
import type { AttributeValue } from '../../../model/event.ts';
import type { Kind } from '../../../model/kind.ts';
import type { Severity } from '../../../model/severity.ts';

export interface Finding {
  readonly kind: Kind;
  readonly component: Component | null;
  readonly attributes: Record<string, AttributeValue>;
  /** Left out: the kind's own. */
  readonly severity?: Severity;
}

/** Of something that begins and ends in lines of its own. */
export interface StateFinding extends Finding {
  readonly state?: 'onset' | 'clear';
  readonly discriminator?: string;
}

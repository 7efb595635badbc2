// View: what decisions read of an incident, made once for each revision.

import { type Component, componentText } from '../../../model/component.ts';
import type { Incident } from '../../../model/incident.ts';
import { kindInfo } from '../../../model/kind.ts';
import type { Labels } from '../../../model/matcher.ts';
import type { Severity } from '../../../model/severity.ts';
import { labelsOf } from '../../message/labels.ts';

export interface View {
  readonly incident: Incident;
  readonly labels: Labels;
  readonly severity: Severity;
  readonly over: boolean;
  readonly kind: string;
  /** Changes where a word of what people read first does. */
  readonly headline: string;
}

export function viewOf(incident: Incident, own: Readonly<Record<string, string>>): View {
  const { root, severity, state, mergedInto } = incident;
  return {
    incident,
    labels: labelsOf(incident, own),
    severity,
    over: state === 'resolved' || mergedInto !== null,
    kind: root.kind,
    headline: headlineOf(incident, root.component),
  };
}

/** Numbers of the title grow while nothing is new: its words count, and which device is meant. */
function headlineOf({ title, severity, rootKnown, root, action }: Incident, component: Component | null): string {
  const words = title.replace(/\d[\d.,:…]*/g, '#').replace(/\s+/g, ' ');
  const device = component === null ? '' : componentText(component);
  return [severity, rootKnown ? 'known' : 'unknown', root.kind, device, action.kind, words].join('|').slice(0, 400);
}

export function kindTitle(kind: string): string {
  const known = kindInfo(kind as Parameters<typeof kindInfo>[0]); // a kind that an incident had
  return known?.title ?? kind;
}

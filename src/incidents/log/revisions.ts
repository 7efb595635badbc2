// Revisions: makes each newer revision whole as its line comes, of what is known of its incident and its events.

import { remember } from '../../helpers/remember.ts';
import { EVENT_SCHEMA, eventFromDocument } from '../../model/documents/event.ts';
import { INCIDENT_SCHEMA } from '../../model/documents/incident.ts';
import { type Draft, draftFrom, draftOf, wholeOf } from '../../model/documents/incident-draft.ts';
import type { FaultEvent } from '../../model/event.ts';
import type { Incident } from '../../model/incident.ts';

const MOST_INCIDENTS = 20_000;
/** A revision comes right after the events that it names, or a new file begins with them. */
const MOST_EVENTS = 8192;

export class Revisions {
  readonly #drafts = new Map<string, Draft>();
  readonly #events = new Map<string, FaultEvent>();

  /** `known`: what was read of the log so far. */
  constructor(known: readonly Incident[]) {
    for (const incident of known) remember(this.#drafts, incident.id, draftOf(incident), MOST_INCIDENTS);
  }

  /** The whole revision that a line of the log tells of; null where it is none, or not newer than what is known. */
  take(document: Readonly<Record<string, unknown>> | undefined): Incident | null {
    if (document?.schema === EVENT_SCHEMA) {
      const event = eventFromDocument(document);
      if (event !== null) remember(this.#events, event.id, event, MOST_EVENTS);
    }
    if (document?.schema !== INCIDENT_SCHEMA) return null;
    const before = this.#drafts.get(String(document.id)) ?? null;
    const draft = draftFrom(document, before);
    if (draft === null || draft.incident.revision <= (before?.incident.revision ?? 0)) return null;
    const incident = wholeOf(draft, (id) => this.#events.get(id));
    remember(this.#drafts, incident.id, draftOf(incident), MOST_INCIDENTS);
    return incident;
  }
}

// Revision lines: each revision of an incident as a line, with lines before it for what does not fit there; whole where nothing before it can be counted on, else what changed.

import { remember } from '../../helpers/remember.ts';
import { incidentDelta } from '../../model/documents/incident-delta.ts';
import type { Incident } from '../../model/incident.ts';
import { incidentLine, revisionLines } from './incident-lines.ts';

/** Incidents that were written last: of more the next revision is whole. */
const MOST_INCIDENTS = 4096;
/** Resolved ones among them, which may open again. */
const MOST_RESOLVED = 64;

export class RevisionLines {
  /** The last revision whose line was handed over, that written last at the end. */
  readonly #open = new Map<string, Incident>();
  readonly #resolved = new Map<string, Incident>();
  /** Incidents whose whole line is not on disk yet: wherever it goes, what follows it goes there too. */
  readonly #waiting = new Set<string>();

  line(incident: Incident): Buffer {
    const { id, state, revision } = incident;
    const before = this.#open.get(id) ?? this.#resolved.get(id);
    this.#open.delete(id);
    this.#resolved.delete(id);
    if (state === 'open') remember(this.#open, id, incident, MOST_INCIDENTS);
    else remember(this.#resolved, id, incident, MOST_RESOLVED);
    if (before !== undefined && revision > before.revision) return revisionLines(incidentDelta(before, incident));
    this.#waiting.add(id); // until it is on disk or given up, so no more than wait there
    return incidentLine(incident);
  }

  /** A line of this incident is on disk. */
  written(id: string): void {
    this.#waiting.delete(id);
  }

  /** The next revision of this incident is written whole: the line before it is lost. */
  forget(id: string): void {
    this.#open.delete(id);
    this.#resolved.delete(id);
    this.#waiting.delete(id);
  }

  /**
   * A new file has begun with the whole revisions of these incidents: all others are written whole next. Returns these: their
   * events are in older files too.
   */
  keepOnly(ids: ReadonlySet<string>): readonly Incident[] {
    const older = [...this.#open.values(), ...this.#resolved.values()].filter(
      ({ id }) => !ids.has(id) && !this.#waiting.has(id),
    );
    for (const { id } of older) this.forget(id);
    return older;
  }
}

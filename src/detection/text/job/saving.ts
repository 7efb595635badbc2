// Saving: whether a checkpoint of the job was being saved when its log reports something else.

/** No checkpoint is written for longer; a log that does not say when it is done says nothing from then on. */
const LONGEST_MS = 600_000;

export class Saving {
  #sinceMs = Number.NaN;

  begun(timeMs: number): void {
    this.#sinceMs = timeMs;
  }

  ended(): void {
    this.#sinceMs = Number.NaN;
  }

  /** As an attribute of an event at `timeMs`; null where none was under way. */
  at(timeMs: number): { saving_since_ms: number } | null {
    const since = timeMs - this.#sinceMs;
    return since >= 0 && since <= LONGEST_MS ? { saving_since_ms: Math.round(since) } : null;
  }
}

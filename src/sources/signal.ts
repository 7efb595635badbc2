// Signal: a call that any number of sources answer.

export class Signal<Args extends readonly unknown[], Answer> {
  readonly #guard: (source: string, work: () => void) => void;
  #listeners: readonly (readonly [string, (...args: Args) => Answer])[] = [];

  /** `guard`: runs the work of the source that is named. */
  constructor(guard: (source: string, work: () => void) => void) {
    this.#guard = guard;
  }

  listen(source: string, listener: (...args: Args) => Answer): void {
    this.#listeners = [...this.#listeners, [source, listener]];
  }

  /** The source has ended. */
  forget(source: string): void {
    this.#listeners = this.#listeners.filter(([name]) => name !== source);
  }

  /** The answers of those that did not fail. */
  raise(...args: Args): Answer[] {
    const answers: Answer[] = [];
    for (const [source, listener] of this.#listeners) this.#guard(source, () => answers.push(listener(...args)));
    return answers;
  }
}

// Served source: a real source that reads a tree in memory instead of the host's, begun again as often as the daemon is.

import type { Emit } from '../../../model/record.ts';
import { SmallFiles } from '../../../sources/files/small-files.ts';
import { poll, type Stage } from '../stage.ts';
import { MemoryFiles } from './memory-files.ts';

/** What it needs of a source that looks again and again. */
interface Polled {
  driven(emit: Emit): () => Promise<void>;
  stop(): Promise<void> | void;
}

export class ServedSource {
  readonly #stage: Stage;
  readonly #make: (files: SmallFiles) => Polled;
  #source: Polled | null = null;
  #look: () => Promise<void> = async () => undefined;
  /** The tree that it reads. */
  readonly files = new MemoryFiles();

  /** `make`: the source, as one run of the daemon makes it. */
  constructor(stage: Stage, make: (files: SmallFiles) => Polled) {
    this.#stage = stage;
    this.#make = make;
  }

  start(name: string, periodMs: number): void {
    this.restart();
    poll(this.#stage, name, periodMs, () => this.#look());
  }

  restart(): void {
    void this.#source?.stop();
    this.#source = this.#make(new SmallFiles({ stuck: 0 }, this.files));
    this.#look = this.#source.driven(this.#stage.emit);
  }

  stop(): void {
    void this.#source?.stop();
  }
}

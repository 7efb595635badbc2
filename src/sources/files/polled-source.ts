// What every source that reads at an interval has in common: one round at a time, health, and an end that nothing outlives.

import type { Emit } from '../../model/record.ts';
import type { Source, SourceCounts, SourceHealth } from '../source.ts';
import type { SmallFiles } from './small-files.ts';

/** A round that still waits for a file is not overtaken by the next. */
export abstract class PolledSource implements Source {
  readonly name: string;
  readonly #intervalMs: number;
  protected readonly files: SmallFiles;
  #emit: Emit | null = null;
  #timer: NodeJS.Timeout | null = null;
  #reading = false;
  #again = false;
  #looked = false;
  #seconds = 0;

  constructor(name: string, intervalMs: number, files: SmallFiles) {
    this.name = name;
    this.#intervalMs = intervalMs;
    this.files = files;
  }

  /** One round. What it emits after `stop` goes nowhere. */
  protected abstract round(): Promise<void>;
  /** Once a round is over. */
  protected abstract lookedHealth(): SourceHealth;

  start(emit: Emit, signal: AbortSignal): void {
    this.#emit = emit;
    signal.addEventListener('abort', () => void this.stop(), { once: true });
    void this.#tick();
    this.pace(this.#intervalMs);
  }

  /** In the place of `start`: whoever has a clock of their own says when it looks. */
  driven(emit: Emit): () => Promise<void> {
    this.#emit = emit;
    return () => this.#tick();
  }

  health(): readonly SourceHealth[] {
    if (!this.#looked) return [{ source: this.name, status: 'absent', detail: 'starting', remedy: null }];
    return [this.lookedHealth()];
  }

  counts(): readonly SourceCounts[] {
    return [{ source: this.name, reads: this.files.reads, readSeconds: this.#seconds }];
  }

  async stop(): Promise<void> {
    this.#emit = null;
    if (this.#timer !== null) clearInterval(this.#timer);
    this.files.close();
  }

  /** Null once stopped. */
  protected get emit(): Emit | null {
    return this.#emit;
  }

  /** False until the first round is over. */
  protected get looked(): boolean {
    return this.#looked;
  }

  /** Time between two rounds from now on. */
  protected pace(intervalMs: number): void {
    if (this.#emit === null) return;
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#timer = setInterval(() => void this.#tick(), intervalMs);
  }

  /** One more round now, or as soon as the present one is over. */
  protected again(): void {
    this.#again = this.#reading;
    void this.#tick();
  }

  /** Files that do not answer. */
  protected get stuck(): readonly string[] {
    return this.files.stuck;
  }

  /** One sentence each. */
  protected hanging(): string[] {
    return this.stuck.map((path) => `FL2601 ${path} does not answer`);
  }

  async #tick(): Promise<void> {
    if (this.#reading || this.#emit === null) return;
    this.#reading = true;
    const started = performance.now();
    try {
      await this.round();
    } catch (error) {
      this.#emit?.failed?.(error); // the next round is tried all the same
    } finally {
      this.#seconds += (performance.now() - started) / 1000;
      this.#looked = true;
      this.#reading = false;
    }
    if (!this.#again) return;
    this.#again = false;
    await this.#tick();
  }
}

// Part memory: which parts this host has had, kept over reboots in a file of the state folder. Knows no source.

import { type StateDocument, StateFile } from '../../helpers/files/state-file.ts';
import { compareParts, type Difference } from './compare.ts';
import { KnownPorts } from './known-ports.ts';
import type { KnownPart, Part, PartType } from './part.ts';
import { PARTS_SCHEMA, type PartsDocument, readPartsDocument } from './parts-document.ts';

const MAX_BYTES = 1024 * 1024;
/** More than any host has. */
export const MOST_PARTS = 1024;
const SETTLE_MS = 500;

export class PartMemory {
  readonly file: StateFile;
  readonly #now: () => number;
  #parts: readonly KnownPart[] = [];
  readonly ports: KnownPorts;
  #onAccepted: (part: KnownPart) => void = () => {};
  #machine: string | null = null;
  #seenMs: number | null = null;

  /** `directory`: the state folder; null to remember nothing. `now`: epoch ms. */
  constructor(directory: string | null, now: () => number) {
    this.#now = now;
    this.ports = new KnownPorts(now, () => this.file.changed());
    this.file = new StateFile({
      directory,
      name: 'inventory.json',
      schema: PARTS_SCHEMA,
      maxBytes: MAX_BYTES,
      settleMs: SETTLE_MS,
      head: () => this.#head(),
      content: () => ({ machine: this.#machine, parts: this.#parts, ports: this.ports.list() }),
    });
  }

  /** Reads what earlier runs saw. A file that is damaged is begun again. */
  async load(): Promise<void> {
    await this.file.read((document) => this.#take(readPartsDocument(document)));
  }

  #take(document: PartsDocument | null): boolean {
    if (document === null) return false;
    this.#machine = document.machine;
    this.#parts = document.parts.slice(0, MOST_PARTS);
    this.ports.take(document.ports);
    this.#seenMs = document.seenMs;
    return true;
  }

  /** Why it cannot be kept, or was begun again; null from when it is written. */
  get trouble(): string | null {
    const { unwritten, damaged, isWritten } = this.file;
    if (unwritten !== null) return `FL2505 the parts of this host cannot be remembered: ${unwritten}`;
    if (damaged === null || isWritten) return null;
    return `FL2506 ${damaged}. What is there now is taken as complete`;
  }

  /** Which machine this is; a disk that was copied, or moved, to another one brought another one's parts. */
  isOn(machine: string | null): void {
    if (machine === null || machine === this.#machine) return;
    if (this.#machine !== null) {
      this.#parts = [];
      this.ports.clear();
    }
    this.#machine = machine;
    this.file.changed();
  }

  /** When anything was kept last, by this run or an earlier one, ms; null for never. */
  get seenMs(): number | null {
    return this.#seenMs;
  }

  all(): readonly KnownPart[] {
    return this.#parts;
  }

  of(type: PartType): readonly KnownPart[] {
    return this.#parts.filter((part) => part.type === type);
  }

  compare(type: PartType, present: readonly Part[]): Difference {
    return compareParts(this.of(type), present);
  }

  /** Takes what is there now: what is gone stays expected, `missing` of it as missing. */
  settle(type: PartType, { same, added, missing }: Difference): void {
    const atMs = this.#now();
    const kept = this.of(type).flatMap((known): KnownPart[] => {
      const now = same.find((one) => one.known === known)?.now;
      if (now === undefined) {
        const gone = missing.includes(known) ? (known.missingSinceMs ?? atMs) : known.missingSinceMs;
        return [{ ...known, missingSinceMs: gone }];
      }
      const { slot } = now;
      return [
        { ...known, slot, serial: now.serial ?? known.serial, model: now.model ?? known.model, missingSinceMs: null },
      ];
    });
    const fresh = added.map((part): KnownPart => ({ ...part, firstSeenMs: atMs, missingSinceMs: null }));
    const others = this.#parts.filter((part) => part.type !== type);
    this.#parts = [...others, ...kept, ...fresh].slice(0, MOST_PARTS);
    this.file.changed();
  }

  /** A part was taken out on purpose: it is expected no more. Null where none of that name is missing. */
  accept(type: PartType, slot: string): KnownPart | null {
    const part = this.of(type).find((one) => one.slot === slot && one.missingSinceMs !== null) ?? null;
    if (part === null) return null;
    this.#parts = this.#parts.filter((one) => one !== part);
    this.file.changed();
    this.#onAccepted(part);
    return part;
  }

  /** Whoever reported it as missing hears that it is expected no more. */
  whenAccepted(listener: (part: KnownPart) => void): void {
    this.#onAccepted = listener;
  }

  /** Writes what waits. */
  async stop(): Promise<void> {
    await this.file.stop();
  }

  #head(): StateDocument {
    this.#seenMs = this.#now();
    return { seen_ms: Math.round(this.#seenMs) };
  }
}

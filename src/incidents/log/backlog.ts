// Backlog: lines that wait for the disk, in order and in bounded memory.

export interface LogLine {
  readonly bytes: Buffer;
  /** Set for a line that tells of an event: those are given up first, incidents last. */
  readonly eventId: string | null;
  /** Set for a revision of an incident. */
  readonly incidentId: string | null;
  /** Position in the order of writing, from 1. */
  readonly sequence: number;
}

export class Backlog {
  readonly #maxBytes: number;
  readonly #onDrop: (line: LogLine) => void;
  #lines: LogLine[] = [];
  #bytes = 0;
  #sequence = 0;
  /** How many lines at the front are being written and must stay. */
  #taken = 0;

  constructor(maxBytes: number, onDrop: (line: LogLine) => void) {
    this.#maxBytes = maxBytes;
    this.#onDrop = onDrop;
  }

  get bytes(): number {
    return this.#bytes;
  }

  get empty(): boolean {
    return this.#lines.length === 0;
  }

  /** Sequence number of the line added. */
  push(bytes: Buffer, of: { readonly eventId?: string; readonly incidentId?: string } = {}): number {
    const { eventId = null, incidentId = null } = of;
    this.#sequence += 1;
    this.#lines.push({ bytes, eventId, incidentId, sequence: this.#sequence });
    this.#bytes += bytes.length;
    while (this.#bytes > this.#maxBytes && this.#lines.length > this.#taken + 1) this.#dropOne();
    return this.#sequence;
  }

  /** The front, at least one line and about `maxBytes`; it stays until `confirm` or `giveBack`. */
  take(maxBytes: number): readonly LogLine[] {
    let bytes = 0;
    this.#taken = 0;
    for (const line of this.#lines) {
      bytes += line.bytes.length;
      if (this.#taken > 0 && bytes > maxBytes) break;
      this.#taken += 1;
    }
    return this.#lines.slice(0, this.#taken);
  }

  /** What was taken is on disk. */
  confirm(): void {
    for (const line of this.#lines.splice(0, this.#taken)) this.#bytes -= line.bytes.length;
    this.#taken = 0;
  }

  /** What was taken could not be written and waits again. */
  giveBack(): void {
    this.#taken = 0;
  }

  #dropOne(): void {
    const event = this.#lines.findIndex((line, index) => index >= this.#taken && line.eventId !== null);
    const [dropped] = this.#lines.splice(event < 0 ? this.#taken : event, 1);
    if (dropped === undefined) return;
    this.#bytes -= dropped.bytes.length;
    this.#onDrop(dropped);
  }
}

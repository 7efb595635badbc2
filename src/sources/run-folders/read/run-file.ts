// RunFile: one file in which a run is recorded, read from its start to its end and on as it grows.

import { basename } from 'node:path';
import { errorText } from '../../../helpers/error-text.ts';
import { hasManyNames } from '../../../helpers/many-names.ts';
import type { NamedBy } from '../../../model/native-files.ts';
import { CheckedFile } from '../../files/checked-file.ts';
import type { HeldBytes } from './held-bytes.ts';
import { readEvent, readHistory, rowNumbers, type StepNumbers } from './messages.ts';
import { DamagedRecords, JsonLines, type RecordReader, TfRecords, WandbRecords } from './records.ts';

const CHUNK_BYTES = 262_144;

interface Form {
  readonly name: RegExp;
  readonly tool: 'tensorboard' | 'wandb';
  readonly reader: (held: HeldBytes) => RecordReader;
  readonly message: (bytes: Buffer) => StepNumbers | null;
}

const FORMS: readonly Form[] = [
  { name: /^events\.out\.tfevents\./, tool: 'tensorboard', reader: (held) => new TfRecords(held), message: readEvent },
  { name: /^run-[^/]{1,128}\.wandb$/, tool: 'wandb', reader: (held) => new WandbRecords(held), message: readHistory },
  { name: /^wandb-history\.jsonl$/, tool: 'wandb', reader: (held) => new JsonLines(held), message: readRow },
];

function readRow(line: Buffer): StepNumbers | null {
  // NaN and Infinity, as Python writes them.
  const text = line.toString('utf8').replace(/: ?(NaN|-?Infinity)(?=[,}])/g, ': "$1"');
  if (hasManyNames(text)) throw new Error('a row has more names than can be read'); // counted as a message that cannot be read
  const row: unknown = JSON.parse(text === '' ? 'null' : text);
  return typeof row === 'object' && row !== null ? rowNumbers(row as Record<string, unknown>) : null;
}

export function isRunFile(name: string): boolean {
  return FORMS.some((form) => form.name.test(name));
}

export class RunFile {
  readonly path: string;
  readonly #form: Form;
  readonly #reader: RecordReader;
  #offset = 0;
  /** Why it is not read any further; null while it is. */
  trouble: string | null = null;
  /** Messages that could not be read. */
  unreadable = 0;

  readonly #namedBy: NamedBy | undefined;

  /** `held`: what the readers of all files may keep; `namedBy`: by whose rights it is read, where a job named it. */
  constructor(path: string, held: HeldBytes, namedBy?: NamedBy) {
    this.#namedBy = namedBy;
    const form = FORMS.find(({ name }) => name.test(basename(path)));
    if (form === undefined) throw new Error(`${path} is not a file of a run`);
    this.path = path;
    this.#form = form;
    this.#reader = form.reader(held);
  }

  /** Records that were passed over, as they are too long. */
  get passed(): number {
    return this.#reader.passed;
  }

  get tool(): string {
    return this.#form.tool;
  }

  /** What is whole of the next piece; `more`: there is another one. Never rejects. */
  async read(): Promise<{ steps: StepNumbers[]; more: boolean }> {
    try {
      if (this.trouble !== null) return { steps: [], more: false };
      // Looked at as whoever named it: by the path alone this daemon would tell of files that they cannot see.
      await using file = await CheckedFile.open(this.path, this.#namedBy);
      if ((await file.stat()).size <= this.#offset) return { steps: [], more: false };
      const { bytesRead, buffer } = await file.read(Buffer.alloc(CHUNK_BYTES), 0, CHUNK_BYTES, this.#offset);
      this.#offset += bytesRead;
      const steps = this.#reader.push(buffer.subarray(0, bytesRead)).flatMap((record) => this.#message(record) ?? []);
      return { steps, more: bytesRead === CHUNK_BYTES };
    } catch (error) {
      // A file that is gone is not there at the next look either.
      this.#reader.end();
      this.trouble = error instanceof DamagedRecords ? error.message : errorText(error);
      return { steps: [], more: false };
    }
  }

  #message(record: Buffer): StepNumbers | null {
    try {
      return this.#form.message(record);
    } catch {
      this.unreadable += 1;
      return null;
    }
  }
}

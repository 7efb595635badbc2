// Entry lines: entries that the journal writes over several lines (export, verbose, indented JSON), each as one line of its JSON form.

import type { LineOfText } from './lines.ts';

/** An entry has a few dozen fields; a message may have lines of its own. */
const MOST_LINES = 512;
const MOST_LENGTH = 65_536;

/** journalctl -o export: each entry begins with one of these. */
const EXPORTED = /^__(?:CURSOR|REALTIME_TIMESTAMP)=/;
const FIELD = /^ {0,4}([A-Z_][A-Z0-9_]{0,63})=(.*)$/s;
/** A field whose value is bytes: its length in eight bytes follows, then the value. */
const BYTES = /^[A-Z_][A-Z0-9_]{0,63}$/;
const LENGTH = 8;
/** -o verbose: "Thu 2024-11-28 12:00:00.123456 UTC [s=4b1c…;i=2;…]", and fields below it. */
const VERBOSE = /^\p{L}{2,4}\.? (\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d(?:\.\d{1,6})?) [A-Z0-9+:-]{1,8} \[s=[0-9a-f]+;/u;
/** -o json-pretty */
const PRETTY = /^\{\s*$/;
const PRETTY_FIELD = /^\s+"[A-Z_][A-Z0-9_]{0,63}" ?: /;
const PRETTY_END = /^\}[,\s]*$/;

type Open =
  | { readonly form: 'fields'; readonly fields: Map<string, string>; readonly number: number; bytesOf: string | null }
  | { readonly form: 'pretty'; readonly lines: LineOfText[]; length: number };

export class EntryLines {
  #open: Open | null = null;

  /** An entry has begun. */
  get open(): boolean {
    return this.#open !== null;
  }

  /** The lines that are whole with this one; nearly always itself. */
  take(line: LineOfText): LineOfText[] {
    const open = this.#open;
    if (open?.form === 'pretty') return this.#pretty(open, line);
    if (open?.form === 'fields' && this.#field(open, line.text)) return [];
    const ended = this.end();
    if (this.#begins(line)) return ended;
    return [...ended, line];
  }

  /** What was begun, at the end of the text. */
  end(): LineOfText[] {
    const open = this.#open;
    this.#open = null;
    if (open === null) return [];
    if (open.form === 'pretty') return open.lines;
    return [{ text: JSON.stringify(Object.fromEntries(open.fields)), number: open.number }];
  }

  #begins({ text, number }: LineOfText): boolean {
    const [, day, clock] = VERBOSE.exec(text) ?? [];
    if (PRETTY.test(text)) this.#open = { form: 'pretty', lines: [{ text, number }], length: text.length };
    else if (day !== undefined || EXPORTED.test(text)) {
      const fields = new Map<string, string>();
      const ms = Date.parse(`${day}T${clock}Z`);
      if (!Number.isNaN(ms)) fields.set('__REALTIME_TIMESTAMP', String(Math.round(ms * 1000)));
      this.#open = { form: 'fields', fields, number, bytesOf: null };
      if (day === undefined) this.#field(this.#open, text);
    }
    return this.#open !== null;
  }

  /** False where the line belongs to no field of the entry. */
  #field(open: Extract<Open, { form: 'fields' }>, text: string): boolean {
    const { fields, bytesOf } = open;
    if (bytesOf !== null) {
      open.bytesOf = null;
      const zero = text.slice(0, LENGTH).lastIndexOf('\0');
      fields.set(bytesOf, text.slice(zero + 1));
      return true;
    }
    const [, name, value = ''] = FIELD.exec(text) ?? [];
    if (name === undefined) {
      if (!BYTES.test(text)) return false;
      open.bytesOf = text;
      return true;
    }
    // The next entry begins with fields that this one has.
    if (fields.size >= MOST_LINES || (fields.has(name) && EXPORTED.test(text))) return false;
    if (!fields.has(name)) fields.set(name, value);
    return true;
  }

  #pretty(open: Extract<Open, { form: 'pretty' }>, line: LineOfText): LineOfText[] {
    open.lines.push(line);
    open.length += line.text.length;
    const second = open.lines.length === 2;
    if (second && !PRETTY_FIELD.test(line.text)) return this.end();
    if (open.lines.length > MOST_LINES || open.length > MOST_LENGTH) return this.end();
    if (!PRETTY_END.test(line.text)) return [];
    this.#open = null;
    const text = open.lines.map((each) => each.text.trim()).join('');
    return [{ text: text.replace(/,$/, ''), number: open.lines[0]?.number ?? line.number }];
  }
}

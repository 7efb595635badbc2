// Records of `scontrol show`: words of the form Key=Value over several lines. A user chooses some of the values, and may put
// into a job's name what looks like further keys: a key that is there twice says nothing.

const MAX_RECORDS = 4096;
const MAX_LENGTH = 64 * 1024;
/** A key follows the start or a blank: "NumNodes=", "CPUs/Task=", "ReqB:S:C:T=". */
const KEY = /(?:^|\s)([A-Za-z][\w/:]{0,40})=/g;
const NONE: ReadonlySet<string> = new Set(['', '(null)', 'N/A', 'None', 'Unknown', 'n/a']);

interface Word {
  readonly key: string;
  readonly value: string;
}

export class TextRecord {
  readonly #words: readonly Word[];
  readonly #text: string;

  constructor(text: string) {
    const body = text.slice(0, MAX_LENGTH);
    this.#text = body;
    const keys = [...body.matchAll(KEY)];
    this.#words = keys.map((match, i) => ({
      key: match[1] ?? '',
      value: body.slice(match.index + match[0].length, keys[i + 1]?.index).trim(),
    }));
  }

  /** Null where it is not there, there twice, or Slurm's word for none. */
  text(key: string): string | null {
    const at = this.#only(key);
    const value = at === null ? '' : (this.#words[at]?.value ?? '');
    return NONE.has(value) ? null : value;
  }

  /** The whole rest of the one line that begins with the key: no user chooses what is in it. */
  line(key: string): string | null {
    const lines = this.#text.split('\n').filter((line) => line.trimStart().startsWith(`${key}=`));
    return lines.length === 1 ? (lines[0]?.trim().slice(key.length + 1) ?? null) : null;
  }

  /** Of a key before the first value that a user chooses: what follows that may be made up. */
  textBefore(userKey: string, key: string): string | null {
    const at = this.#words.findIndex((word) => word.key === key);
    const user = this.#words.findIndex((word) => word.key === userKey);
    return at >= 0 && at < user ? (this.#words[at]?.value ?? null) : null;
  }

  /** Of a time that is printed in UTC, because we ask with TZ=UTC; epoch ms. */
  time(key: string): number | null {
    const value = this.text(key);
    const time =
      value !== null && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/.test(value) ? Date.parse(`${value}Z`) : Number.NaN;
    return Number.isNaN(time) ? null : time;
  }

  /** "4", and the first of "4-8". */
  count(key: string): number | null {
    const digits = /^(\d{1,15})(?:-\d{1,15})?$/.exec(this.text(key) ?? '')?.[1];
    return digits === undefined ? null : Number(digits);
  }

  /** Words between two keys that are each there once, none of which a user chooses. */
  between(from: string, to: string): readonly Word[] {
    const [first, last] = [this.#only(from), this.#only(to)];
    return first === null || last === null ? [] : this.#words.slice(first + 1, last);
  }

  #only(key: string): number | null {
    const at = this.#words.findIndex((word) => word.key === key);
    return at < 0 || at !== this.#words.findLastIndex((word) => word.key === key) ? null : at;
  }
}

/** One of each job, node or reservation, by their first key. */
export function textRecords(text: string, first: 'JobId' | 'NodeName' | 'ReservationName'): TextRecord[] {
  const starts = [...text.matchAll(new RegExp(`(?:^|\\n\\s*\\n)${first}=`, 'g'))].slice(0, MAX_RECORDS);
  return starts.map(({ index }, i) => new TextRecord(text.slice(index, starts[i + 1]?.index).trim()));
}

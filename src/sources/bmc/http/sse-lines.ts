// Server-sent events out of the bytes of a stream (WHATWG HTML, 9.2.6): only their data, bounded.

/** An event's data; what is longer is left out to its end. */
const MOST_DATA = 256 * 1024;

export class SseLines {
  readonly #onData: (data: string) => void;
  #rest = '';
  #data: string[] = [];
  #length = 0;
  #over = false;
  /** Events that were left out because they were too long. */
  dropped = 0;

  constructor(onData: (data: string) => void) {
    this.#onData = onData;
  }

  add(text: string): void {
    const all = this.#rest + text;
    // The other half of a line's end may be in the next piece.
    const half = all.endsWith('\r') ? '\r' : '';
    const lines = (half === '' ? all : all.slice(0, -1)).split(/\r\n|\n|\r/);
    this.#rest = (lines.pop() ?? '') + half;
    if (this.#rest.length > MOST_DATA) {
      this.#over = true;
      this.#rest = '';
    }
    for (const line of lines) this.#line(line);
  }

  #line(line: string): void {
    if (line === '') this.#end();
    if (!line.startsWith('data')) return; // id, event, retry, comments
    const data = line.replace(/^data:? ?/, '');
    this.#length += data.length + 1; // and the end of the line
    if (this.#length > MOST_DATA) this.#over = true;
    if (this.#over) this.#data = [];
    else this.#data.push(data);
  }

  #end(): void {
    const data = this.#data.join('\n');
    if (this.#over) this.dropped += 1;
    else if (data !== '') this.#onData(data);
    this.#data = [];
    this.#length = 0;
    this.#over = false;
  }
}

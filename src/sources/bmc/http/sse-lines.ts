// Server-sent events out of the bytes of a stream (WHATWG HTML, 9.2.6): only their data, bounded.

/** An event's data; what is longer is left out to its end. */
const MOST_DATA = 256 * 1024;

export class SseLines {
  readonly #onData: (data: string) => void;
  /** Pieces of the line that has no end yet: looked at once each, however small they come. */
  #pieces: string[] = [];
  #pieced = 0;
  /** The line that has no end yet was too long, and what comes of it is left out. */
  #cut = false;
  /** The last piece ended in the first half of "\r\n". */
  #half = false;
  #data: string[] = [];
  #length = 0;
  #over = false;
  /** Events that were left out because they were too long. */
  dropped = 0;

  constructor(onData: (data: string) => void) {
    this.#onData = onData;
  }

  add(text: string): void {
    if (text === '') return;
    let at = this.#half && text[0] === '\n' ? 1 : 0;
    for (let end = lineEnd(text, at); end < text.length; end = lineEnd(text, at)) {
      this.#piece(text.slice(at, end));
      const line = this.#pieces.join('');
      const cut = this.#cut;
      this.#pieces = [];
      this.#pieced = 0;
      this.#cut = false;
      if (!cut) this.#line(line);
      at = text.startsWith('\r\n', end) ? end + 2 : end + 1;
    }
    this.#half = text.endsWith('\r');
    this.#piece(text.slice(at));
  }

  #piece(text: string): void {
    if (text === '' || this.#cut) return;
    this.#pieces.push(text);
    this.#pieced += text.length;
    if (this.#pieced <= MOST_DATA) return;
    this.#cut = true;
    this.#over = true;
    this.#pieces = [];
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

/** Where the next line ends; the length of the text where none does. */
function lineEnd(text: string, from: number): number {
  for (let i = from; i < text.length; i += 1) {
    const code = text.charCodeAt(i);
    if (code === 10 || code === 13) return i;
  }
  return text.length;
}

// Screen: the terminal as a page of its own: drawn as a whole, with keys one by one, and left as it was found.

import type { CommandIo } from '../common/command-io.ts';

/** Without wrapping: a sign may take more columns than it has letters, and the lines below must stay where they are. */
const OPEN = '\u001b[?1049h\u001b[?25l\u001b[?7l';
const CLOSE = '\u001b[?7h\u001b[?25h\u001b[?1049l';
const HOME = '\u001b[H';
const TO_END_OF_LINE = '\u001b[K';
const TO_END = '\u001b[J';
const [WIDTH, HEIGHT] = [80, 24];
/** Arrows come as one sequence; anything else is one key a character. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: a terminal's arrows begin with one
const KEYS = /\u001b[[O][A-D]|[\s\S]/g;

type Output = CommandIo['stdout'] & { readonly rows?: number };

export class Screen {
  readonly #output: Output;
  #close = (): void => {};

  constructor(output: Output) {
    this.#output = output;
  }

  size(): { width: number; height: number } {
    return { width: this.#output.columns ?? WIDTH, height: this.#output.rows ?? HEIGHT };
  }

  open(onKey: (key: string) => void, onSize: () => void): void {
    const { stdin } = process;
    const onData = (data: Buffer): void => {
      for (const key of data.toString('utf8').match(KEYS) ?? []) onKey(key.replace('\u001bO', '\u001b['));
    };
    this.#output.write(OPEN);
    this.#output.on('resize', onSize);
    if (stdin.isTTY) stdin.setRawMode(true);
    stdin.on('data', onData);
    this.#close = () => {
      this.#output.off('resize', onSize);
      stdin.off('data', onData);
      if (stdin.isTTY) stdin.setRawMode(false);
      stdin.pause();
      this.#output.write(CLOSE);
    };
  }

  draw(lines: readonly string[]): void {
    const { height } = this.size();
    this.#output.write(
      HOME +
        lines
          .slice(0, height)
          .map((line) => line + TO_END_OF_LINE)
          .join('\r\n') +
        TO_END,
    );
  }

  close(): void {
    this.#close();
    this.#close = () => {};
  }
}

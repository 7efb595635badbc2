// Output: the one place through which text goes to a terminal; it fits its width and its locale.

import { asStarted } from '../../helpers/own-program.ts';
import { redactUrls } from '../../model/redact.ts';
import { showsUnicode, toAscii } from './ascii.ts';
import { fit } from './fit-width.ts';

type Environment = Readonly<Record<string, string | undefined>>;

const STANDARD_WIDTH = 80;
const NARROWEST = 20;
const WIDEST = 1000;
/** Their output is for programs and files too: it is neither translated nor broken. */
const AS_IT_IS: ReadonlySet<string> = new Set(['config', 'run', 'record']);
/** Draw a screen of their own, whose size may change: a line that was broken here would move those below it. */
const DRAWN: ReadonlySet<string> = new Set(['top']);

/** What it prints is sent or kept elsewhere: commands in it are for whoever reads it there. */
function isSentOn(command: string, words: readonly string[]): boolean {
  return command === 'notify' || words.includes('--rules');
}

export interface Terminal {
  readonly isTTY?: boolean;
  columns?: number;
}

/** $COLUMNS, else the terminal's; null where text goes to a file or a pipe. */
export function terminalWidth(stream: Terminal, environment: Environment = process.env): number | null {
  const asked = /^\d{1,4}$/.test(environment.COLUMNS ?? '') ? Number(environment.COLUMNS) : 0;
  if (asked >= NARROWEST && asked <= WIDEST) return asked;
  if (stream.isTTY !== true || stream.columns === undefined) return null;
  return stream.columns === 0 ? STANDARD_WIDTH : Math.max(stream.columns, NARROWEST); // 0: a terminal that does not know its own
}

/** For text that is broken in any case, as help is. */
export function textWidth(stream: Terminal = process.stdout, environment: Environment = process.env): number {
  return terminalWidth(stream, environment) ?? STANDARD_WIDTH;
}

interface Shaping {
  readonly breaks?: boolean;
  /** Commands as they are started here; null where `faultline` is on the path. */
  readonly started?: ((text: string) => string) | null;
}

/** What becomes of a text on its way to a stream: whoever wrote it, no password of a URL is in it. */
export function shaper(
  stream: Terminal,
  environment: Environment,
  { breaks = true, started = null }: Shaping = {},
): (text: string) => string {
  const width = breaks ? terminalWidth(stream, environment) : null;
  const unicode = showsUnicode(environment);
  return (text) => {
    const open = redactUrls(started === null ? text : started(text));
    const shown = unicode ? open : toAscii(open);
    return width === null ? shown : fit(shown, width);
  };
}

/** A report for a browser or a ticket: its lines are not those of a terminal. */
function isPage(words: readonly string[]): boolean {
  if (words.includes('--html') || words.some((word) => word.startsWith('--html='))) return true;
  return words.some(
    (word, i) =>
      /^(?:--format=)?(?:html|json|markdown)$/.test(word) && (word.startsWith('-') || words[i - 1] === '--format'),
  );
}

/** Whether standard output is as the command writes it. */
export function isDocument(words: readonly string[]): boolean {
  const [command = ''] = words.filter((word) => !word.startsWith('-'));
  return words.includes('--json') || isPage(words) || AS_IT_IS.has(command);
}

/** Shapes all text of this process; documents (`--json`) and data stay as they are. */
export function shapeOutput(
  words: readonly string[],
  commands: readonly string[],
  environment: Environment = process.env,
): void {
  const started = asStarted(commands);
  const [command = ''] = words.filter((word) => !word.startsWith('-'));
  const toStandardOutput = isDocument(words) && !words.includes('--help') && !words.includes('-h');
  for (const stream of [process.stdout, process.stderr]) {
    const width = terminalWidth(stream, environment);
    if (width !== null) stream.columns = width; // layouts ask the stream
    if (stream === process.stdout && toStandardOutput) continue;
    const toStderr = stream === process.stderr;
    const shape = shaper(stream, environment, {
      breaks: toStderr || !DRAWN.has(command),
      started: toStderr || !isSentOn(command, words) ? started : null,
    });
    const write = stream.write.bind(stream);
    // Every form of write() takes the chunk first and the rest as it is.
    stream.write = ((chunk: Uint8Array | string, ...rest: []) =>
      write(typeof chunk === 'string' ? shape(chunk) : chunk, ...rest)) as typeof stream.write;
  }
}

// Pasted: a short text that someone copied out of a mail, a page or a terminal, as the programs wrote it — without quotation
// marks or a common indent, and with the lines whole that a terminal or a mail program broke at its width. Lines keep their numbers.

import { isUtf8 } from 'node:buffer';
import { flattened } from './blocks.ts';
import { type Bytes, peeked } from './bytes.ts';
import { plainSigns, raised, undoubled, unescapedEnds, unlisted, unmarked, withoutTags } from './copied.ts';
import { fromExport } from './exported.ts';
import { readsAsKernel } from './form/kernel-words.ts';
import { flowed, fromPage, fromQuotedPrintable, refilled } from './mail.ts';
import { unglued, unprompted } from './transcript.ts';

/** Longer texts are logs, which are copied as files. */
const MOST_BYTES = 65_536;
/** "> ", ">> ": of mail and Markdown; ">>> " is Python's own. */
const QUOTE = /^ {0,3}(?!>>> )(?:> ?){1,4}/;
/** So many of the lines are quoted: of a log, not in it. */
const MOSTLY = 0.8;
/** Markdown's code, and what an issue's template puts before each line; tables of launchers have less. */
const INDENT = /^(?: {4,16}|\t{1,4})/;
/** No terminal is narrower, few are wider. */
const NARROWEST = 60;
const WIDEST = 320;
/** A line that fills the width begins no table, and the next one no record of its own. */
const OF_TABLE = /^\s*[|+=*#-]/;
const BEGINS =
  /^(?:\[(?:rank|default|\d{1,4}[-,:\]]|\s{0,12}\d{1,7}\.\d|[EWIF]\d{0,4} )|<\d|\d{4}-|\d\d:\d\d|[A-Z][a-z]{2} {1,2}\d|\s*[|+=*#-]|(?:DEBUG|INFO|WARN|ERROR|Traceback)\b)/;
/** A word that was broken: letters on both sides. */
const BROKEN = /[A-Za-z]$/;
const GOES_ON = /^[a-z]/;
const LEAST_BROKEN = 0.2;
/** What pads a line to the width. */
const PADDING = / {2,}$/;

/** All bytes, and those of a short text as they were before it was copied. */
export async function asWritten(bytes: Bytes): Promise<Bytes> {
  const { head, bytes: all } = await peeked(bytes, MOST_BYTES);
  if (head.length === MOST_BYTES) return all;
  // A terminal counts characters; other bytes stay as they are.
  const coding = isUtf8(head) ? 'utf8' : 'latin1';
  const lines = head.toString(coding).split('\n');
  const exported = fromExport(lines);
  const written =
    exported ??
    flattened(
      refilled(
        flowed(
          unwrapped(
            unpadded(dedented(unquoted(fromPage(fromQuotedPrintable(unglued(unprompted(uncoded(asPrinted(lines))))))))),
          ),
        ),
      ),
    );
  if (written === lines) return all;
  await all.return();
  return once(Buffer.from(written.join('\n'), coding));
}

function asPrinted(lines: readonly string[]): readonly string[] {
  return undoubled(raised(unmarked(unescapedEnds(unlisted(plainSigns(withoutTags(lines)))))));
}

async function* once(text: Buffer): Bytes {
  yield text;
}

/** `a line`: Markdown's mark of code, around all of it. */
const CODE = /^(\s{0,8})`([^`\n]{8,400})`\s{0,4}$/;

function uncoded(lines: readonly string[]): readonly string[] {
  return lines.some((line) => CODE.test(line)) ? lines.map((line) => line.replace(CODE, '$1$2')) : lines;
}

function unquoted(lines: readonly string[]): readonly string[] {
  const own = lines.filter((line) => line.trim() !== '');
  if (own.length === 0 || own.filter((line) => QUOTE.test(line)).length < MOSTLY * own.length) return lines;
  return lines.map((line) => line.replace(QUOTE, ''));
}

function dedented(lines: readonly string[]): readonly string[] {
  const indents = lines.filter((line) => line.trim() !== '').map((line) => INDENT.exec(line)?.[0].length ?? 0);
  const common = indents.reduce((least, indent) => Math.min(least, indent), Number.POSITIVE_INFINITY);
  if (indents.length < 2 || common === 0) return lines;
  return lines.map((line) => (line.trim() === '' ? line : line.slice(common)));
}

/** Blanks behind the width of a terminal, as some copy them: where each line that ends in them ends at one width. */
const FILLED = / {8,}$/;

function unpadded(lines: readonly string[]): readonly string[] {
  const widths = lines.filter((line) => FILLED.test(line)).map((line) => line.trimEnd().length);
  const width = widths.reduce((most, each) => Math.max(most, each), 0);
  // A blank may have stood where the line was broken.
  if (widths.length < 2 || width < NARROWEST || widths.some((each) => each < width - 1)) return lines;
  return lines.map((line) => (FILLED.test(line) ? line.slice(0, width) : line));
}

/** Lines of the terminal's width with the rest that follows them, and empty lines where that was. */
function unwrapped(lines: readonly string[]): readonly string[] {
  const width = lines.reduce((most, line) => Math.max(most, line.length), 0);
  if (width < NARROWEST || width > WIDEST) return lines;
  const goesOn = lines.map((line, at) => isBroken(line, lines[at + 1], width));
  const rests = lines.filter((_, at) => at > 0 && goesOn[at - 1] === true);
  const broken = lines.filter(
    (line, at) => goesOn[at] === true && BROKEN.test(line) && GOES_ON.test(lines[at + 1] ?? ''),
  );
  // Lines of a log that all have one length begin alike, too; the rests of broken ones do not.
  const alike = rests.length - new Set(rests.map((rest) => rest.slice(0, 4))).size;
  if (rests.length < 2 || broken.length < LEAST_BROKEN * rests.length || alike > rests.length / 3) return lines;
  const whole: string[] = [];
  let open: number | null = null;
  for (const [at, line] of lines.entries()) {
    const rest = at > 0 && goesOn[at - 1] === true && open !== null;
    if (rest && open !== null) whole[open] += line.replace(PADDING, '');
    else open = whole.length;
    whole.push(rest ? '' : line);
  }
  return whole;
}

/** A line of the kernel's own is never the rest of one before it, which may be a user's: that would hide it, or say it in other words. */
function isBroken(line: string, next: string | undefined, width: number): boolean {
  if (line.length !== width || PADDING.test(line) || OF_TABLE.test(line)) return false;
  return next !== undefined && next.trim() !== '' && !BEGINS.test(next) && !readsAsKernel(next);
}

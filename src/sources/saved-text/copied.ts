// Copied: what pages, mails, chats and tools for many hosts make of each line of a short text — signs of print, entities of HTML, strings of
// a list in JSON, escaped ends of lines, numbers and names that every line has — taken back. Lines keep their numbers: of one that
// becomes several the parts are told apart by a return.

/** Signs that look like another one, as editors and phones write them; and blanks of other widths, or of none. */
const SIGNS: readonly (readonly [RegExp, string])[] = [
  [/[\u00a0\u2000-\u200a\u202f\u205f\u3000]/g, ' '],
  [/[\u200b-\u200d\u2060]/g, ''],
  [/[\u201c\u201d\u201e\u00ab\u00bb]/g, '"'],
  [/[\u2018\u2019\u201a\u2032]/g, "'"],
  [/\u2014/g, '--'],
  [/[\u2010-\u2013\u2212]/g, '-'],
  [/\u2026(?=.)/g, '...'],
];
const SOME_SIGN = /[\u00a0\u2000-\u201e\u2026\u202f\u2032\u205f\u2060\u2212\u3000\u00ab\u00bb]/;
const ENTITIES: Readonly<Record<string, string>> = {
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
  amp: '&',
};
const ENTITY = /&(?:(lt|gt|quot|apos|nbsp|amp)|#(\d{2,5})|#x([0-9a-f]{2,4}));/gi;

/** Of a page, where one of them is closed or ends a line: a log has names in such brackets, too. */
const TAG =
  /<(\/?)(p|br|pre|code|div|span|ul|ol|li|b|i|em|strong|td|th|tr|table|tbody|blockquote)(?:\s[^<>\n]{0,200})?\/?>/gi;
const IS_PAGE = /<\/(?:p|pre|code|div|span|ul|ol|li|b|i|em|strong|td|th|tr|table|tbody|blockquote)>|<br ?\/?>/i;
/** Behind these a line ends, or a cell. */
const ENDING: Readonly<Record<string, string>> = {
  br: '\r',
  p: '\r',
  div: '\r',
  li: '\r',
  tr: '\r',
  td: ' | ',
  th: ' | ',
};

export function withoutTags(lines: readonly string[]): readonly string[] {
  if (!lines.some((line) => IS_PAGE.test(line))) return lines;
  return lines.map((line) =>
    line
      .replace(TAG, (_, closes: string, name: string) =>
        closes !== '' || name.toLowerCase() === 'br' ? (ENDING[name.toLowerCase()] ?? '') : '',
      )
      .replace(/(?: \| |\r)+$/, ''),
  );
}

export function plainSigns(lines: readonly string[]): readonly string[] {
  if (!lines.some((line) => SOME_SIGN.test(line) || line.includes('&'))) return lines;
  return lines.map((line) => {
    const own = line.includes('&') ? line.replace(ENTITY, entity) : line;
    return SOME_SIGN.test(own) ? SIGNS.reduce((text, [sign, plain]) => text.replace(sign, plain), own) : own;
  });
}

function entity(
  written: string,
  name: string | undefined,
  number: string | undefined,
  hex: string | undefined,
): string {
  if (name !== undefined) return ENTITIES[name.toLowerCase()] ?? written;
  const code = number === undefined ? Number.parseInt(hex ?? '', 16) : Number(number);
  // Only what is printed: a text has no other way to hold ends of lines, or what a terminal obeys.
  return code >= 0x20 && code !== 0x7f && code < 0xd800 ? String.fromCharCode(code) : written;
}

/** A string of a list, alone in its line; with what opens or closes the list. */
const STRING = /^\s{0,32}(?:\[\s{0,4})?"((?:[^"\\\n]|\\.){0,4000})"\s{0,4}(?:\]\s{0,4})?,?\s*$/;
/** What is around a list: "ok: [node-1] => {", "  \"msg\": [", "]", "}". */
const AROUND = /^(?:\S[^"\n]{0,200}=> ?\{|\s{0,32}(?:"[\w .-]{1,64}"\s{0,4}:\s{0,4})?[[\]{}]{1,2},?)\s*$/;
const LEAST_STRINGS = 2;
/** So many of the lines are strings: it is a list, not a text with some. */
const MOSTLY = 0.5;

export function unlisted(lines: readonly string[]): readonly string[] {
  const strings = lines.filter((line) => STRING.test(line));
  const own = lines.filter((line) => line.trim() !== '' && !AROUND.test(line));
  if (strings.length < LEAST_STRINGS || strings.length < MOSTLY * own.length) return lines;
  return lines.map((line) => {
    const [, inside] = STRING.exec(line) ?? [];
    return inside === undefined ? line : parted(unescaped(inside));
  });
}

const ESCAPED_END = /(?:\\r)?\\n/g;

/** Ends of lines as a program's code or JSON writes them, in a line that is not an object of a logger. */
export function unescapedEnds(lines: readonly string[]): readonly string[] {
  if (!lines.some((line) => line.includes('\\n'))) return lines;
  return lines.map((line) => {
    const ends = line.match(ESCAPED_END)?.length ?? 0;
    if (ends < LEAST_ENDS || isObject(line)) return line;
    return parted(unescaped(line));
  });
}

const LEAST_ENDS = 2;

function isObject(line: string): boolean {
  if (!/^\s*(?:\S{10,40}[ \t]+)?\{/.test(line)) return false;
  try {
    return typeof JSON.parse(line.slice(line.indexOf('{'))) === 'object';
  } catch {
    return false;
  }
}

function unescaped(text: string): string {
  return text.replace(
    /\\(?:(["'\\/])|(r?\\?n)|(t)|r)/g,
    (written, sign?: string, end?: string, tab?: string) =>
      sign ?? (end === undefined ? (tab === undefined ? written : '\t') : '\n'),
  );
}

function parted(text: string): string {
  return text.replace(/\r?\n/g, '\r');
}

/** "    12\t", "12:", "12-": what cat, nl and grep count. */
const NUMBERED = /^\s{0,8}(\d{1,7})(?:\t| {2}|[:-](?=\S))/;
/** "worker-1  | ", "[pod/train-0/main] ": the same before all lines; a name with a colon is a host. */
const NAMED = /^(?:\[pod\/[^\]\n]{1,200}\] |[\w.-]{1,64} {1,40}\| )/;
const LEAST_MARKED = 3;

export function unmarked(lines: readonly string[]): readonly string[] {
  const own = lines.filter((line) => line.trim() !== '');
  if (own.length < LEAST_MARKED) return lines;
  const numbers = own.map((line) => Number(NUMBERED.exec(line)?.[1] ?? Number.NaN));
  if (numbers.every((number, at) => (at === 0 ? number >= 0 : number > (numbers[at - 1] ?? Number.NaN))))
    return lines.map((line) => line.replace(NUMBERED, ''));
  const [name] = NAMED.exec(own[0] ?? '') ?? [];
  if (name === undefined || !own.every((line) => line.startsWith(name.trimEnd()))) return lines;
  return lines.map((line) => line.slice(line.startsWith(name) ? name.length : name.trimEnd().length));
}

/** Each blank became two, as some editors make it: no table has all its columns so far apart, and its head is in capitals. */
const LEAST_GAPS = 3;
const HEAD = /^[A-Z0-9_()%/ -]+$/;

export function undoubled(lines: readonly string[]): readonly string[] {
  const gaps = lines.flatMap((line) => line.trim().match(/\s+/g) ?? []);
  if (gaps.length < LEAST_GAPS || !gaps.every((gap) => /^(?: {2})+$/.test(gap)) || HEAD.test(lines[0] ?? ''))
    return lines;
  return lines.map((line) => line.replaceAll('  ', ' '));
}

/** "node-1:" and what that host printed indented below it, as Salt has it. */
const HOST = /^(?=[\w.-]{0,64}[\d-])[\w.-]{1,64}:\s*$/;
const BELOW = /^ {4}/;

export function raised(lines: readonly string[]): readonly string[] {
  const own = lines.filter((line) => line.trim() !== '');
  const isBelow = own.map((line) => BELOW.test(line));
  if (isBelow[0] !== false || !isBelow.includes(true)) return lines;
  if (!own.every((line, at) => isBelow[at] === true || HOST.test(line))) return lines;
  return lines.map((line) => line.replace(BELOW, ''));
}

// Logger head: a time, a level and names before a message, in whatever order and between whatever marks a logger is set to write
// them: "2026-11-29 02:06:38,331 - worker - ERROR - ", "[11/29/26 02:06:38] ERROR    ", "U | 02:06:38 | worker | ".

/** No head is longer, and none has more parts. */
const MAX_HEAD = 300;
const MOST_PARTS = 8;

const CLOCK = String.raw`\d\d?:\d\d:\d\d(?:[.,]\d{1,9})?(?: ?[AP]M)?`;
const DAY = String.raw`(?:\d{4}[-/.]\d\d[-/.]\d\d|\d\d[-/.]\d\d[-/.]\d{4}|\d\d/\d\d/\d\d|\d\d-\d\d|\d\d-[A-Z][a-z]{2}-\d{4}|[A-Z][a-z]{2} [ \d]\d(?: \d{4})?|\d{4})`;
const ZONE = String.raw`(?:Z|(?: ?[+-]\d\d:?\d\d)?(?: UTC| [A-Z]{3,4}(?=[\s\])|]))?)`;
const STAMP = `(?:${DAY},?[ T_]{1,2})?${CLOCK}${ZONE}`;
const WORDS = 'DEBUG|INFO|NOTICE|WARN|WARNING|ERR|ERROR|CRIT|CRITICAL|FATAL|SEVERE|TRACE|PANIC';
const LEVEL = `(?:${WORDS}|${WORDS.toLowerCase()}|${WORDS.replace(/\B\w+/g, (rest) => rest.toLowerCase())})`;
/** What ends a part: bars, dashes, colons, a tab; or blanks alone, which must be allowed for. */
const MARK = String.raw`(?: {0,8}(?:\||-{1,3}|::|>>|–) | {0,2}\t{1,3} {0,2})`;

const NAMES_ONE = String.raw`[^\])]{0,80}\b(?:rank|pg|pid|gpu|device|tp|dp|pp)(?:\b|\d)`;

/** A time, bare or in brackets. */
const A_TIME = new RegExp(String.raw`^(?:\[${STAMP}\]|\(${STAMP}\)|${STAMP})(?:${MARK}|: {1,4}|[,;]? {1,4}|(?=[[(]))`);
/** A level in brackets or before a mark, also by its letter alone; bare only behind a time, for messages begin with such words, too. */
const A_LEVEL = new RegExp(
  String.raw`^(?:[[(<](?:(?:${LEVEL})(?:[:|][\w./-]{1,64})?|[IWEFC])[\])>]:?(?:${MARK}| {1,8}|(?=[[(]))|(?:${LEVEL}|[IWEFC])${MARK})`,
);
const BARE_LEVEL = new RegExp(String.raw`^${LEVEL}(?:: {1,8}| {1,8})(?!\d\d-\d\d )`);
/** logfmt: `time="2026-11-29T02:06:38Z" level=error msg="`. */
const LOGFMT =
  /^(?=.{0,200}?\b(?:level|lvl|severity)=)(?:[\w.]{1,32}=(?:"[^"\n]{0,120}"|[^\s"]{1,120}) {1,2}){1,8}(?:msg|message|err|error)="?/;
const HAS_CLOCK = /\d\d:\d\d:\d\d/;
const HAS_LEVEL = new RegExp(`\\b${LEVEL}\\b`);
/** In brackets: a source, a thread; what names a rank, a process or a device is part of the message. */
const IN_BRACKETS = new RegExp(
  String.raw`^(?:\[(?!${NAMES_ONE})[\w .:/-]{1,80}\]|\((?!${NAMES_ONE})[\w .:/-]{1,80}\)|<[\w.:-]{1,64}>)(?:${MARK}|: ?| {1,8}|(?=[[(]))`,
  'i',
);
/** A name before a mark: of a logger, a host, a module. */
const A_NAME = new RegExp(String.raw`^[\w.<>:/@*#-]{1,80}${MARK}`);
/** A logger's name before a colon is written small, or has dots or underscores; an exception's is not taken for one. */
const A_SMALL_NAME =
  /^(?:[a-z_][\w-]{0,63}|[A-Za-z_][\w-]{0,63}(?:\.[A-Za-z_][\w-]{0,63}){1,6}(?<!Error|Exception|Interrupt|Exit|Failure|Timeout|Empty))(?::\d{1,6})?: {1,4}(?=\S)/;

/** What other prefixes before it have said already. */
export interface Seen {
  time: boolean;
  level: boolean;
}

/** Whether a prefix has a time, and whether a level. */
export function seenIn(prefix: string): Seen {
  return { time: HAS_CLOCK.test(prefix), level: HAS_LEVEL.test(prefix) };
}

/** How many characters of `text` are such a head; 0 where it has none. A time or a level is in each: names alone are a message's own. */
export function loggerHead(text: string, before: Seen = { time: false, level: false }): number {
  const head = text.slice(0, MAX_HEAD);
  const pairs = LOGFMT.exec(head);
  if (pairs !== null) return pairs[0].length;
  const seen = { ...before };
  let at = 0;
  for (let part = 0; part < MOST_PARTS; part += 1) {
    const length = partOf(head.slice(at), seen);
    if (length === 0) break;
    at += length;
  }
  return at;
}

function partOf(rest: string, seen: Seen): number {
  const time = seen.time ? null : A_TIME.exec(rest);
  if (time !== null) {
    seen.time = true;
    return time[0].length;
  }
  const level = seen.level ? null : (A_LEVEL.exec(rest) ?? (seen.time ? BARE_LEVEL.exec(rest) : null));
  if (level !== null) {
    seen.level = true;
    return level[0].length;
  }
  if (!seen.time && !seen.level) return 0;
  const name = IN_BRACKETS.exec(rest) ?? A_NAME.exec(rest) ?? (seen.level ? A_SMALL_NAME.exec(rest) : null);
  return name?.[0].length ?? 0;
}

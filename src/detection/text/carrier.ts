// Carrier: what other programs, pages and people put before a line that someone copied: times, levels, names in brackets, file names and
// numbers of lines, marks of lists and quotations, fields of a record, a progress bar. Words of a sentence are none of it, so that what is
// only spoken of stays within its line.

/** So many parts, and so long, at most. */
const MOST_MARKS = 24;
const MOST_LENGTH = 400;

const MONTH =
  '(?:Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?|Sept?(?:ember)?|Oct(?:ober)?|Nov(?:ember)?|Dec(?:ember)?)';
const CLOCK = String.raw`\d{1,2}:\d\d(?::\d\d)?(?:[.,]\d{1,9})?(?: ?[AaPp]\.?[Mm]\b\.?)?`;
const ENDS = String.raw`(?=[\s:|,;)\]-]|$)`;
/** Names of fields that hold the line, in JSON and in pairs. */
const MESSAGES =
  '(?:@?message|msg|MESSAGE|log|line|event|text|body|content|textPayload|_raw|stdout|stderr|[\\w.]{0,32}stdout_lines|[\\w.]{0,32}stderr_lines)';

const parts = (...forms: readonly string[]): RegExp => new RegExp(`(?:${forms.join('|')})`, 'yu');

const MARKS = parts(
  String.raw`[\s\u00a0]{1,40}`,
  // A progress bar that the line was appended to.
  String.raw`(?:[^\n|%"']{1,64}: {1,4})?\d{1,3}%\|[^|\n]{0,120}\| {0,8}\S{1,24} \[[^\]\n]{1,200}\]`,
  // Times.
  String.raw`\d{4}[-/.]\d\d[-/.]\d\d(?:[T _]${CLOCK})?(?:Z| ?[+-]\d\d:?\d\d(?!\d)| ?UTC\b)?${ENDS}`,
  `${CLOCK}${ENDS}`,
  String.raw`(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]{0,6}\b,?`,
  String.raw`${MONTH}\.? {1,2}\d{1,2}(?:st|nd|rd|th)?(?:,? \d{4})?(?=[\s,@:|]|$)`,
  String.raw`\d{1,2}[ /.-](?:${MONTH}|\d{1,2})[ /.-]\d{2,4}(?=[\s,:|]|$)`,
  String.raw`(?:UTC|GMT|CES?T|EES?T|[PMCE][SD]T|JST|IST|BST)\b`,
  // Numbers of lines and of items, and seconds.
  String.raw`\d{1,10}(?:\.\d{1,9})?(?:[.:)|-](?!\d)|(?=\s))`,
  String.raw`\d{13,19}(?=\s)`,
  // Levels.
  String.raw`(?:DEBUG|INFO|NOTICE|WARN(?:ING)?|ERR(?:OR)?|CRIT(?:ICAL)?|FATAL|ALERT|EMERG|TRACE|SEVERE|debug|info|notice|warn(?:ing)?|err(?:or)?|crit(?:ical)?|fatal)(?=[\s:|,\])-]|$)`,
  String.raw`[IWEF]\d{4}(?=\s)|[IWEFUD](?=\s)`,
  // What grep puts before lines that are next to one that it found.
  String.raw`[A-Za-z/.~][\w./~-]{0,200}?[:-]\d{1,7}[:-](?!\d{1,2}[-:]\d)`,
  // Names in brackets, by a launcher, a logger or a collector.
  String.raw`\[[^[\]\n]{0,160}\]`,
  String.raw`\([^()\n]{0,120}\)`,
  String.raw`</?[\w:./-]{1,40}>`,
  String.raw`\{[a-z_]\w{0,40}=[^{}\n]{0,300}\}`,
  // A field of a record.
  String.raw`\{?\s{0,8}"[\w@. /-]{1,64}"\s{0,4}:\s{0,4}(?:"(?:[^"\\]|\\.){0,300}"|-?\d[\d.eE+-]{0,20}|true|false|null)\s{0,4},`,
  String.raw`\{?\s{0,8}"${MESSAGES}"\s{0,4}:\s{0,4}\[?\s{0,4}"`,
  String.raw`(?!${MESSAGES}=)[A-Za-z_][\w.-]{0,40}=(?:"(?:[^"\\]|\\.){0,200}"|[^\s"',]{1,200})(?=[\s,]|$)`,
  `${MESSAGES}=["']?`,
  // Marks of lists, quotations and tables.
  `(?:=>|>>|[->*•·|│:;,–—"'“”‘’${'`'}@]){1,3}`,
  // A name: of a file, a host, a pod, a logger; no word of a sentence has a digit or such a sign in it.
  String.raw`(?=[\w.@/~+#-]{0,200}[\d_/~])[\w.@/~+#-]{2,200}(?=[\s:|,-]|$)`,
  String.raw`[A-Za-z]\w{1,40}(?:\.[A-Za-z_]\w{1,40}){1,6}(?=[\s:|,-]|$)`,
  String.raw`[A-Za-z][\w-]{1,63}(?:\[\d{1,10}\])?:(?=\s)`,
);
/** Such a name is before a message, and not a sentence of a person. */
const SPOKEN =
  /^(?:example|expected|note|edit|update|fix(?:ed)?|see|like|todo|q|a|question|re|subject|title|hint|tip|faq|docs?|pattern|grep|regex|search|match(?:es)?|quote[ds]?|sample|prompt|completion|input|output|response|request|answer|target|label|tokens?|text|content|dataset|record|row|document|instruction|generated|means?|cause|ignored?|simulat\w{2,4}|inject\w{0,3}|test|says?):$/i;
/** What was thrown is a part of the message. */
const EXCEPTION = /\w(?:Error|Exception|Interrupt|Exit|Failure|Timeout):?$/;
/** Behind a host or a pod: the container or the program, which has no sign in it. */
const BEHIND_NAME =
  /(?!(?:says?|said|saw|had|has|have|got|gets|shows?|showed|logs?|logged|reports?|reported|printed|with|on|in|at|from|and|or|is|was|were|to|the|of|for|gave|hit|hits|had|after|before|when|if|died|not|no)\b)[a-z][a-z0-9]{2,24} /y;
const NAME = /^(?=.*[\d-])[A-Za-z][\w.-]+$/;

/** What is left of a stamp in brackets whose beginning was not copied. */
const CUT = /^[\d:.,+ TZ-]{1,40}\][: ]/;

/** Where a line's own words may begin behind what carries it, the outermost first; the beginning itself is one. */
export function* placesBehindCarrier(text: string): Generator<number> {
  yield 0;
  let at = CUT.exec(text)?.[0].length ?? 0;
  if (at > 0) yield at;
  let last = '';
  for (let left = MOST_MARKS; left > 0 && at < MOST_LENGTH; left -= 1) {
    const mark = markAt(text, at, last);
    if (mark === '' || SPOKEN.test(mark) || EXCEPTION.test(mark)) return;
    at += mark.length;
    if (mark.trim() !== '') last = mark;
    if (at >= text.length) return;
    yield at;
  }
}

function markAt(text: string, at: number, last: string): string {
  MARKS.lastIndex = at;
  const mark = MARKS.exec(text)?.[0] ?? '';
  if (mark !== '' || !NAME.test(last)) return mark;
  BEHIND_NAME.lastIndex = at;
  return BEHIND_NAME.exec(text)?.[0] ?? '';
}

/** A mark behind a message that was between others. */
const BEHIND = /(?:\\n|[\s"'“”‘’`,\]})|>]|<\/?[a-z]{1,10}\/?>|…|\(edited\))$/;
const MOST_BEHIND = 12;
/** A string of JSON or of a program's code that was open before it. */
const QUOTED = /["']$/;

/** The words behind the carrier: as they are, and without the marks behind them. */
export function wordsAt(text: string, at: number): readonly string[] {
  const rest = text.slice(at);
  const own = QUOTED.test(text.slice(0, at)) ? unescaped(rest) : rest;
  const bare = withoutMarks(own);
  return bare === own ? [own] : [bare, own];
}

/** But for a bracket or a quotation mark that the message itself opened. */
function withoutMarks(text: string): string {
  let bare = text;
  for (let left = MOST_BEHIND; left > 0; left -= 1) {
    const mark = BEHIND.exec(bare);
    if (mark === null || isClosed(bare)) break;
    bare = bare.slice(0, mark.index);
  }
  return bare;
}

/** It ends in one that it opened. */
function isClosed(text: string): boolean {
  const last = text.at(-1) ?? '';
  const opens = OPENS[last];
  if (opens === undefined) return false;
  return opens === last ? text.split(last).length % 2 === 1 : text.split(opens).length >= text.split(last).length;
}

const OPENS: Readonly<Record<string, string>> = { '}': '{', ']': '[', ')': '(', '"': '"', "'": "'", '>': '<' };

function unescaped(text: string): string {
  return text.replace(/\\(["'\\/t])/g, (_, sign: string) => (sign === 't' ? '\t' : sign));
}

// One message of syslog, RFC 5424 or what is called RFC 3164: priority, time, host, program, text. What it lacks is null.

const MOST_HEAD = 512;
const PRIORITY = /^<(\d{1,3})>/;
const ISO = String.raw`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?:Z|[+-]\d\d:?\d\d)`;
/** VERSION SP TIMESTAMP SP HOSTNAME SP APP-NAME SP PROCID SP MSGID SP */
const NEW = new RegExp(`^1 (-|${ISO}) (\\S{1,255}) (\\S{1,48}) (\\S{1,128}) \\S{1,32} `);
/** "Nov  9 12:00:00", "2026 Nov 9 12:00:00", with a fraction, or as rsyslog forwards it. */
const OLD_TIME = new RegExp(
  `^(?:(${ISO})|(?:\\d{4} )?([A-Z][a-z]{2}) {1,2}(\\d{1,2}) (?:\\d{4} )?(\\d\\d):(\\d\\d):(\\d\\d)(?:\\.(\\d{1,6}))?:?) `,
);
const TAG = /^([^\s:[\]]{1,128})(?:\[([^\]]{0,64})\])?: ?/;
const HOST = /^([\w.:-]{1,255}) (?=\S)/;
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
/** "[12345.678901] ", as rsyslog keeps it of the kernel's lines. */
const SINCE_BOOT = /^\[\s*\d{1,10}\.\d{6}\] /;
const KERNEL = 0;
const USER = 1;
const NOTICE = 5;

export interface SyslogMessage {
  readonly facility: number;
  readonly severity: number;
  readonly wallMs: number | null;
  readonly digits: number;
  readonly host: string | null;
  readonly program: string | null;
  readonly text: string;
}

/** `nowMs`: the wall clock when it came, for what a time leaves out. Null for what has no priority: it is not syslog. */
export function readSyslog(message: string, nowMs: number): SyslogMessage | null {
  const priority = PRIORITY.exec(message);
  const number = Number(priority?.[1]);
  if (priority === null || number > 191) return null;
  const whose = { facility: number >> 3, severity: number & 7 };
  const rest = message.slice(priority[0].length);
  const fields = fieldsNew(rest) ?? fieldsOld(rest, nowMs);
  // The kernel has no tag: what looks like one is a driver's word, "NVRM: Xid …".
  const { program, text } = fields;
  const driver = whose.facility === KERNEL && program !== null && program !== 'kernel';
  return { ...whose, ...fields, ...(driver ? { program: null, text: `${program}: ${text}` } : {}) };
}

/** Of a message without a priority, as RFC 3164 has it: a user's, a notice. */
export function bareSyslog(text: string): SyslogMessage {
  return { facility: USER, severity: NOTICE, wallMs: null, digits: 0, host: null, program: null, text };
}

type Fields = Omit<SyslogMessage, 'facility' | 'severity'>;

function fieldsNew(rest: string): Fields | null {
  const head = NEW.exec(rest.slice(0, MOST_HEAD));
  if (head === null) return null;
  const [whole, stamp = '-', host = '-', program = '-'] = head;
  const text = withoutData(rest.slice(whole.length));
  return { ...timeOf(stamp), host: known(host), program: known(program), text: text.replace(/^\uFEFF/, '') };
}

/** Behind the structured data: "-", or elements in brackets, in whose values a quote and a bracket are escaped. */
function withoutData(text: string): string {
  if (text.startsWith('-')) return text.slice(text.startsWith('- ') ? 2 : 1);
  let quoted = false;
  for (let at = 0; at < text.length; at += 1) {
    const letter = text[at];
    if (quoted && letter === '\\') at += 1;
    else if (letter === '"') quoted = !quoted;
    else if (!quoted && letter === ']' && text[at + 1] !== '[') return text.slice(at + 1).replace(/^ /, '');
  }
  return text;
}

function fieldsOld(rest: string, nowMs: number): Fields {
  const stamp = OLD_TIME.exec(rest.slice(0, MOST_HEAD));
  let text = stamp === null ? rest : rest.slice(stamp[0].length);
  let host: string | null = null;
  // "host tag: text", or "tag: text" of a program on the same host.
  if (stamp !== null && !TAG.test(text)) {
    host = HOST.exec(text)?.[1] ?? null;
    if (host !== null) text = text.slice(host.length + 1);
  }
  const tag = TAG.exec(text);
  if (tag !== null) text = text.slice(tag[0].length);
  const program = tag?.[1] ?? null;
  if (program === 'kernel') text = text.replace(SINCE_BOOT, '');
  const time =
    stamp === null ? { wallMs: null, digits: 0 } : stamp[1] !== undefined ? timeOf(stamp[1]) : oldTime(stamp, nowMs);
  return { ...time, host, program, text };
}

function timeOf(stamp: string): { wallMs: number | null; digits: number } {
  if (stamp === '-') return { wallMs: null, digits: 0 };
  const wallMs = Date.parse(stamp.replace(',', '.').replace(/([+-]\d\d)(\d\d)$/, '$1:$2'));
  return Number.isNaN(wallMs)
    ? { wallMs: null, digits: 0 }
    : { wallMs, digits: Math.min(9, /[.,](\d+)/.exec(stamp)?.[1]?.length ?? 0) };
}

/** Without year and zone: the host's zone or UTC, of this year or the last or the next one, whichever is nearest to now. */
function oldTime(stamp: RegExpExecArray, nowMs: number): { wallMs: number | null; digits: number } {
  const [, , monthName = '', day, hour, minute, second, fraction = ''] = stamp;
  const month = MONTHS.indexOf(monthName);
  if (month < 0) return { wallMs: null, digits: 0 };
  const ms = Number(fraction.padEnd(3, '0').slice(0, 3));
  const year = new Date(nowMs).getUTCFullYear();
  const parts = [month, Number(day), Number(hour), Number(minute), Number(second), ms] as const;
  const times = [year - 1, year, year + 1].flatMap((each) => [
    Date.UTC(each, ...parts),
    new Date(each, ...parts).getTime(),
  ]);
  const wallMs = times.reduce((best, time) => (Math.abs(time - nowMs) < Math.abs(best - nowMs) ? time : best));
  return { wallMs, digits: fraction.length };
}

function known(text: string): string | null {
  return text === '-' ? null : text;
}

// Blocks: records that a tool printed as indented JSON, one below the other or in a list, between other lines of a short text. Each becomes
// the line that is read: a condition of a node as `kubectl describe` has it, a log's record as JSON of one line. Lines keep their numbers.

const OPENS = /^(\s{0,32})(?:\[\s{0,4})?\{\s{0,4}$/;
const MOST_LINES = 200;
/** How many of the text may be looked at as the beginning of a record. */
const MOST_BLOCKS = 2000;
const MESSAGES = ['message', 'msg', 'event', 'MESSAGE', 'log', '@message'];
const LEVELS = ['level', 'severity', 'levelname', 'lvl', 'log.level', 'level_name'];

type Fields = Readonly<Record<string, unknown>>;

export function flattened(lines: readonly string[]): readonly string[] {
  if (!lines.some((line) => OPENS.test(line))) return lines;
  const flat = [...lines];
  let left = MOST_BLOCKS;
  for (let at = 0; at < lines.length && left > 0; at += 1) {
    const indent = OPENS.exec(lines[at] ?? '')?.[1];
    if (indent === undefined) continue;
    left -= 1;
    const end = endOf(lines, at, indent);
    const line = end === null ? null : lineOf(fieldsOf(lines.slice(at, end)));
    if (end === null || line === null) continue;
    flat.splice(at, end - at, line, ...Array.from({ length: end - at - 1 }, () => ''));
    at = end - 1;
  }
  return flat;
}

/** Behind the brace at the same indent; where the text was cut before it, its end. Null where the block is too long to be a record. */
function endOf(lines: readonly string[], from: number, indent: string): number | null {
  const most = Math.min(lines.length, from + MOST_LINES);
  for (let at = from + 1; at < most; at += 1) if (lines[at]?.startsWith(`${indent}}`) === true) return at + 1;
  return most === lines.length ? most : null;
}

/** Null where the lines are no object; a last one that was cut has the fields before. */
function fieldsOf(lines: readonly string[]): Fields | null {
  const text = lines
    .join('\n')
    .trim()
    .replace(/^\[/, '')
    .replace(/[\],\s]{1,8}$/, '');
  for (const end of ['', '}']) {
    const fields = parsed(text + end);
    if (fields !== null) return fields;
  }
  return null;
}

function parsed(text: string): Fields | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : null;
  } catch {
    return null;
  }
}

function lineOf(fields: Fields | null): string | null {
  if (fields === null) return null;
  const has = (names: readonly string[]): boolean => names.some((name) => typeof fields[name] === 'string');
  return conditionLine(fields) ?? (has(MESSAGES) && has(LEVELS) ? JSON.stringify(fields) : null);
}

/** A pod's conditions are named alike, and have no heartbeat; of one that was cut before it the status says that it is a node's. */
function conditionLine({ type, status, reason, message, ...times }: Fields): string | null {
  const [heard, since] = [times.lastHeartbeatTime, times.lastTransitionTime].map(dateOf);
  const isCut = reason === undefined && message === undefined && status === 'Unknown';
  if (typeof type !== 'string' || !/^(?:True|False|Unknown)$/.test(String(status))) return null;
  if (times.lastHeartbeatTime === undefined && !isCut) return null;
  return `  ${[type, status, heard, since, reason ?? '', message ?? ''].map(String).join('   ').replaceAll('\n', ' ')}`;
}

/** As kubectl prints it. */
function dateOf(value: unknown): string {
  const ms = typeof value === 'string' ? Date.parse(value) : Number.NaN;
  return Number.isNaN(ms) ? '<unknown>' : new Date(ms).toUTCString().replace('GMT', '+0000');
}

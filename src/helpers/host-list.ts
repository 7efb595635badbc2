// Host lists as Slurm writes them: "n1,gpu[01-03,7],rack[1-2]node[01-04]".

/** A job over more nodes than this is read without their names. */
const MOST = 65_536;

/** In the order of the list; empty where it is none, or names more than `most`. */
export function hostsOf(list: string, most = MOST): readonly string[] {
  const hosts: string[] = [];
  for (const part of partsOf(list)) {
    const named = expanded(part, most - hosts.length);
    if (named === null) return [];
    hosts.push(...named);
  }
  return hosts;
}

/** Split at the commas that are in no brackets. */
function partsOf(list: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  let start = 0;
  for (let i = 0; i <= list.length; i += 1) {
    const sign = list[i];
    if (sign === '[') depth += 1;
    if (sign === ']') depth -= 1;
    if (i < list.length && (sign !== ',' || depth > 0)) continue;
    if (i > start) parts.push(list.slice(start, i));
    start = i + 1;
  }
  return parts;
}

function expanded(part: string, most: number): string[] | null {
  const bracket = /^([^[\]]*)\[([\d,-]+)\](.*)$/s.exec(part);
  if (bracket === null) return /^[^[\]\s]{1,255}$/.test(part) && most > 0 ? [part] : null;
  const [, before = '', ranges = '', after = ''] = bracket;
  const rest = after === '' ? [''] : expanded(after, most);
  if (rest === null) return null;
  const hosts: string[] = [];
  for (const range of ranges.split(',')) {
    const [, first = '', last = first] = /^(\d{1,9})(?:-(\d{1,9}))?$/.exec(range) ?? [];
    const count = Number(last) - Number(first) + 1;
    if (first === '' || count < 1 || hosts.length + count * rest.length > most) return null;
    for (let n = Number(first); n <= Number(last); n += 1)
      for (const end of rest) hosts.push(`${before}${String(n).padStart(first.length, '0')}${end}`);
  }
  return hosts;
}

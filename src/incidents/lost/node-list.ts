// Node list: whether a node is in a list as Slurm writes it, gpu[01-04,7],login1, without writing the list out.

const MOST_PARTS = 10_000;

/** Names are held against each other without their domain. */
export function isInNodeList(list: string, node: string): boolean {
  const wanted = node.split('.', 1)[0] ?? '';
  return parts(list).some((part) => matches(part.split('.', 1)[0] ?? '', wanted));
}

/** At commas outside of brackets. */
function parts(list: string): string[] {
  return list.match(/(?:[^,[\]]|\[[^\]]*\])+/g)?.slice(0, MOST_PARTS) ?? [];
}

/** One name, in which each pair of brackets stands for a number of its list; leading zeros count. */
function matches(part: string, name: string): boolean {
  const open = part.indexOf('[');
  if (open < 0) return part === name;
  const close = part.indexOf(']', open);
  if (close < 0 || !name.startsWith(part.slice(0, open))) return false;
  const rest = name.slice(open);
  const digits = /^\d+/.exec(rest)?.[0] ?? '';
  for (let length = digits.length; length > 0; length -= 1) {
    const number = rest.slice(0, length);
    if (isInRanges(part.slice(open + 1, close), number) && matches(part.slice(close + 1), rest.slice(length)))
      return true;
  }
  return false;
}

function isInRanges(ranges: string, number: string): boolean {
  return ranges.split(',').some((range) => {
    const [from = '', to = from] = range.split('-');
    const isWide = number.length === from.length || (number.length > from.length && !number.startsWith('0'));
    return isWide && Number(number) >= Number(from) && Number(number) <= Number(to);
  });
}

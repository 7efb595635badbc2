// Makes an incident's report fit what is left of a screen.

/**
 * At most `room` lines of `report`: what repeats a name goes first, then empty lines from below, what only counts,
 * what is quoted under its steps from below, its end.
 */
export function fitReport(report: string, room: number): string[] {
  let lines = report.split('\n');
  const drop = (label: string): void => {
    const at = lines.findIndex((line) => line.startsWith(label));
    if (lines.length <= room || at < 0) return;
    const next = lines.findIndex((line, i) => i > at && !line.startsWith(' '));
    lines.splice(at, (next < 0 ? lines.length : next) - at);
  };
  drop('Address ');
  for (let i = lines.length - 1; i >= 0 && lines.length > room; i -= 1) if (lines[i] === '') lines.splice(i, 1);
  drop('Evidence ');
  for (let i = lines.length - 1; i >= 0 && lines.length > room; i -= 1) if (isQuote(lines[i])) dropQuote(lines, i);
  if (lines.length > room) lines = [...lines.slice(0, Math.max(0, room - 1)), '   …'];
  return lines;
}

function isQuote(line: string | undefined): boolean {
  return line !== undefined && /^ +"/.test(line);
}

/** With its further lines, which are indented as it is. */
function dropQuote(lines: string[], at: number): void {
  const indent = lines[at]?.search(/\S/) ?? 0;
  let end = at + 1;
  while (!lines[end - 1]?.endsWith('"') && lines[end]?.search(/\S/) === indent) end += 1;
  lines.splice(at, end - at);
}

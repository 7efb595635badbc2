// Makes an incident's report fit what is left of a screen.

/** At most `room` lines of `report`: what repeats a name goes first, then empty lines from below, then its end. */
export function fitReport(report: string, room: number): string[] {
  let lines = report.split('\n');
  const address = lines.findIndex((line) => line.startsWith('Address '));
  if (lines.length > room && address > 0) {
    const next = lines.findIndex((line, i) => i > address && !line.startsWith(' '));
    lines.splice(address, (next < 0 ? lines.length : next) - address);
  }
  for (let i = lines.length - 1; i >= 0 && lines.length > room; i -= 1) if (lines[i] === '') lines.splice(i, 1);
  if (lines.length > room) lines = [...lines.slice(0, Math.max(0, room - 1)), '   …'];
  return lines;
}

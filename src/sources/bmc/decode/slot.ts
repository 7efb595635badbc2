// Numbers supplies and fans as people do: by the bay that their names tell, each one different.

/** What may name a bay, best first. */
export interface SlotNames {
  readonly bay: string | null;
  readonly names: readonly (string | null)[];
}

const BAY = /^[A-Za-z0-9]{1,8}$/;

/** One slot for each, in order: the same kind of name for all of them, else their position counted from 1. */
export function slotsOf(all: readonly SlotNames[]): string[] {
  const most = Math.max(0, ...all.map(({ names }) => names.length));
  const ways: (string | null)[][] = [all.map(({ bay }) => (bay !== null && BAY.test(bay) ? bay : null))];
  for (let i = 0; i < most; i += 1) ways.push(all.map(({ names }) => numberIn(names[i] ?? null)));
  const whole = ways.filter((way) => way.every((slot) => slot !== null) && new Set(way).size === all.length);
  // Bays are counted from 1 on every machine; what is counted from 0 are the entries of a list.
  const good = whole.find((way) => !way.includes('0')) ?? whole[0];
  return all.map((_, i) => good?.[i] ?? String(i + 1));
}

/** The last number of a name with the letter that may follow it: "PSU.Slot.1" 1, "Fan1A" 1A, "Bay 07" 7; null without one. */
function numberIn(name: string | null): string | null {
  const found = [...(name ?? '').matchAll(/(\d{1,3})([A-Za-z]?)(?![A-Za-z0-9])/g)].at(-1);
  return found === undefined ? null : `${Number(found[1])}${(found[2] ?? '').toUpperCase()}`;
}

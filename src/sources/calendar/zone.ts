// Zone: wall clock times of an IANA zone, where a calendar names the zone and does not describe it.

interface Wall {
  readonly year: number;
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
}

/** Epoch ms; null where the zone is not known here. Of an hour that comes twice the first, of one that is left out the one after. */
export function wallMs({ year, month, day, hour, minute, second }: Wall, zone: string): number | null {
  const utc = Date.UTC(year, month - 1, day, hour, minute, second);
  try {
    const format = new Intl.DateTimeFormat('en-GB', { timeZone: zone, hourCycle: 'h23', year: 'numeric', month: 'numeric', day: 'numeric', hour: 'numeric', minute: 'numeric', second: 'numeric' }); // biome-ignore format: one record
    const offset = (ms: number): number => {
      const parts = new Map(format.formatToParts(ms).map(({ type, value }) => [type, Number(value)]));
      const of = (type: string): number => parts.get(type as Intl.DateTimeFormatPartTypes) ?? 0;
      return Date.UTC(of('year'), of('month') - 1, of('day'), of('hour'), of('minute'), of('second')) - ms;
    };
    const first = utc - offset(utc - 86_400_000 / 2);
    return utc - offset(first);
  } catch {
    return null;
  }
}

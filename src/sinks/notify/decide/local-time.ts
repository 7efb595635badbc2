// Local time: day and minute of the day in the zone that an operator lives in.

export interface LocalTime {
  /** 2026-11-29. */
  readonly day: string;
  readonly minute: number;
}

const MINUTE_MS = 60_000;
const DAY_MINUTES = 1440;

/** UTC, where no zone is configured, needs no tables of ICU: they would take 8 MiB. */
function inUtc(ms: number): LocalTime {
  return { day: new Date(ms).toISOString().slice(0, 10), minute: Math.floor(ms / MINUTE_MS) % DAY_MINUTES };
}

export function localTimes(timeZone: string): (ms: number) => LocalTime {
  if (timeZone === 'UTC') return inUtc;
  const format = new Intl.DateTimeFormat('en-CA', {
    timeZone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  });
  return (ms) => {
    const parts = new Map(format.formatToParts(ms).map(({ type, value }) => [type, value]));
    const part = (name: Intl.DateTimeFormatPartTypes) => parts.get(name) ?? '0';
    return {
      day: `${part('year')}-${part('month')}-${part('day')}`,
      minute: Number(part('hour')) * 60 + Number(part('minute')),
    };
  };
}

/** Whether it is within the hours; their end before their start is of the next day. */
export function within(minute: number, fromMinute: number, toMinute: number): boolean {
  return fromMinute < toMinute ? minute >= fromMinute && minute < toMinute : minute >= fromMinute || minute < toMinute;
}

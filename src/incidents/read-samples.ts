// Read samples: the series that a black box holds, of the CSV that samples-csv writes; what is not of its form is left out.

export interface SampleSeries {
  /** Text form of the component. */
  readonly component: string;
  readonly quantity: string;
  readonly timesMs: readonly number[];
  /** SI. */
  readonly values: readonly number[];
}

const HEADER = 'time,component,quantity,value\n';
const SERIES = 4096;
const QUOTED = /^"((?:[^"]|"")*)",/;

/** In the order of the file; none where the text is not a black box. A row that is cut off or damaged is skipped. */
export function readSamples(text: string): SampleSeries[] {
  if (!text.startsWith(HEADER)) return [];
  const series = new Map<string, { component: string; quantity: string; timesMs: number[]; values: number[] }>();
  for (const row of text.slice(HEADER.length).split('\n')) {
    const [time, afterTime] = field(row);
    const [component, afterComponent] = field(afterTime);
    const [quantity, last] = field(afterComponent);
    const timeMs = Date.parse(time);
    const value = Number(last);
    if (last === '' || component === '' || quantity === '' || Number.isNaN(timeMs) || !Number.isFinite(value)) continue;
    const key = `${component}#${quantity}`;
    const known = series.get(key);
    if (known === undefined) {
      if (series.size >= SERIES) continue;
      series.set(key, { component, quantity, timesMs: [timeMs], values: [value] });
      continue;
    }
    known.timesMs.push(timeMs);
    known.values.push(value);
  }
  return [...series.values()];
}

/** The first field of a row, and what comes after its comma; both are empty where there is none. */
function field(row: string): readonly [string, string] {
  const quoted = QUOTED.exec(row);
  if (quoted !== null) return [(quoted[1] ?? '').replaceAll('""', '"'), row.slice(quoted[0].length)];
  const comma = row.indexOf(',');
  return comma < 0 ? ['', ''] : [row.slice(0, comma), row.slice(comma + 1)];
}

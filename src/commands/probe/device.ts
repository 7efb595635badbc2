// What the probes of devices on the network have in common: where they write, how they fail, the table that they print.

import type { ReadingsDocument } from '../../model/documents/readings.ts';
import { shownJson } from '../../model/shown-json.ts';
import { steadyNow } from '../../model/time.ts';

/** Where a command writes and what it knows of its surroundings. */
export interface ProbeIo {
  readonly out: (text: string) => void;
  readonly error: (text: string) => void;
  readonly env: Readonly<Record<string, string | undefined>>;
}

export const PROCESS_IO: ProbeIo = {
  out: (text) => process.stdout.write(text),
  error: (text) => process.stderr.write(text),
  env: process.env,
};

/** Wrong usage; the message has its FL code. */
export class UsageError extends Error {}

export interface DeviceProbe<C> {
  /** Throws UsageError. */
  config(): C;
  /** Loads the protocol's library, which only who needs it loads. */
  load(): Promise<{
    readonly read: (
      config: C,
      now: () => number,
      options: { readonly onProgress: (text: string) => void },
    ) => Promise<ReadingsDocument>;
    /** What `read` rejects with when the device is at fault. */
    readonly Trouble: abstract new (
      ...parts: never[]
    ) => Error & { readonly remedy: string | null };
  }>;
}

/** Exit status: 0 read, 1 the device could not be read, 2 wrong usage. */
export async function probeDevice<C>(json: boolean, io: ProbeIo, probe: DeviceProbe<C>): Promise<number> {
  let config: C;
  try {
    config = probe.config();
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    io.error(`${error.message}\n`);
    return 2;
  }
  const { read, Trouble } = await probe.load();
  try {
    const document = await read(config, steadyNow, { onProgress: (text) => io.error(`${text}\n`) });
    io.out(json ? `${shownJson(document, 2)}\n` : readingsTable(document));
    return 0;
  } catch (error) {
    if (!(error instanceof Trouble)) throw error;
    io.error(`${error.message}\n${error.remedy === null ? '' : `${error.remedy}\n`}`);
    return 1;
  }
}

/** `--timeout`: whole milliseconds from 100 to `most`. */
export function timeoutOption(code: string, given: string, most: number): number {
  const timeoutMs = Number(given);
  if (Number.isInteger(timeoutMs) && timeoutMs >= 100 && timeoutMs <= most) return timeoutMs;
  throw new UsageError(`${code} --timeout takes milliseconds from 100 to ${most}, not "${given}"`);
}

/** The document as an aligned table for people. */
export function readingsTable(document: ReadingsDocument): string {
  const { vendor, model, serial, firmware } = document.identity;
  const identity = [
    [vendor, model].filter((word) => word !== null).join(' '),
    serial && `serial ${serial}`,
    firmware && `firmware ${firmware}`,
  ];
  const rows = [
    ...document.readings.map((reading) => [
      reading.component,
      reading.quantity,
      reading.value === null ? '-' : String(Number(reading.value.toPrecision(12))),
      reading.value === null || reading.unit === '1' ? '' : reading.unit,
      reading.state ?? '',
    ]),
    ...document.states.map((state) => [state.component, state.name, state.value, '', '']),
  ];
  const widths = [0, 1, 2, 3].map((column) => Math.max(0, ...rows.map((row) => (row[column] ?? '').length)));
  const lines = rows.map((row) =>
    row
      .map((cell, i) => (i === 2 ? cell.padStart(widths[i] ?? 0) : cell.padEnd(widths[i] ?? 0)))
      .join('  ')
      .trimEnd(),
  );
  return [
    `${document.target}  ${identity.filter(Boolean).join(', ')}  ${document.observed_at}`,
    ...lines,
    ...document.warnings.map((warning) => `warning: ${warning}`),
    '',
  ].join('\n');
}

// Reads the table of `rocm-smi`: a row a GPU, by AMD's own numbers, with the temperature of its junction, its power and its clocks.

import { NOTHING, type Reported, type ReportReader } from './report.ts';

const OPENS = /^=+ (?:ROCm System Management Interface|Concise Info|Concise Hardware Info) =+\s*$/;
const CLOSES = /^=+ End of ROCm SMI Log =+\s*$/;
/** Heads, rules, and what stands for a value that is not there. */
const BETWEEN = /^(?:=+|(?:Device|GPU) +(?:Node|Temp)\b.{1,200}| +\([DJ].{1,200})\s*$/;
/** "0  2  0x74a1, 28851  104.0°C  701.0W  NPS1, SPX, 0  1200Mhz  1300Mhz  0%  auto  750.0W  92%  100%", of older releases without node and ids. */
const ROW =
  /^(\d{1,3})\s+(?:\d{1,3}\s+0x[0-9a-f]{4},\s+\d{1,6}\s+)?(\d{1,3}\.\d)(?:°C|c)\s+(\d{1,5}\.\d)W\s+(?:\w+, \w+, \d+\s+)?\d{1,5}Mhz\s+\d{1,5}Mhz\s+[\d.]{1,5}%\s+\w+\s+(\d{1,5}\.\d)W\s+\d{1,3}%\s+(\d{1,3})%\s*$/;

/** "0    N/A   N/A     None  None  0.0%  unknown  Unsupported    0%   0%": nothing of the GPU can be read. */
const UNREAD = /^(\d{1,3})\s+(?:\d{1,3}\s+0x[0-9a-f]{4},\s+\d{1,6}\s+)?N\/A\s+N\/A\s+(\S.{10,120}?)\s*$/;
/** What is there of the rest of such a row where there is nothing: each value of another release. */
const NO_CLOCKS = /(?:\b(?:None|N\/A|unsupported)\b\s+){2}.*\bunknown\b/i;

export class RocmSmi implements ReportReader {
  readonly form = 'rocm_smi';
  #open = false;

  take(line: string): Reported | null {
    if (OPENS.test(line)) this.#open = true;
    else if (!this.#open) return null;
    if (CLOSES.test(line)) {
      this.#open = false;
      return NOTHING;
    }
    const [, number, temperature, power, limit, busy] = ROW.exec(line) ?? [];
    const [, unread, rest = ''] = UNREAD.exec(line) ?? [];
    if (unread !== undefined && NO_CLOCKS.test(`${rest} `)) return accessLost(Number(unread));
    if (number === undefined) return OPENS.test(line) || BETWEEN.test(line) ? NOTHING : null;
    const component = `gpu/${number}`;
    return {
      ...NOTHING,
      readings: [
        { component, quantity: 'temperature_junction', value: Number(temperature), unit: '°C' },
        { component, quantity: 'power', value: Number(power), unit: 'W' },
        { component, quantity: 'power_limit', value: Number(limit), unit: 'W' },
        { component, quantity: 'utilization', value: Number(busy) / 100, unit: '1' },
      ],
    };
  }
}

/** A number is not an address: which GPU it is, nothing says. */
function accessLost(index: number): Reported {
  return {
    ...NOTHING,
    findings: [
      {
        kind: 'gpu.access_lost',
        component: null,
        attributes: { gpu_index: index, unread_by: 'rocm-smi' },
        discriminator: `${index}`,
      },
    ],
  };
}

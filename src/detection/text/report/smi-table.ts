// Reads the table of `nvidia-smi`: two rows a GPU; and what it says of a GPU that it cannot ask.

import { type Component, canonicalPciAddress, componentText } from '../../../model/component.ts';
import type { Finding } from '../kernel/finding.ts';
import { NOTHING, quantityOf, type Reported, type ReportReader } from './report.ts';

/** "|   0  NVIDIA H100 80GB HBM3          On  |   00000000:19:00.0 Off |                    0 |" */
const FIRST =
  /^\| +\d{1,3} +\S.{4,40}\| +([0-9A-Fa-f]{8}:[0-9A-Fa-f]{2}:[0-9A-Fa-f]{2}\.[0-7]) (?:On|Off|N\/A|ERR!) *\| +(\d{1,9}|N\/A|Off|ERR!|Disabled) \|/;
/** "| N/A   34C    P0              71W / 700W |      4MiB / 81559MiB |      0%      Default |"; of one that is lost that is in place of its memory. */
const SECOND =
  /^\| *(\d{1,3}%|N\/A|ERR!) +(\d{1,3}C|N\/A|ERR!) +(?:P\d{1,2}|N\/A|ERR!) +(\d{1,5}W|N\/A|ERR!) {1,3}\/ *(\d{1,5}W|N\/A|ERR!) {1,3}\| +([\dA-Za-z/ !]+)\| +(\d{1,3}%|N\/A|ERR!) /;
/** Of a row of four bars, as terminals, mails and forums fold it: what comes before its last column or in it, and the rest. */
const HALF = /^\|[^|]{30,48}\|[^|]{18,30}(?:\|[^|]{0,24})?$/;
const REST = /^[^|+ ][^|]{0,22}\|$/;
/** nvmlErrorString() behind nvidia-smi's own words; newer ones with the number of the GPU before: "GPU3: 0000:04:00.0: ". */
const UNABLE =
  /^[\s>`*-]{0,8}Unable to determine the device handle for (?:GPU|gpu) ?(?:\d{1,3}: ?)?([0-9A-Fa-f:.]{7,16}): (GPU is lost|GPU requires reset|Unknown Error)/;
/** Unknown Error: the driver cannot reach it, whether it did not start it or lost it; the kernel's own words say which. */
const FAULTS = {
  'GPU is lost': 'gpu.lost',
  'GPU requires reset': 'gpu.fault',
  'Unknown Error': 'gpu.missing',
} as const;

export class SmiTable implements ReportReader {
  readonly form = 'nvidia_smi';
  readonly #host: string;
  #half: string | null = null;
  #gpu: Component | null = null;

  constructor(host: string) {
    this.#host = host;
  }

  take(given: string): Reported | null {
    const line = this.#unfolded(given);
    if (line.startsWith('|')) return this.#first(line) ?? this.#second(line);
    const [, address = '', why] = line.includes('Unable to determine') ? (UNABLE.exec(line) ?? []) : [];
    if (why === undefined || !isFault(why)) return null;
    return { ...NOTHING, findings: [said(this.#gpuAt(address), why)] };
  }

  /** A row that was folded at 80 columns, from its second line; any other line as it is. */
  #unfolded(line: string): string {
    const half = this.#half;
    this.#half = null;
    const trimmed = line.trim();
    if (half !== null && REST.test(trimmed)) return `${half} ${trimmed}`;
    if (HALF.test(trimmed)) this.#half = trimmed;
    return line;
  }

  #first(line: string): Reported | null {
    const [, address = '', errors] = FIRST.exec(line) ?? [];
    if (errors === undefined) return null;
    this.#gpu = this.#gpuAt(address);
    const uncorrected = Number(errors);
    const finding: Finding = {
      kind: 'gpu.memory.uncorrectable',
      component: this.#gpu,
      attributes: { errors: uncorrected },
    };
    return { ...NOTHING, findings: uncorrected > 0 ? [finding] : [] };
  }

  #second(line: string): Reported | null {
    const found = SECOND.exec(line);
    if (found === null || this.#gpu === null) return null;
    const gpu = this.#gpu;
    const component = componentText(gpu);
    const [, fan, temperature, power, limit, memory = '', busy] = found;
    this.#gpu = null;
    // A chip without a sensor says N/A: a GPU that gives neither answers nothing.
    // Nor is a fan that it cannot ask one that it does not have; power alone is often missing for a moment.
    const silent = fan === 'ERR!' || (temperature === 'ERR!' && power === 'ERR!');
    const why =
      Object.keys(FAULTS)
        .filter(isFault)
        .find((words) => memory.includes(words)) ?? null;
    const finding = why === null ? ofSilent(gpu) : said(gpu, why);
    const readings = (
      [
        ['temperature', temperature],
        ['power', power],
        ['power_limit', limit],
        ['utilization', busy],
      ] as const
    ).flatMap(([quantity, text]) => {
      const read = quantityOf(text ?? '');
      return read === null ? [] : [{ component, quantity, ...read }];
    });
    return { ...NOTHING, readings, findings: silent || why !== null ? [finding] : [] };
  }

  #gpuAt(address: string): Component | null {
    const id = canonicalPciAddress(address);
    return id === null ? null : { type: 'gpu', id, host: this.#host };
  }
}

function said(component: Component | null, why: keyof typeof FAULTS): Finding {
  const action = why === 'GPU requires reset' ? { action: 'reset_gpu' } : {};
  return { kind: FAULTS[why], component, attributes: { reported_as: why, ...action } };
}

function ofSilent(component: Component): Finding {
  return { kind: 'gpu.fault', component, attributes: { reported_as: 'ERR!' } };
}

function isFault(why: string): why is keyof typeof FAULTS {
  return why in FAULTS;
}

// Reads what `nvidia-smi --query-gpu=… --format=csv` prints: a header of field names, or the command that has them, and a row a GPU and a look.

import catalog from '#catalog/nvidia-smi.json' with { type: 'json' };
import { type Component, canonicalPciAddress } from '../../../model/component.ts';
import { withTemperature } from './heat.ts';
import { NOTHING, type Reported, type ReportedFinding, type ReportReader } from './report.ts';
import { factsOf, pathName } from './smi-facts.ts';

const FIELDS: ReadonlyMap<string, string> = new Map(Object.entries(catalog.query_fields));
/** "power.draw [W]"; with `nounits` the header has the unit all the same. */
const FIELD = /^([a-z][\w.]{1,63})(?: \[([A-Za-z%]{1,4})\])?$/;
/** In place of a value, of a GPU that does not answer (nvmlErrorString()). */
const NO_ANSWER = /^(?:\[(?:(GPU is lost)|(GPU requires reset)|Unknown Error)\]|ERR!)$/;
/** Of a card without a fan or a limit of its own the driver says Unknown Error, too; what it measures it knows. */
const SETTING = /^(?:fan\.speed|power\.(?:default_|min_|max_|enforced_)?limit|enforced\.power\.limit|clocks\.max\.)/;
const ADDRESS = /^[0-9A-Fa-f]{8}:[0-9A-Fa-f]{2}:[0-9A-Fa-f]{2}\.[0-7]$/;
const STAMP = /^(\d{4})\/(\d\d)\/(\d\d) (\d\d):(\d\d):(\d\d)\.(\d{3})$/;
const MOST_FIELDS = 256;
/** The command, above what it printed; with `noheader` nothing else has the names. */
const ASKED = /\bnvidia-smi .{0,200}?--query-gpu=([a-z][\w.,]{2,4000})/;
/** "1, Reset   <= reset required": what a person wrote behind a row. */
const NOTE = / <[=-]{1,4} ?.*$/;

interface Column {
  readonly name: string;
  /** The name by which `nvidia-smi -q` has it; null where nothing is to be known of it. */
  readonly path: string | null;
  /** Of values without one. */
  readonly unit: string;
}

export class SmiCsv implements ReportReader {
  readonly form = 'nvidia_smi';
  readonly #host: string;
  #columns: readonly Column[] = [];

  constructor(host: string) {
    this.#host = host;
  }

  take(line: string): Reported | null {
    const asked = ASKED.exec(line)?.[1];
    const named =
      asked === undefined || !line.includes('csv') ? null : headerOf(asked.split(',').slice(0, MOST_FIELDS));
    if (named !== null) {
      this.#columns = named;
      return NOTHING;
    }
    const cells = line.replace(NOTE, '').trimEnd().split(', ');
    if (cells.length < 2 || cells.length > MOST_FIELDS) return this.#close();
    const columns = headerOf(cells);
    if (columns !== null) {
      this.#columns = columns;
      return NOTHING;
    }
    if (this.#columns.length === cells.length) return this.#row(cells, this.#columns);
    this.#close();
    return this.#silentRow(cells);
  }

  #row(cells: readonly string[], columns: readonly Column[]): Reported {
    const cell = (...names: readonly string[]): string | undefined =>
      cells[columns.findIndex(({ name }) => names.includes(name))];
    const gpu = this.#gpuAt(cell('pci.bus_id', 'gpu_bus_id') ?? '');
    const facts = columns.flatMap(({ path, unit }, at) =>
      path === null ? [] : [factsOf(path, cells[at] ?? '', gpu, unit)],
    );
    const readings = facts.flatMap((fact) => fact.readings);
    const found = facts.flatMap((fact) => fact.findings).map((finding) => withTemperature(finding, readings));
    const findings = [
      ...found,
      ...silence(
        cells.filter((_, at) => !SETTING.test(columns[at]?.name ?? '')),
        gpu,
      ),
    ];
    // A GPU without an address is kept apart from the others by its number.
    const number = cell('index', 'uuid', 'gpu_uuid');
    const of = gpu !== null || number === undefined ? {} : { discriminator: number };
    return {
      readings: gpu === null ? [] : readings,
      states: facts.flatMap((fact) => (gpu === null ? [] : fact.states)),
      findings: findings.map((finding) => ({ ...finding, ...of, ...timeOf(cell('timestamp')) })),
    };
  }

  /** With `noheader` no value has a name; that a GPU does not answer is to be seen all the same. */
  #silentRow(cells: readonly string[]): Reported | null {
    const address = cells.find((each) => ADDRESS.test(each));
    const findings = address === undefined ? [] : silence(cells, this.#gpuAt(address));
    const time = timeOf(cells.find((each) => STAMP.test(each)));
    return findings.length === 0 ? null : { ...NOTHING, findings: findings.map((each) => ({ ...each, ...time })) };
  }

  #gpuAt(address: string): Component | null {
    const id = ADDRESS.test(address) ? canonicalPciAddress(address) : null;
    return id === null ? null : { type: 'gpu', id, host: this.#host };
  }

  #close(): null {
    this.#columns = [];
    return null;
  }
}

/** Null where these are not names of fields; one that is known must be among them. */
function headerOf(cells: readonly string[]): readonly Column[] | null {
  const columns: Column[] = [];
  for (const cell of cells) {
    const [, name, unit = ''] = FIELD.exec(cell) ?? [];
    if (name === undefined) return null;
    // Of all quantities only degrees are written without a unit.
    columns.push({ name, path: pathOf(name), unit: name.startsWith('temperature.') ? 'C' : unit });
  }
  return columns.some(({ path }) => path !== null) ? columns : null;
}

/** "clocks_event_reasons.sw_power_cap" is of a family whose members have the names of `-q`. */
function pathOf(name: string): string | null {
  const [, reason] = /^clocks_(?:event|throttle)_reasons\.(\w{1,48})$/.exec(name) ?? [];
  return reason === undefined ? (FIELDS.get(name) ?? null) : `clocks_event_reasons/${pathName(reason)}`;
}

function silence(cells: readonly string[], gpu: Component | null): readonly ReportedFinding[] {
  const found = cells.map((cell) => NO_ANSWER.exec(cell)).find((each) => each !== null);
  if (found === undefined || found === null) return [];
  const [words, lost, reset] = found;
  const attributes = { reported_as: words, ...(reset === undefined ? {} : { action: 'reset_gpu' }) };
  return [{ kind: lost === undefined ? 'gpu.fault' : 'gpu.lost', component: gpu, attributes }];
}

/** nvidia-smi gives the host's local time without its zone. */
function timeOf(stamp: string | undefined): { readonly timeMs?: number } {
  const [year, month, day, hour, minute, second, ms] =
    STAMP.exec(stamp ?? '')
      ?.slice(1)
      .map(Number) ?? [];
  if (year === undefined || month === undefined || ms === undefined) return {};
  return { timeMs: Date.UTC(year, month - 1, day, hour, minute, second, ms) };
}

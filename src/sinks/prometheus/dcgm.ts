// The second set of names: what dashboards made for NVIDIA's dcgm-exporter ask for, from the same series.

import catalog from '#catalog/dcgm-names.json' with { type: 'json' };
import { hasRoom } from '../../helpers/has-room.ts';
import { componentText } from '../../model/component.ts';
import type { FaultEvent } from '../../model/event.ts';
import { parseSeriesKey } from '../../model/reading.ts';
import type { Discovery } from '../../model/record.ts';
import type { LabelBook } from '../work/label-book.ts';
import type { Family, FamilySample, Labels } from './metric-family.ts';
import type { Snapshot } from './series-table.ts';
import { WorkingLabels } from './working-labels.ts';

/** More GPUs than a host can have; bounds what discoveries can make us keep. */
const MAX_GPUS = 256;

interface Field {
  readonly name: string;
  readonly type: 'gauge' | 'counter';
  readonly scale: number;
  readonly help: string;
}

const fields = new Map<string, Field>();
for (const [name, { quantity, type, scale, help }] of Object.entries(catalog.fields)) {
  fields.set(quantity, { name, type: type === 'counter' ? 'counter' : 'gauge', scale, help });
}

interface Xid {
  readonly number: number;
  readonly name: string;
}

interface Gpu {
  readonly labels: WorkingLabels;
  xid: Xid;
}

const NO_XID: Xid = { number: 0, name: 'none' };

export class DcgmNames {
  readonly #host: string;
  readonly #gpus = new Map<string, Gpu>();

  constructor(host: string) {
    this.#host = host;
  }

  /** What labels a GPU's samples carry; the same GPU may come again after a driver reload. */
  discovery({ component, attributes = {} }: Discovery): void {
    if (component.type !== 'gpu') return;
    const key = componentText(component);
    if (!hasRoom(this.#gpus, key, MAX_GPUS)) return;
    const index = (component.aliases ?? [])
      .map((alias) => /^gpu (\d{1,4})$/.exec(alias)?.[1])
      .find((n) => n !== undefined);
    const labels: Labels = [
      ['gpu', index ?? ''],
      ['UUID', String(attributes.uuid ?? '')],
      ['pci_bus_id', busId(component.id)],
      ['device', index === undefined ? '' : `nvidia${index}`],
      ['modelName', String(attributes.model ?? '')],
      ['Hostname', this.#host],
      ['DCGM_FI_DRIVER_VERSION', String(attributes.driver ?? '')],
    ];
    this.#gpus.set(key, { labels: new WorkingLabels(key, labels), xid: this.#gpus.get(key)?.xid ?? NO_XID });
  }

  event({ component, attributes, state }: FaultEvent): void {
    if (component === null || state === 'clear' || typeof attributes.xid !== 'number') return;
    const gpu = this.#gpus.get(componentText(component));
    if (gpu !== undefined) gpu.xid = { number: attributes.xid, name: String(attributes.mnemonic ?? 'unknown') };
  }

  /** Families of every GPU that was discovered and has fresh samples. */
  families(snapshots: Iterable<Snapshot<unknown>>, book: LabelBook): Family[] {
    const samples = new Map<Field, FamilySample[]>();
    const present = new Set<Gpu>();
    for (const { key, last } of snapshots) {
      const { component, quantity } = parseSeriesKey(key);
      const gpu = this.#gpus.get(component);
      const field = fields.get(quantity);
      if (gpu === undefined) continue;
      present.add(gpu);
      if (field === undefined) continue;
      const list = samples.get(field) ?? [];
      samples.set(field, list);
      // Factors of ten in floating point leave a tail; dcgm-exporter shows none.
      list.push({ suffix: '', labels: gpu.labels.now(book), value: Number((last * field.scale).toPrecision(15)) });
    }
    const families: Family[] = [...samples].map(([{ name, type, help }, list]) => ({
      name,
      type,
      help,
      unit: '',
      samples: list,
    }));
    const { name, help } = catalog.xid;
    families.push({ name, type: 'gauge', help, unit: '', samples: [...present].map((gpu) => xidSample(gpu, book)) });
    return families;
  }
}

function xidSample({ labels, xid }: Gpu, book: LabelBook): FamilySample {
  const named: Labels = [...labels.now(book), ['err_code', String(xid.number)], ['err_msg', xid.name]];
  return { suffix: '', labels: named, value: xid.number };
}

/** NVML's spelling: eight digits of domain, upper case. */
function busId(pciAddress: string): string {
  const [domain = '', ...rest] = pciAddress.split(':');
  return [domain.padStart(8, '0'), ...rest].join(':').toUpperCase();
}

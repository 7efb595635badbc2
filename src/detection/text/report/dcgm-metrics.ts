// Reads metrics of DCGM: the text that dcgm-exporter serves, and the fields that its Python reader prints as one dictionary.

import catalog from '#catalog/nvidia-smi.json' with { type: 'json' };
import { type Component, canonicalPciAddress, componentText } from '../../../model/component.ts';
import type { Kind } from '../../../model/kind.ts';
import type { Severity } from '../../../model/severity.ts';
import type { Finding } from '../kernel/finding.ts';
import { xidInfo } from '../xid.ts';
import { NOTHING, quantityOf, type Reported, type ReportReader } from './report.ts';
import { factsOf } from './smi-facts.ts';

interface MetricRow {
  readonly name: string;
  readonly quantity?: string;
  readonly unit?: string;
  readonly label?: string;
  readonly is?: string;
  readonly kind?: Kind;
  readonly severity?: Severity;
  readonly xid?: boolean;
}

const ROWS = catalog.metrics as readonly MetricRow[]; // held against its lists by test/catalog/nvidia-smi.test.ts
const METRIC = /^(DCGM_[A-Z0-9_]{3,60})\{([^}]{0,2000})\} (-?[\d.eE+]{1,30})\s*$/;
const LABEL = /(\w{1,64})="((?:[^"\\]|\\.){0,200})"/g;
/** dcgm_fields.h: the least of the values that mean "not there", "not supported" and the like. */
const LEAST_BLANK = 0x7f_ff_ff_f0;
const DICTIONARY = /^\{'\w{1,40}': /;
const FIELD = /'(\w{1,64})': (-?\d{1,20}(?:\.\d{1,12})?)(?=[,}])/g;

export class DcgmMetrics implements ReportReader {
  readonly form = 'dcgm';
  readonly #host: string;

  constructor(host: string) {
    this.#host = host;
  }

  take(line: string): Reported | null {
    if (line.startsWith('DCGM_')) return this.#metric(line);
    if (!DICTIONARY.test(line) || !/'(?:power_usage|gpu_temp|sm_clock|fb_used|gpu_utilization|sm_active)': /.test(line))
      return null;
    const facts = [...line.matchAll(FIELD)]
      .filter(([, , value]) => Number(value) < LEAST_BLANK)
      .map(([, name = '', value = '']) => factsOf(name, value, null));
    return { ...NOTHING, readings: facts.flatMap(({ readings }) => readings) };
  }

  #metric(line: string): Reported | null {
    const [, name = '', written = '', text] = METRIC.exec(line) ?? [];
    if (text === undefined) return null;
    const value = Number(text);
    if (!(value < LEAST_BLANK)) return NOTHING;
    const labels = new Map([...written.matchAll(LABEL)].map(([, key = '', label = '']) => [key, label]));
    const gpu = this.#gpu(labels);
    const rows = ROWS.filter(
      (row) =>
        row.name === name && (row.is === undefined || new RegExp(row.is).test(labels.get(row.label ?? '') ?? '')),
    );
    const quantities = rows.flatMap(({ quantity, unit }) => {
      const read = quantity === undefined ? null : quantityOf(text, unit);
      return quantity === undefined || read === null
        ? []
        : [{ component: gpu === null ? '' : componentText(gpu), quantity, ...read }];
    });
    return {
      ...NOTHING,
      readings: quantities,
      findings: value > 0 ? rows.flatMap((row) => findings(row, value, gpu)) : [],
    };
  }

  #gpu(labels: ReadonlyMap<string, string>): Component | null {
    const id = canonicalPciAddress(labels.get('pci_bus_id') ?? '');
    if (id === null) return null;
    const uuid = labels.get('UUID');
    return { type: 'gpu', id, host: this.#host, ...(uuid === undefined ? {} : { aliases: [uuid] }) };
  }
}

function findings({ name, kind, severity, xid }: MetricRow, value: number, gpu: Component | null): Finding[] {
  const row = xid === true ? xidInfo(value) : null;
  const is = kind ?? row?.kind;
  if (is === undefined) return [];
  const level = severity ?? row?.severity;
  return [
    {
      kind: is,
      component: gpu,
      attributes: { reported_as: name, ...(xid === true ? { xid: value } : { value }) },
      ...(level === undefined ? {} : { severity: level }),
    },
  ];
}

// Reads what `dcgmi dmon` prints: a head with the short names of the fields, and a row an entity and a look. The last Xid of a GPU is read
// from it, which the driver keeps until it is loaded again.

import { xidInfo } from '../xid.ts';
import { NOTHING, type Reported, type ReportReader } from './report.ts';

const HEAD = /^# ?Entity((?: {1,20}[A-Z0-9]{2,10}){1,64})\s*$/;
/** Units, one a column. */
const BELOW = /^ {0,4}ID(?: |$)/;
const ROW = /^ {0,4}(GPU|GPU-I|GPU-CI|Switch|CPU) (\d{1,4}) {1,40}(\S.{0,1000}?)\s*$/;
/** DCGM_FI_DEV_XID_ERRORS (dcgm_fields.cpp) */
const XID = 'XIDER';
const MOST_LINE = 2048;

export class DcgmDmon implements ReportReader {
  readonly form = 'dcgm';
  #columns: readonly string[] = [];
  /** GPUs and numbers: a loop shows them at each look. */
  readonly #seen = new Set<string>();

  take(line: string): Reported | null {
    if (line.length > MOST_LINE) return null;
    const names = HEAD.exec(line)?.[1];
    if (names !== undefined) {
      this.#columns = names.trim().split(/ +/);
      return NOTHING;
    }
    if (this.#columns.length === 0) return null;
    const [, type, number = '', values = ''] = ROW.exec(line) ?? [];
    if (type === undefined) return BELOW.test(line) ? NOTHING : this.#close();
    const cells = values.split(/\s+/);
    // A value may be of several words, so that no column is sure.
    if (type !== 'GPU' || cells.length !== this.#columns.length) return NOTHING;
    return this.#xid(number, Number(cells[this.#columns.indexOf(XID)]));
  }

  /** DCGM's number of a GPU is not an address: the GPU stays unnamed. */
  #xid(gpu: string, xid: number): Reported {
    const key = `gpu ${gpu} xid ${xid}`;
    if (!Number.isInteger(xid) || xid <= 0 || xid > 9999 || this.#seen.has(key)) return NOTHING;
    this.#seen.add(key);
    const info = xidInfo(xid);
    const attributes = { reported_as: 'dcgm', dcgm_gpu: Number(gpu), xid };
    const at = { component: null, attributes, discriminator: key };
    if (info === null) return { ...NOTHING, findings: [{ kind: 'gpu.fault', severity: 'error', ...at }] };
    const severity = info.severity === undefined ? {} : { severity: info.severity };
    return { ...NOTHING, findings: [{ kind: info.kind, ...severity, ...at }] };
  }

  #close(): null {
    this.#columns = [];
    return null;
  }
}

// Reads what scontrol and sinfo print of nodes that are out of service: the fault that Slurm's reason names, or that a person drained them, and why.

import { evidenceText } from '../evidence.ts';
import { reasonFinding } from '../programs/node-reasons.ts';
import { nodesOf, ofEach } from '../programs/nodes.ts';
import { NOTHING, type Reported, type ReportReader } from './report.ts';

/** "NodeName=gx-004 Arch=x86_64 CoresPerSocket=64": the head of what is shown. */
const NAME = /^\s{0,4}NodeName=([A-Za-z0-9][\w.-]{0,127})(?:\s|$)/;
/** "   Reason=Not responding [slurm@2026-11-28T12:00:24]", the whole of a line or of what one line has of a node. */
const REASON = /(?:^|\s)Reason=([^\n]{1,400}?)\[([\w.-]{1,64})@\d{4}-\d\d-\d\dT[\d:]{8}\]/;
const STATE = /(?:^|\s)State=([A-Z+*_()~#!%$@^-]{2,80})/;
/** A drained node is out of service; one that idles keeps the reason of last time. */
const OUT = /DOWN|DRAIN|FAIL|INVAL|NOT_RESPONDING|NO_RESPOND/;
/** With the command before it where a page folds lines. */
const TABLE = /^(?:.{0,24}\bsinfo -\S{1,24} )?REASON\s{1,40}USER\s{1,40}TIMESTAMP\s{1,40}(?:STATE\s{1,20})?NODELIST/;
/** "gres/gpu count repor slurm     2026-11-28T12:00:24 gx-004": sinfo -R cuts the reason at 20 letters unless it is asked for more. */
const ROW =
  /^(\S.{1,200}?)\s{1,40}([\w.-]{1,32})\(?\d{0,10}\)?\s{1,40}(?:\d{4}-\d\d-\d\dT[\d:]{8}|Unknown)\s{1,40}(?:[a-z*]{2,16}\s{1,20})?([A-Za-z0-9][\w.,[\]-]{0,255})\s*$/;
const NODES = /^[A-Za-z0-9][\w.,[\]-]{0,255}$/;
/** What a reason becomes that was cut. */
const CUT: readonly (readonly [begins: string, whole: string])[] = [
  ['gres/gpu count repor', 'gres/gpu count reported lower than configured (0 < 1)'],
  ['gres/gpu count too l', 'gres/gpu count too low (0 < 1)'],
  ['Node unexpectedly re', 'Node unexpectedly rebooted'],
  ['batch job complete f', 'batch job complete failure'],
  ['Low socket*core*thre', 'Low socket*core*thread count'],
  ['Low socket*core coun', 'Low socket*core count'],
];

/** "NODELIST NODES PARTITION STATE CPUS ... REASON" of sinfo -N, "PARTITION AVAIL TIMELIMIT NODES STATE NODELIST" of sinfo: one line for what is alike. */
const LIST = /^(?:NODELIST +NODES|PARTITION +AVAIL|NODELIST +PARTITION) +.*\bSTATE\b/;
/** The star says that slurmctld waits for its answer; a node that idles or works may still give one. */
const SILENT = /^(?:down|drained|fail)\*$/;
const OUT_OF_SERVICE = /^(?:down|drain|drng|drained|draining|fail|failg|failing|inval)[*~#!%$@^-]?$/;

export class SlurmNodes implements ReportReader {
  readonly form = 'slurm';
  readonly #host: string;
  #node: string | null = null;
  #out = true;
  #table = false;
  /** The columns of a list of nodes. */
  #list: readonly string[] = [];

  constructor(host: string) {
    this.#host = host;
  }

  take(line: string): Reported | null {
    if (TABLE.test(line)) {
      this.#table = true;
      return NOTHING;
    }
    if (LIST.test(line)) {
      this.#list = line.trim().split(/\s+/);
      return NOTHING;
    }
    const listed = this.#listed(line);
    if (listed !== null) return listed;
    const node = NAME.exec(line)?.[1];
    if (node !== undefined) {
      this.#node = node;
      this.#out = true;
    }
    const state = STATE.exec(line)?.[1];
    if (state !== undefined && this.#node !== null) this.#out = OUT.test(state);
    const [, reason, by] = REASON.exec(line) ?? [];
    if (reason !== undefined) return this.#out ? reported(reason, this.#node ?? this.#host, by) : NOTHING;
    const [, cut, setBy, nodes] = this.#table ? (ROW.exec(line) ?? []) : [];
    if (cut !== undefined && nodes !== undefined) return reported(wholeOf(cut), nodes, setBy);
    return node === undefined ? null : NOTHING;
  }

  /** A row of a list of nodes; its last column, the reason, may have blanks. */
  #listed(line: string): Reported | null {
    const columns = this.#list;
    const cells = line.trim().split(/\s+/);
    if (columns.length === 0 || cells.length < columns.length) return null;
    const cell = (name: string): string => cells[columns.indexOf(name)] ?? '';
    const [state, nodes] = [cell('STATE'), cell('NODELIST')];
    if (!/^\d{1,6}$/.test(columns.includes('NODES') ? cell('NODES') : '1') || !NODES.test(nodes)) return null;
    if (!OUT_OF_SERVICE.test(state)) return NOTHING;
    const reason = columns.at(-1) === 'REASON' ? cells.slice(columns.length - 1).join(' ') : 'none';
    const said = reason === 'none' && SILENT.test(state) ? 'Not responding' : wholeOf(reason);
    return said === 'none' ? NOTHING : reported(said, nodes);
  }
}

/** A reason that no program gives is a person's: the node is drained, and why is in their words. */
function reported(reason: string, nodes: string, by?: string): Reported {
  const { attributes = {}, ...finding } = reasonFinding(reason, nodes) ?? {
    kind: 'host.drained' as const,
    component: { type: 'host' as const, id: nodes },
    attributes: { reason: evidenceText(reason.trim()), ...(by === undefined ? {} : { set_by: by }) },
  };
  const all = { ...finding, attributes: { ...attributes, out_of_service: true } };
  return { ...NOTHING, findings: ofEach(nodesOf(nodes), all) };
}

function wholeOf(reason: string): string {
  return CUT.find(([begins]) => begins === reason)?.[1] ?? reason;
}

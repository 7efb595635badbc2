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
/** Down by no one's wish: what is switched off, rebooted or set aside says so in the same place. */
const DOWN = /^DOWN(?:\*|\+|$)(?!.*(?:POWER|CLOUD|REBOOT|MAINT|FUTURE|PLANNED|RESERVED|DRAIN))/;
/** With the command before it where a page folds lines. */
const TABLE = /^(?:.{0,24}\bsinfo -\S{1,24} )?REASON\s{1,40}USER\s{1,40}TIMESTAMP\s{1,40}(?:STATE\s{1,20})?NODELIST/;
/** "gres/gpu count repor slurm     2026-11-28T12:00:24 gx-004": sinfo -R cuts the reason at 20 letters unless it is asked for more. */
const ROW =
  /^(\S.{1,200}?)\s{1,40}([\w.-]{1,32})\(?\d{0,10}\)?\s{1,40}(?:\d{4}-\d\d-\d\dT[\d:]{8}|Unknown)\s{1,40}(?:[a-z*]{2,16}\s{1,20})?([A-Za-z0-9][\w.,[\]-]{0,255})\s*$/;
/** A row of sinfo's own columns, which nothing else has, where its head was cut off. */
const HEADLESS =
  /^[A-Za-z][\w.-]{0,63}\*? {1,40}(?:up|down|drain|inact) {1,40}(?:infinite|n\/a|(?:\d{1,4}-)?\d{1,2}:\d\d(?::\d\d)?) {1,40}\d{1,6} {1,40}[a-z]{2,16}[*~#!%$@^+-]? {1,4}[A-Za-z0-9][\w.,[\]-]{0,255}\s*$/;
const OWN_COLUMNS = ['PARTITION', 'AVAIL', 'TIMELIMIT', 'NODES', 'STATE', 'NODELIST'];
/** Who sets the reasons of `sinfo -R` where no person drained the nodes. */
const BY_SLURM = /^(?:slurm|root)$/;
const NODES = /^[A-Za-z0-9][\w.,[\]-]{0,255}$/;
/** What a reason becomes that was cut. */
const CUT: readonly (readonly [begins: string, whole: string])[] = [
  ['gres/gpu count repor', 'gres/gpu count reported lower than configured (0 < 1)'],
  ['gres/gpu count too l', 'gres/gpu count too low (0 < 1)'],
  ['Node unexpectedly re', 'Node unexpectedly rebooted'],
  ['batch job complete f', 'batch job complete failure'],
  ['Low socket*core*thre', 'Low socket*core*thread count'],
  ['Low socket*core coun', 'Low socket*core count'],
  ['ResumeTimeout reache', 'ResumeTimeout reached'],
  ['SlurmdSpoolDir is fu', 'SlurmdSpoolDir is full'],
  ['Prolog/Epilog failur', 'Prolog/Epilog failure'],
  ['Could not unpack gre', 'Could not unpack gres data'],
  ['NO NETWORK ADDRESS F', 'NO NETWORK ADDRESS FOUND'],
];

/** The name of a column of sinfo, whatever -o or -O asks for. */
const COLUMN = /^[A-Z][A-Z0-9_:()/]{1,31}$/;
/** Of a table of jobs. */
const OF_JOBS = 'JOBID';
const NODE_COLUMNS = ['NODELIST', 'HOSTNAMES', 'HOSTNAME'];
const STATE_COLUMNS = ['STATE', 'STATELONG', 'STATECOMPACT'];
/** The one column whose words have blanks. */
const FREE = 'REASON';
/** The star says that slurmctld waits for its answer; a node that idles or works may still give one. */
const SILENT = /^(?:down|drain|drained|fail)\*$/;
const OUT_OF_SERVICE = /^(?:down|drain|drng|drained|draining|fail|failg|failing|inval)[*~#!%$@^-]?$/;

export class SlurmNodes implements ReportReader {
  readonly form = 'slurm';
  readonly #host: string;
  #node: string | null = null;
  #out = true;
  /** A node that is down, of which no reason was read yet. */
  #down: { readonly node: string; readonly state: string; readonly line: string } | null = null;
  #table = false;
  /** The columns of a list of nodes. */
  #list: readonly string[] = [];
  /** The last line was its head, or a row of it. */
  #open = false;

  constructor(host: string) {
    this.#host = host;
  }

  take(line: string): Reported | null {
    this.#open = false;
    if (TABLE.test(line)) {
      this.#table = true;
      return NOTHING;
    }
    const head = columnsOf(line);
    if (head !== null) {
      this.#list = head;
      this.#open = true;
      return NOTHING;
    }
    const listed = this.#listed(line);
    if (listed !== null) {
      this.#open = true;
      return listed;
    }
    const node = NAME.exec(line)?.[1];
    const before = node === undefined ? null : this.end();
    if (node !== undefined) {
      this.#node = node;
      this.#out = true;
    }
    const state = STATE.exec(line)?.[1];
    if (state !== undefined && this.#node !== null) {
      this.#out = OUT.test(state);
      this.#down = DOWN.test(state) ? { node: this.#node, state, line } : null;
    }
    return this.#reason(line) ?? before ?? (node === undefined ? null : NOTHING);
  }

  #reason(line: string): Reported | null {
    const [, reason, by] = REASON.exec(line) ?? [];
    if (reason !== undefined) this.#down = null;
    if (reason !== undefined) return this.#out ? reported(reason, this.#node ?? this.#host, by) : NOTHING;
    const [, cut, setBy = '', nodes] = ROW.exec(line) ?? [];
    const isRow = this.#table || (BY_SLURM.test(setBy) && reasonFinding(wholeOf(cut ?? ''), nodes ?? '') !== null);
    if (isRow && cut !== undefined && nodes !== undefined)
      return reported(wholeOf(cut).replace(/[:;,]$/, ''), nodes, setBy);
    return null;
  }

  /** A node that is down, where neither a program nor a person said why. */
  end(): Reported | null {
    const down = this.#down;
    this.#down = null;
    if (down === null) return null;
    const attributes = { state: down.state, told_by: 'scheduler', out_of_service: true };
    const finding = { kind: 'host.down', component: { type: 'host', id: down.node }, attributes, lines: [down.line.trim()] } as const; // biome-ignore format: one finding
    return { ...NOTHING, findings: [finding] };
  }

  /** A row of a list of nodes may be next. */
  get open(): boolean {
    return this.#open;
  }

  /** A row of a list of nodes; null where it has not its columns. */
  #listed(line: string): Reported | null {
    const row = rowOf(line, this.#list.length === 0 && HEADLESS.test(line) ? OWN_COLUMNS : this.#list);
    if (row === null) return null;
    const cell = (names: readonly string[]): string | undefined => names.map((name) => row.get(name)).find((each) => each !== undefined); // biome-ignore format: one rule
    const [nodes = '', state] = [cell(NODE_COLUMNS), cell(STATE_COLUMNS)];
    const count = row.get('NODES');
    if ((count !== undefined && !/^\d{1,6}$/.test(count)) || !NODES.test(nodes)) return null;
    if (state !== undefined && !/^[a-z]{2,16}[*~#!%$@^+-]?$/i.test(state)) return null;
    if (state !== undefined && !OUT_OF_SERVICE.test(state.toLowerCase())) return NOTHING;
    const reason = row.get(FREE) ?? 'none';
    const isSilent = reason === 'none' && state !== undefined && SILENT.test(state.toLowerCase());
    const said = isSilent ? 'Not responding' : wholeOf(reason);
    return said === 'none' ? NOTHING : reported(said, nodes, row.get('USER')?.replace(/\(\d{1,10}\)$/, ''));
  }
}

/** Null where the line is none of columns alone, of which one names nodes and one says how they are. */
function columnsOf(line: string): readonly string[] | null {
  if (!NODE_COLUMNS.some((name) => line.includes(name))) return null;
  const names = line.trim().split(/\s+/);
  const isHead =
    names.length > 1 &&
    names.every((name) => COLUMN.test(name) && name !== OF_JOBS) &&
    NODE_COLUMNS.some((name) => names.includes(name)) &&
    [FREE, ...STATE_COLUMNS].some((name) => names.includes(name));
  return isHead ? names : null;
}

/** By the columns before the reason from the left, and those behind it from the right; what is between is the reason. */
function rowOf(line: string, columns: readonly string[]): ReadonlyMap<string, string> | null {
  if (columns.length === 0) return null;
  const cells = line.trim().split(/\s+/);
  if (cells.length < columns.length) return null;
  const at = columns.indexOf(FREE);
  if (at < 0) return cells.length === columns.length ? new Map(columns.map((name, i) => [name, cells[i] ?? ''])) : null;
  const behind = columns.length - at - 1;
  const values = [...cells.slice(0, at), cells.slice(at, cells.length - behind).join(' '), ...cells.slice(cells.length - behind)]; // biome-ignore format: one row
  return new Map(columns.map((name, i) => [name, values[i] ?? '']));
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

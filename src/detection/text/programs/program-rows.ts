// Program rows: what daemons of a host report of its power, memory, disks and state, by catalog/programs.json, and those of schedulers
// and storage clusters of other hosts and servers, by catalog/cluster-programs.json.

import cluster from '#catalog/cluster-programs.json' with { type: 'json' };
import catalog from '#catalog/programs.json' with { type: 'json' };
import { type Component, canonicalPciAddress } from '../../../model/component.ts';
import type { AttributeValue } from '../../../model/event.ts';
import type { Kind } from '../../../model/kind.ts';
import type { Severity } from '../../../model/severity.ts';
import { evidenceText } from '../evidence.ts';
import type { StateFinding } from '../kernel/finding.ts';
import { xidFacts } from '../xid.ts';
import { BMC_WORDS, bmcFinding } from './bmc-line.ts';
import { CEPH_WORDS, cephFinding } from './ceph-health.ts';
import { eventDaemonFinding, IPMIEVD_WORDS } from './event-daemon.ts';
import { reasonFinding } from './node-reasons.ts';
import { nodesOf, ofEach } from './nodes.ts';
import { isPduHost, isPduProgram, PDU_WORDS, pduFinding } from './pdu-line.ts';
import { SWITCH_WORDS, switchFinding } from './switch-line.ts';

interface Row {
  readonly program: string;
  readonly example: string;
  readonly pattern: string;
  readonly kind: Kind;
  readonly severity?: Severity;
  /** It ends what another row begins. */
  readonly state?: 'clear';
  readonly attributes?: Readonly<Record<string, AttributeValue>>;
  readonly bare?: boolean;
  /** It is of a PDU, of which the groups `outlet` and `part` are parts. */
  readonly of_pdu?: boolean;
  /** It is of the job that the group `job` numbers. */
  readonly of_job?: boolean;
  /** It is of the port that the group `port` names, of the host or the switch that the line is of. */
  readonly of_port?: boolean;
  /** Of which every line that it takes has one; those of programs.json are in one list. */
  readonly words?: readonly string[];
  /** The group `reason` says which kind it is, where it is a reason that is known. */
  readonly by_reason?: boolean;
  /** The group `xid` says which kind it is, where the catalogue of XIDs has it; the group `uuid` names the GPU. */
  readonly by_xid?: boolean;
}

/** What a program puts before each of its messages: "slurmctld: error: ". */
const LEADS: Readonly<Record<string, string | undefined>> = cluster.leads;
// Held against kinds and severities by test/detection/text/programs.test.ts.
export const PROGRAM_ROWS = [...catalog.rows, ...cluster.rows] as readonly Row[];

const FORMS = PROGRAM_ROWS.map((row) => ({
  row,
  form: new RegExp(`^${LEADS[row.program] ?? ''}${row.pattern}$`),
}));
const BARE = FORMS.filter(({ row }) => row.bare === true);
const BY_PROGRAM = new Map(
  [...new Set(PROGRAM_ROWS.map(({ program }) => program))].map((program) => [
    program,
    FORMS.filter(({ row }) => row.program === program),
  ]),
);
/** "upsmon[812]: ", as a syslog daemon or /dev/kmsg has it. */
const HEAD = /^([\w-]{1,32})(?:\[\d{1,10}\])?: {1,4}/;
const MAX_LINE = 2048;
const CEPH = 'ceph-mon';

/** Of a line that says which program wrote it, one of each node that it names; null where it is none of these, or reports nothing. */
export function programFindings(text: string, host: string): readonly StateFinding[] | null {
  const [head = '', program = ''] = HEAD.exec(text) ?? [];
  const forms = BY_PROGRAM.get(program);
  const message = text.slice(head.length);
  const found = forms === undefined ? null : find(forms, message, host);
  const entry = eventDaemonFinding(text, host);
  if (entry !== null) return [entry];
  if (program === CEPH) return withCode(found, message, host);
  return found ?? ofAppliance(text, message, host, isPduProgram(program) || isPduHost(host));
}

/** Of a switch or a BMC, whatever relayed its lines, or of a PDU where it is one. */
function ofAppliance(text: string, message: string, host: string, isPdu: boolean): readonly StateFinding[] | null {
  const finding = switchFinding(message, host) ?? bmcFinding(text, host) ?? (isPdu ? pduFinding(message, host) : null);
  return finding === null ? null : [finding];
}

/** Of a line in a log of the program's own. */
export function bareFindings(text: string, host: string): readonly StateFinding[] | null {
  return withCode(find(BARE, text, host), text, host);
}

/** A check of Ceph is what its code says, and a row says more of it at most. */
function withCode(found: readonly StateFinding[] | null, text: string, host: string): readonly StateFinding[] | null {
  const check = text.length > MAX_LINE ? null : cephFinding(text.trimEnd(), host);
  return check === null ? found : [{ ...check, attributes: { ...found?.[0]?.attributes, ...check.attributes } }];
}

function find(forms: typeof FORMS, text: string, host: string): readonly StateFinding[] | null {
  if (text.length > MAX_LINE) return null;
  // Here and not in the patterns, which would try each blank of a long row of them once for each place before.
  const said = text.trimEnd();
  for (const { row, form } of forms) {
    const found = form.exec(said);
    if (found === null) continue;
    const { gpu, node, ...groups } = found.groups ?? {};
    // With more than was asked for nothing is missing.
    if (groups.expected !== undefined && Number(groups.found) >= Number(groups.expected)) continue;
    const id = gpu === undefined ? (groups.uuid ?? null) : canonicalPciAddress(gpu);
    const at = { program: row.program, ...row.attributes };
    const nodes = node === undefined ? [host] : nodesOf(node);
    const known = row.by_reason === true ? reasonFinding(groups.reason ?? '', host) : null;
    if (known !== null) return ofEach(nodes, { ...known, attributes: { ...at, ...known.attributes } });
    if (row.by_xid === true) return [ofXid(Number(groups.xid), groups.uuid, at, host)];
    const finding: StateFinding = {
      kind: row.kind,
      component: { type: 'host', id: host },
      ...(row.severity === undefined ? {} : { severity: row.severity }),
      ...(row.state === undefined ? {} : { state: row.state }),
      ...(groups.part === undefined ? {} : { discriminator: groups.part }),
      attributes: { ...at, ...valuesOf(groups) },
    };
    if (row.of_job === true && groups.job !== undefined)
      return [{ ...finding, component: { type: 'job', id: groups.job } }];
    if (row.of_port === true && groups.port !== undefined)
      return [{ ...finding, state: row.state ?? 'onset', component: { type: 'nic', id: evidenceText(groups.port), host: nodes[0] ?? host } }]; // biome-ignore format: one finding
    if (row.of_pdu === true) return [{ ...finding, component: partOfPdu(host, found.groups ?? {}) }];
    return id === null ? ofEach(nodes, finding) : [{ ...finding, component: { type: 'gpu', id, host } }];
  }
  return null;
}

function ofXid(xid: number, uuid: string | undefined, at: StateFinding['attributes'], host: string): StateFinding {
  const facts = xidFacts(xid);
  const component: Component = uuid === undefined ? { type: 'host', id: host } : { type: 'gpu', id: uuid, host };
  return { ...facts, component, attributes: { ...at, ...facts.attributes } };
}

/** A name, though a scheduler's is a number. */
const NAME_OF_JOB = 'job';

/** By what the line calls the part; others are branches. */
const PARTS_OF_PDU: ReadonlyMap<string, Component['type']> = new Map([
  ['outlet', 'pdu_outlet'],
  ['phase', 'pdu_phase'],
  ['inlet', 'pdu_inlet'],
  ['input', 'pdu_inlet'],
]);

function partOfPdu(name: string, { outlet, part, what }: Readonly<Record<string, string | undefined>>): Component {
  const number = outlet ?? part;
  if (number === undefined) return { type: 'pdu', id: name };
  const type = outlet === undefined ? (PARTS_OF_PDU.get((what ?? '').toLowerCase()) ?? 'pdu_branch') : 'pdu_outlet';
  return { type, id: `${name}/${evidenceText(number)}`, parent: `pdu/${name}` };
}

function valuesOf(groups: Readonly<Record<string, string | undefined>>): Record<string, AttributeValue> {
  return Object.fromEntries(
    Object.entries(groups).flatMap(([name, value]) =>
      value === undefined
        ? []
        : [[name, name !== NAME_OF_JOB && /^\d{1,15}$/.test(value) ? Number(value) : evidenceText(value)]],
    ),
  );
}

/** Of which every line that a row takes has one. */
export const PROGRAM_WORDS: readonly string[] = [
  ...catalog.words,
  ...CEPH_WORDS,
  ...PDU_WORDS,
  ...SWITCH_WORDS,
  ...BMC_WORDS,
  ...IPMIEVD_WORDS,
  ...cluster.rows.flatMap(({ words }) => words),
];

/** Of which every line has one that a row of the program takes for this kind, in a log of its own. */
export function wordsOfKind(program: string, kind: Kind): string[] {
  const rows = PROGRAM_ROWS.filter((row) => row.program === program && row.kind === kind && row.bare === true);
  return [...new Set(rows.flatMap(({ words = [] }) => words))];
}

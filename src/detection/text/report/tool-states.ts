// Reads what tools print of the states of disks, arrays, ports, services and file systems, by catalog/tool-states.json.

import catalog from '#catalog/tool-states.json' with { type: 'json' };
import { type Component, canonicalPciAddress } from '../../../model/component.ts';
import type { AttributeValue } from '../../../model/event.ts';
import type { Kind } from '../../../model/kind.ts';
import type { Severity } from '../../../model/severity.ts';
import { evidenceText } from '../evidence.ts';
import { unitFinding } from '../kernel/unit-line.ts';
import { placesOf } from '../programs/nodes.ts';
import { NOTHING, type Reported, type ReportedFinding, type ReportReader } from './report.ts';

type Of = 'disk' | 'nic' | 'gpu' | 'host' | 'unit' | 'job';

type Groups = Readonly<Record<string, string | undefined>>;

interface Row {
  readonly line: string;
  readonly kind: Kind;
  readonly severity?: Severity;
  readonly of?: Of;
  /** What lines before it must have set. */
  readonly with?: Groups;
  readonly attributes?: Readonly<Record<string, AttributeValue>>;
}

interface Tool {
  readonly tool: string;
  readonly opens?: string;
  readonly words: readonly string[];
  readonly sets?: readonly string[];
  /** What follows the row, to the end of its block, says more of it: when it was, and where. */
  readonly holds?: boolean;
  readonly rows: readonly Row[];
}

const whole = (pattern: string): RegExp => new RegExp(`^(?:${pattern})$`);
// Held against kinds and severities by test/detection/text/report/tool-states.test.ts.
const TOOLS = (catalog.tools as readonly Tool[]).map(({ tool, opens, words, sets = [], holds = false, rows }) => ({
  tool,
  holds,
  opens: opens === undefined ? null : whole(opens),
  words,
  sets: sets.map(whole),
  rows: rows.map((row) => ({ row, form: whole(row.line) })),
}));
/** Of which every line that begins the output of a tool, or is all of it, has one. */
export const TOOL_WORDS: readonly string[] = TOOLS.flatMap(({ words }) => words);
const ALONE = TOOLS.filter(({ opens }) => opens === null);
/** So many lines without anything of the tool's own are of another. */
const MOST_LINES = 200;
const MOST_LINE = 512;
/** "sda" of "/dev/sda1", "nvme0" of "/dev/nvme0n1p2". */
const DISK = /^(?:\/dev\/)?(?:(nvme\d{1,5})(?:n\d{1,5}(?:p\d{1,3})?)?|((?:sd|vd|xvd|hd)[a-z]{1,4})\d{0,3})$/;

export class ToolStates implements ReportReader {
  readonly form = 'tool_state';
  readonly #host: string;
  #tool: (typeof TOOLS)[number] | null = null;
  #known: Groups = {};
  #lines = 0;
  /** Of a tool that holds its rows, until all of its block is read. */
  #held: { readonly tool: string; readonly row: Row; readonly groups: Groups; readonly line: string } | null = null;

  constructor(host: string) {
    this.#host = host;
  }

  /** The lines that follow may be of a tool, whatever words they have. */
  get open(): boolean {
    return this.#tool !== null;
  }

  take(line: string): Reported | null {
    if (line.length > MOST_LINE) return null;
    return this.#inside(line) ?? this.#opened(line) ?? this.#found(ALONE, line);
  }

  end(): Reported {
    const held = this.#held;
    this.#held = null;
    if (held === null) return NOTHING;
    const { ended, nodes, ...groups } = { ...this.#known, ...held.groups };
    const finding = this.#finding(held.tool, held.row, groups);
    if (finding === null) return NOTHING;
    const when = ended === undefined ? {} : { timeMs: Date.parse(`${ended}Z`), zoned: false };
    const attributes = { ...finding.attributes, ...placesOf(nodes) };
    return { ...NOTHING, findings: [{ ...finding, ...when, attributes, lines: [held.line.trim()] }] };
  }

  #inside(line: string): Reported | null {
    const tool = this.#tool;
    if (tool === null) return null;
    this.#lines += 1;
    if (this.#lines > MOST_LINES) this.#tool = null;
    const set = tool.sets.map((form) => form.exec(line)?.groups).find((groups) => groups !== undefined);
    if (set !== undefined) this.#known = { ...this.#known, ...set };
    const found = this.#found([tool], line);
    if (found !== null || set !== undefined) this.#lines = 0;
    return found ?? (set === undefined ? null : NOTHING);
  }

  #opened(line: string): Reported | null {
    for (const tool of TOOLS) {
      const found = tool.words.some((word) => line.includes(word)) ? tool.opens?.exec(line) : undefined;
      if (found === undefined || found === null) continue;
      // Of what is read as a whole the heading of its table begins nothing new.
      if (tool.tool === `${this.#tool?.tool}, a part of it`) return null;
      const before = this.#held === null ? null : this.end();
      this.#tool = tool;
      this.#known = found.groups ?? {};
      this.#lines = 0;
      // What one tool takes for its heading may be a line of another.
      return before;
    }
    return null;
  }

  #found(tools: readonly (typeof TOOLS)[number][], line: string): Reported | null {
    for (const { tool, holds, rows } of tools)
      for (const { row, form } of rows) {
        const match = form.exec(line);
        if (match === null || !this.#has(row.with)) continue;
        if (holds) {
          this.#held = { tool, row, groups: { ...match.groups }, line };
          return NOTHING;
        }
        const finding = this.#finding(tool, row, { ...this.#known, ...match.groups });
        return finding === null ? NOTHING : { ...NOTHING, findings: [finding] };
      }
    return null;
  }

  #has(wanted: Groups = {}): boolean {
    return Object.entries(wanted).every(([name, value]) => this.#known[name] === value);
  }

  #finding(tool: string, { kind, severity, of, attributes }: Row, groups: Groups): ReportedFinding | null {
    const values = { tool, ...attributes, ...valuesOf(groups) };
    if (of === 'unit') {
      const found = unitFinding(groups.unit ?? '', groups.result, this.#host);
      return found === null ? null : { ...found, attributes: { ...found.attributes, tool } };
    }
    return {
      kind,
      component: this.#component(of, groups),
      ...(severity === undefined ? {} : { severity }),
      attributes: values,
      discriminator: Object.values(values).join(' '),
    };
  }

  /** A number of a GPU is not an address: which one it is, nothing says. */
  #component(of: Of | undefined, groups: Groups): Component | null {
    const host = this.#host;
    const address = of === 'gpu' ? canonicalPciAddress(groups.address ?? '') : null;
    if (address !== null) return { type: 'gpu', id: address, host };
    if (of === 'gpu') return null;
    if (of === 'job' && groups.job !== undefined) return { type: 'job', id: groups.job };
    if (of === 'host' && groups.node !== undefined) return { type: 'host', id: groups.node };
    const [, nvme, letters] = of === 'disk' ? (DISK.exec(groups.device ?? '') ?? []) : [];
    const disk = nvme ?? letters;
    if (disk !== undefined) return { type: 'disk', id: disk, host, parent: `host/${host}` };
    if (of === 'nic' && groups.name !== undefined) return { type: 'nic', id: groups.name, host: groups.node ?? host };
    // A port of a switch has a number.
    const at = groups.node ?? groups.switch;
    if (of === 'nic' && groups.port !== undefined && at !== undefined)
      return { type: 'nic', id: groups.port, host: at };
    return { type: 'host', id: host };
  }
}

function valuesOf(groups: Groups): Record<string, AttributeValue> {
  return Object.fromEntries(
    Object.entries(groups).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, /^\d{1,15}$/.test(value) ? Number(value) : evidenceText(value)]],
    ),
  );
}

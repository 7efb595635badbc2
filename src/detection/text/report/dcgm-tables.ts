// Reads the tables of `dcgmi discovery`, `dcgmi health --check` and `dcgmi diag`, its JSON, and the lines of nv-hostengine that say the same.

import catalog from '#catalog/dcgm-messages.json' with { type: 'json' };
import { type Component, canonicalPciAddress, componentText } from '../../../model/component.ts';
import { type Kind, kindInfo } from '../../../model/kind.ts';
import { compareSeverity, type Severity } from '../../../model/severity.ts';
import { evidenceText } from '../evidence.ts';
import { xidInfo } from '../xid.ts';
import { NOTHING, type Reported, type ReportedFinding, type ReportReader } from './report.ts';

interface MessageRow {
  readonly has: readonly string[];
  readonly kind: Kind;
  readonly severity?: Severity;
  readonly action?: string;
  /** What it is, where the title of the kind does not say it. */
  readonly says?: string;
}

const MESSAGES = (catalog.messages as readonly MessageRow[]).map((row) => ({ ...row, has: row.has.map(squeezed) })); // held against its lists by test/catalog/reports.test.ts
const XID = new RegExp(squeezed(catalog.xid));
const HARDWARE = new Set<string>(catalog.hardware_tests);
const OPENS = /^\| (?:Diagnostic +\| Result|Health Monitor Report|GPU ID +\| Device Information) +\|/;
const RULE = /^[+|][-=+ ]*(?:----- {2}\w[\w ]{0,20} {2}-*)?[-=+|]*$/;
const ROW = /^\| (.{1,40}?) \| (.{1,400}) \|\s*$/;
const TITLE = /^\| \S.{0,120} \|\s*$/;
const REMEDIES = catalog.remedies.map(({ says, action }) => ({ says: new RegExp(says), action }));
const MOST_SAID = 160;
/** "GPU3: Fail", and "Fail - GPUs: 3, 5" of DCGM 2 and 3. */
const RESULT =
  /^GPU(\d{1,3}): (Pass|Warn|Fail|Skip)$|^(Fail|Warn) - (?:All|GPUs?: ([\d, ]{1,40}))$|^(Pass|Fail|Warn|Skip)\b/;
const ENTITY = /(?:GPU|entity_id"? ?:) ?(\d{1,3})\b/;
const JSON_WARNING = /^\s*"warning" : "(.{1,600})",?\s*$/;
const ENGINE = /\[\[(?:Health|Diag|NVVS)\]\] .{0,80}?'(.{1,600})/;
/** A message by itself, from its first word, as exporters and conditions of nodes pass it on. */
const STATED =
  /^(?:GPU \d{1,3}(?:'s NvLink link \d{1,3} is currently down| (?:has fallen off the bus|had (?:un)?[\w ]{0,24}memory errors and|exceeded uncorrectable row remap limit|is running at PCI link (?:width|generation)))|Detected (?:\d{1,12} volatile double-bit ECC error|clocks event due to (?:thermal|power) violation in GPU|XID \d{1,4} for GPU|fatal (?:errors on NvSwitch|NvSwitch SXID))|A (?:pending retired page|corrupt InfoROM) has been detected in GPU|Pending page retirements together with a DBE).{0,500}$/;
/** What `dcgmi health` watches of a GPU: "Memory system", "NVLINK system". */
const SYSTEM = /^\w[\w -]{1,30} system$/i;
/** No table of dcgmi is wider; what is pasted may have its lines joined. */
const MOST_ROW = 512;
const MOST_MESSAGE = 1024;
/** Of a test that failed, with what its warning says. */
const MOST_LINES = 4;

interface Message {
  readonly gpu: string | null;
  text: string;
  /** As it is in the lines, so far. */
  said: string;
  reported: boolean;
}

export class DcgmTables implements ReportReader {
  readonly form = 'dcgm';
  readonly #host: string;
  /** As `dcgmi discovery` lists them: the addresses of the GPUs by DCGM's own numbers. */
  readonly #gpus = new Map<string, string>();
  #open = false;
  #listed = '';
  #test = '';
  #gpu: string | null = null;
  #message: Message | null = null;
  /** What `dcgmi health` makes of the system that the messages are of. */
  #health: 'Failure' | 'Warning' | null = null;
  /** GPUs that failed the test, until a message says why. */
  #failed: {
    readonly test: string;
    readonly gpu: string | null;
    readonly lines: string[];
    readonly isHealth?: boolean;
    /** What the message that no row has says, and its own words without blanks. */
    said?: string;
    text?: string;
  }[] = [];
  #line = '';

  constructor(host: string) {
    this.#host = host;
  }

  take(line: string): Reported | null {
    if (!line.startsWith('|') && !line.startsWith('+')) return this.#alone(line);
    if (line.length > MOST_ROW) return null;
    this.#line = line;
    if (OPENS.test(line)) {
      this.#open = true;
      this.#health = null;
      return NOTHING;
    }
    // An excerpt may begin below the head: a test of the diagnostic and its result are in no other table.
    this.#open ||= isResult(line);
    if (!this.#open) return null;
    if (RULE.test(line)) return { ...NOTHING, findings: this.#unexplained() };
    const [, name, value] = ROW.exec(line) ?? [];
    if (name === undefined || value === undefined) return TITLE.test(line) ? NOTHING : null;
    return this.#row(name.trim(), value);
  }

  /** Of a table that was cut behind a test that failed. */
  end(): Reported {
    return { ...NOTHING, findings: this.#unexplained() };
  }

  #row(name: string, value: string): Reported {
    if (/^\d{1,3}$/.test(name)) this.#listed = name;
    const address = /^PCI Bus ID: (\S{7,16})\s*$/.exec(value)?.[1];
    if (address !== undefined) {
      const id = canonicalPciAddress(address);
      if (id !== null) this.#gpus.set(this.#listed, id);
      return NOTHING;
    }
    if (name === '') return this.#below(value);
    this.#message = null;
    const warned = /^(Warning|Info|Error(?!s))(?:: GPU(\d{1,3})|- GPU (\d{1,3}))?/.exec(name);
    if (warned !== null) {
      if (warned[1] === 'Info') return NOTHING;
      return this.#begin(warned[2] ?? warned[3] ?? ENTITY.exec(name)?.[1] ?? null, value);
    }
    return this.#named(name.replace(/^(?:-> )+/, ''), value.trim());
  }

  /** A test and its result, an entity or a system of the health report. */
  #named(name: string, value: string): Reported {
    const findings = this.#unexplained();
    if (/^\d{1,3}$/.test(name)) this.#gpu = name;
    else if (name !== 'Errors') this.#test = name;
    if (SYSTEM.test(name)) this.#health = value === 'Failure' || value === 'Warning' ? value : null;
    if (value === 'Failure' && SYSTEM.test(name) && this.#gpu !== null)
      this.#failed.push({ test: name, gpu: this.#gpu, lines: [this.#line], isHealth: true });
    return { ...NOTHING, findings: [...findings, ...this.#result(value)] };
  }

  #result(value: string): ReportedFinding[] {
    const [, gpu, result, older, numbers] = RESULT.exec(value) ?? [];
    if (result === 'Fail' && gpu !== undefined) this.#failed.push({ test: this.#test, gpu, lines: [this.#line] });
    if (older === 'Fail')
      for (const each of (numbers ?? '').split(/, */))
        this.#failed.push({ test: this.#test, gpu: each || null, lines: [this.#line] });
    return [];
  }

  /** A row without a name: the result of a GPU, or more of the message above. */
  #below(value: string): Reported {
    const gpu = /^GPU(\d{1,3}): (?:Pass|Warn|Fail|Skip|Not Run)\s*$/.exec(value)?.[1];
    if (gpu !== undefined) {
      this.#message = null;
      this.#gpu = gpu;
      const findings = this.#unexplained();
      this.#result(value.trim());
      return { ...NOTHING, findings };
    }
    // "Fail - GPU: 0" below "Pass - GPU: 1" of the same test.
    if (/^(?:Pass|Fail|Warn|Skip) - (?:All|GPUs?: [\d, ]{1,40})\s*$/.test(value)) {
      this.#message = null;
      this.#result(value.trim());
      return NOTHING;
    }
    if (this.#message === null) return this.#begin(this.#gpu, value);
    if (this.#message.text.length < MOST_MESSAGE) {
      this.#message.text += squeezed(value);
      this.#message.said += ` ${value.trim()}`;
    }
    return this.#report(this.#message);
  }

  #begin(gpu: string | null, value: string): Reported {
    this.#message = { gpu, text: squeezed(value), said: value.trim(), reported: false };
    return this.#report(this.#message);
  }

  #alone(line: string): Reported | null {
    const text = JSON_WARNING.exec(line)?.[1] ?? ENGINE.exec(line)?.[1] ?? STATED.exec(line)?.[0];
    if (text === undefined) return null;
    this.#message = null;
    return this.#report({ gpu: null, text: squeezed(text), said: text.trim(), reported: false });
  }

  #report(message: Message): Reported {
    if (message.reported) return NOTHING;
    const gpu = /GPU(\d{1,3})(?!\d)/.exec(message.text)?.[1] ?? message.gpu;
    const xid = Number(XID.exec(message.text)?.[1] ?? Number.NaN);
    const row = Number.isNaN(xid)
      ? MESSAGES.find(({ has }) => inOrder(message.text, has))
      : (xidInfo(xid) ?? undefined);
    if (row === undefined) {
      this.#keep(gpu, message);
      return NOTHING;
    }
    message.reported = true;
    const failed = this.#failed.find((each) => each.gpu === null || gpu === null || each.gpu === gpu);
    const of =
      failed === undefined || failed.isHealth === true ? {} : { diagnosis: failed.test, said: saidIn(message.said) };
    this.#failed = this.#failed.filter((failed) => failed.gpu !== null && gpu !== null && failed.gpu !== gpu);
    const says = 'says' in row && row.says !== undefined ? { says: row.says } : {};
    const as = { ...row, ...this.#severityOf(row) };
    const more = { ...of, ...(Number.isNaN(xid) ? says : { xid }) };
    return { ...NOTHING, findings: [this.#finding(as, gpu, more)] };
  }

  /** As grave as DCGM itself finds the system that it is of, where it does: its warning is not made worse here. */
  #severityOf({ kind, severity = kindInfo(kind).severity }: Pick<MessageRow, 'kind' | 'severity'>): {
    severity?: Severity;
  } {
    if (this.#health === 'Warning' && compareSeverity(severity, 'warning') > 0) return { severity: 'warning' };
    return this.#health === 'Failure' && compareSeverity(severity, 'error') < 0 ? { severity: 'error' } : {};
  }

  /** In words that no row has it still says what the test found. */
  #keep(gpu: string | null, { said, text }: Message): void {
    for (const failed of this.#failed) {
      if (failed.gpu !== null && gpu !== null && failed.gpu !== gpu) continue;
      failed.said = said;
      failed.text = text;
      if (failed.lines.length < MOST_LINES) failed.lines.push(this.#line);
    }
  }

  /** Of tests of hardware that failed, and no message said what of it. */
  #unexplained(): ReportedFinding[] {
    const failed = this.#failed.filter(
      ({ test, isHealth }) => isHealth === true || HARDWARE.has(test.toLowerCase().replaceAll('_', ' ')),
    );
    this.#failed = [];
    return failed.map(({ test, gpu, lines, isHealth, said, text = '' }) => {
      const remedy = REMEDIES.find(({ says }) => says.test(text));
      const row = { kind: 'gpu.fault', severity: 'error', ...(remedy === undefined ? {} : { action: remedy.action }) } as const; // biome-ignore format: one row
      const more = {
        test,
        result: isHealth ? 'Failure' : 'Fail',
        ...(said === undefined ? {} : { said: saidIn(said) }),
      };
      return { ...this.#finding(row, gpu, more), lines };
    });
  }

  #finding(
    { kind, severity, action }: Pick<MessageRow, 'kind' | 'severity' | 'action'>,
    gpu: string | null,
    more: Readonly<Record<string, string | number>>,
  ): ReportedFinding {
    const component = this.#component(kind, gpu);
    const attributes = {
      reported_as: 'dcgm',
      ...(gpu === null ? {} : { dcgm_gpu: Number(gpu) }),
      ...(action === undefined ? {} : { action }),
      ...more,
    };
    return {
      kind,
      component,
      attributes,
      ...(severity === undefined ? {} : { severity }),
      discriminator: component === null ? `gpu ${gpu ?? ''}` : componentText(component),
    };
  }

  /** DCGM's number of a GPU is not an address: without the list of `dcgmi discovery` the GPU stays unnamed. */
  #component(kind: Kind, gpu: string | null): Component | null {
    const id = gpu === null ? undefined : this.#gpus.get(gpu);
    if (id === undefined || !/^(?:gpu|pcie|nvlink)\./.test(kind)) return null;
    return { type: 'gpu', id, host: this.#host };
  }
}

function isResult(line: string): boolean {
  const [, name = '', value = ''] = ROW.exec(line) ?? [];
  return HARDWARE.has(name.trim().toLowerCase()) && RESULT.test(value.trim());
}

/** "GPU 6 running at PCI link width 8, …" of "Error in GPU 6's PCIe link: GPU 6 running at PCI link width 8, … (parameter min_pci_width)." */
function saidIn(text: string): string {
  const said = text
    .replace(/^[^:]{0,40}: /, '')
    .replace(/ ?\(parameter [^)]{0,40}\)\.?/, '')
    .replace(/,? which is (below|above) the (?:min|max)imum (?:allowed )?(?:\w+ ){0,4}of (\d+)/, ', $1 $2');
  return evidenceText(said.slice(0, MOST_SAID));
}

function squeezed(text: string): string {
  return text.replace(/ +/g, '');
}

function inOrder(text: string, words: readonly string[]): boolean {
  let from = 0;
  for (const word of words) {
    const at = text.indexOf(word, from);
    if (at < 0) return false;
    from = at + word.length;
  }
  return true;
}

// Reads what scontrol and sinfo print of nodes that are out of service: the reason that Slurm gives, not one that a person wrote.

import { reasonFinding } from '../programs/node-reasons.ts';
import { NOTHING, type Reported, type ReportReader } from './report.ts';

/** "NodeName=gx-004 Arch=x86_64 CoresPerSocket=64": the head of what is shown. */
const NAME = /^\s{0,4}NodeName=([A-Za-z0-9][\w.-]{0,127})(?:\s|$)/;
/** "   Reason=Not responding [slurm@2026-11-28T12:00:24]", the whole of a line or of what one line has of a node. */
const REASON = /(?:^|\s)Reason=([^\n]{1,400}?)\[[\w.-]{1,64}@\d{4}-\d\d-\d\dT[\d:]{8}\]/;
const STATE = /(?:^|\s)State=([A-Z+*_()~#!%$@^-]{2,80})/;
/** A drained node is out of service; one that idles keeps the reason of last time. */
const OUT = /DOWN|DRAIN|FAIL|INVAL|NOT_RESPONDING|NO_RESPOND/;
const TABLE = /^REASON\s{1,40}USER\s{1,40}TIMESTAMP\s{1,40}(?:STATE\s{1,20})?NODELIST/;
/** "gres/gpu count repor slurm     2026-11-28T12:00:24 gx-004": sinfo -R cuts the reason at 20 letters unless it is asked for more. */
const ROW =
  /^(\S.{1,200}?)\s{1,40}[\w.-]{1,32}\(?\d{0,10}\)?\s{1,40}(?:\d{4}-\d\d-\d\dT[\d:]{8}|Unknown)\s{1,40}(?:[a-z*]{2,16}\s{1,20})?([A-Za-z0-9][\w.,[\]-]{0,255})\s*$/;
/** What a reason becomes that was cut. */
const CUT: readonly (readonly [begins: string, whole: string])[] = [
  ['gres/gpu count repor', 'gres/gpu count reported lower than configured (0 < 1)'],
  ['gres/gpu count too l', 'gres/gpu count too low (0 < 1)'],
  ['Node unexpectedly re', 'Node unexpectedly rebooted'],
  ['batch job complete f', 'batch job complete failure'],
];

export class SlurmNodes implements ReportReader {
  readonly form = 'slurm';
  readonly #host: string;
  #node: string | null = null;
  #out = true;
  #table = false;

  constructor(host: string) {
    this.#host = host;
  }

  take(line: string): Reported | null {
    if (TABLE.test(line)) {
      this.#table = true;
      return NOTHING;
    }
    const node = NAME.exec(line)?.[1];
    if (node !== undefined) {
      this.#node = node;
      this.#out = true;
    }
    const state = STATE.exec(line)?.[1];
    if (state !== undefined && this.#node !== null) this.#out = OUT.test(state);
    const reason = REASON.exec(line)?.[1];
    if (reason !== undefined) return this.#out ? this.#reported(reason, this.#node ?? this.#host) : NOTHING;
    const [, cut, nodes] = this.#table ? (ROW.exec(line) ?? []) : [];
    if (cut !== undefined && nodes !== undefined) return this.#reported(wholeOf(cut), nodes);
    return node === undefined ? null : NOTHING;
  }

  #reported(reason: string, node: string): Reported {
    const finding = reasonFinding(reason, node);
    return finding === null ? NOTHING : { ...NOTHING, findings: [finding] };
  }
}

function wholeOf(reason: string): string {
  return CUT.find(([begins]) => begins === reason)?.[1] ?? reason;
}

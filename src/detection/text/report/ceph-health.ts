// Reads the health of a Ceph cluster where it has no line of a log: under the head of `ceph -s`, whose lines have no code, and in JSON.

import { CEPH_CHECKS } from '../../../model/ceph-checks.ts';
import { evidenceText } from '../evidence.ts';
import type { StateFinding } from '../kernel/finding.ts';
import { cephFinding } from '../programs/ceph-health.ts';

/** The head of what `ceph health detail` and `ceph -s` print. */
const HEAD = /^(\s{0,16})(?:health: )?HEALTH_(?:WARN|ERR|OK)\b/;
const BELOW = /^( {4,24})(\S.{3,400}?)\s*$/;
const IN_JSON = /^\s{0,32}"checks":\s{0,4}\{\s*$/;
const CODE = /^\s{2,40}"([A-Z][A-Z0-9_]{3,47})":\s{0,4}\{\s*$/;
const MESSAGE = /^\s{4,48}"message":\s{0,4}"((?:[^"\\]|\\.){3,400})",?\s*$/;
const OTHER_JSON = /^\s{0,64}(?:"[^"]{1,400}"(?::.{0,400})?|[\]}{[]{1,2}),?\s*$/;

const LISTED = /^\s{0,8}(?:\(MUTED[^)]{0,80}\) )?\[(?:WRN|ERR)\] [A-Z]/;
/** "    osd.12 is full", "    osd.14 is near full", "    osd.3 (root=default,host=stor-4) is down"; before Ceph 12 "osd.3 is full at 97%" */
const PART = /^\s{0,24}(osd\.\d{1,6})(?: \([\w=,.:-]{1,200}\))? is (full|near ?full|down)(?: at \d{1,3}%)?\s*$/;
const OF_PARTS: Readonly<Record<string, string>> = {
  'osd full': 'OSD_FULL',
  'osd near full': 'OSD_NEARFULL',
  'osd nearfull': 'OSD_NEARFULL',
  'osd down': 'OSD_DOWN',
};

/** Of each check, its example without numbers and what follows them: "Degraded data redundancy", "#/# mons down". */
const CODES = new Map(CEPH_CHECKS.map(({ codes, example }) => [signOf(example), codes[0] ?? '']));

function signOf(message: string): string {
  return message.replace(/\d+(?:\.\d+)?/g, '#').split(/: | \(|,/, 1)[0] ?? '';
}

export class CephHealth {
  readonly #host: string;
  /** Blanks before the head of a status whose checks follow. */
  #under: number | null = null;
  #json = false;
  /** A check was listed, and what it is about may be below. */
  #detail = false;
  /** The check of the object that is open. */
  #code: string | null = null;

  constructor(host: string) {
    this.#host = host;
  }

  /** The next line may be of it, whatever its words. */
  get open(): boolean {
    return this.#under !== null || this.#json || this.#detail;
  }

  /** Null where the line is none of it. `known`: it was read by its own words. */
  take(line: string, known: boolean): readonly StateFinding[] | null {
    const part = this.#detail ? this.#part(line) : null;
    this.#detail = LISTED.test(line) || HEAD.test(line) || (this.#detail && (BELOW.test(line) || PART.test(line)));
    if (part !== null) return part;
    const head = HEAD.exec(line)?.[1];
    if (head !== undefined) {
      this.#under = head.length;
      return [];
    }
    if (IN_JSON.test(line)) {
      this.#json = true;
      this.#code = null;
      return [];
    }
    if (this.#json) return this.#inJson(line);
    const [, blanks = '', said = ''] = this.#under === null ? [] : (BELOW.exec(line) ?? []);
    if (this.#under === null || blanks.length <= this.#under) {
      this.#under = null;
      return null;
    }
    const code = known ? undefined : CODES.get(signOf(said));
    return code === undefined ? null : this.#of(code, said);
  }

  /** "    osd.12 is full", below its check. */
  #part(line: string): readonly StateFinding[] | null {
    const [, part = '', state = ''] = PART.exec(line) ?? [];
    const code = part === '' ? undefined : OF_PARTS[`${part.split('.', 1)[0]} ${state}`];
    if (code === undefined) return null;
    return this.#of(code, `1 ${state}`).map((finding) => ({
      ...finding,
      attributes: { ...finding.attributes, part: evidenceText(part) },
    }));
  }

  #inJson(line: string): readonly StateFinding[] | null {
    const code = CODE.exec(line)?.[1];
    if (code !== undefined) this.#code = code;
    const message = MESSAGE.exec(line)?.[1];
    if (message !== undefined && this.#code !== null) {
      const found = this.#of(this.#code, message);
      this.#code = null;
      return found;
    }
    if (code === undefined && !OTHER_JSON.test(line)) {
      this.#json = false;
      return null;
    }
    return [];
  }

  #of(code: string, message: string): readonly StateFinding[] {
    const found = cephFinding(`[WRN] ${code}: ${message}`, this.#host);
    return found === null ? [] : [found];
  }
}

// Host in path: the host that the path of a saved log names: the report of a host, its folder in a must-gather, or the file itself.

import names from '#catalog/log-names.json' with { type: 'json' };

/** "sosreport-gx-07-2026-11-28-abcdefg", with the number of a case before the date; "sosreport-gx-07.12345-20261128". */
const REPORT =
  /^sosreport-([A-Za-z0-9][\w.-]{0,120}?)(?:\.\w{1,20})?(?:-\d{6,12})?-(?:\d{4}-\d\d-\d\d-[a-z]{7}|\d{8,14})(?:\.|$)/;
/** A folder for each host below one of these. */
const FOLDERS = /^(?:(?:by|per)[-_])?(?:nodes?|hosts?|machines?)$/i;
/** In an archive a folder may be called anything. */
const BELOW = /^[A-Za-z0-9][\w.:-]{0,252}$/;
/** A day, or all that is left of it. */
const NO_FOLDER = /^(?:[\d:_-]+|all|logs?)$/i;

/** Between the words of a name. */
const GAP = '[-_.@ ]';
const anyOf = (words: readonly string[]): string => `(?:${words.join('|').replace(/\./g, `${GAP}?`)})`;
/** What the log is, of one machine: its kernel's, that of a daemon or a tool there. */
const MACHINE = anyOf(names.machine);
const DEVICES = anyOf([...names.devices, ...names.machine]);
/** A job's or a service's: it may be of several hosts, and what is behind it a model or a run. */
const PROGRAM = anyOf(names.programs);
/** How it was asked for. */
const HOW = anyOf(names.how);

const ENDINGS =
  /(?:\.(?:gz|xz|bz2|zst|zstd|zip|txt|text|log|out|err|json|xml|csv|tsv|ya?ml|html?|md|latest|previous|\d{1,2}))+$/i;
const DAY = '(?:19|20)\\d\\d-?(?:0\\d|1[0-2])-?[0-3]\\d(?:[-_.T]?\\d\\d[-:_]?\\d\\d(?:[-:_]?\\d\\d)?Z?)?';
const MONTH = '(?:jan|feb|mar|apr|may|june?|july?|aug|sept?|oct|nov|dec)[a-z]*';
/** "28.11.2026", "28Nov2026", "2026-Nov-28". */
const SAID_DAY = `(?:[0-3]?\\d[-_.]?(?:${MONTH}|[-_.][01]?\\d[-_.])[-_.]?20\\d\\d|20\\d\\d[-_.]?${MONTH}[-_.]?[0-3]?\\d)`;
const DAYS = new RegExp(`^(?:${DAY}|${SAID_DAY})${GAP}|${GAP}(?:${DAY}|${SAID_DAY})$`, 'i');
/** "(2)", "-2", "-0312" behind what the log is: the copy, the part, the hour. */
const COPY = new RegExp(
  `(?<=(?:^|${GAP})(?:${MACHINE}|${PROGRAM}|${HOW}))${GAP}?(?:${GAP}\\d{1,6}|\\(\\d{1,3}\\))$`,
  'i',
);
/** "-0312" behind a host's own number. */
const HOUR = new RegExp(`(?<=\\d)${GAP}(?:[01]\\d|2[0-3])[0-5]\\d$`);
/** The number of a job, which Slurm puts before the name of the node. */
const JOB = new RegExp(`(?:^|^.*${GAP})(?:job|slurm)?\\d{3,12}(?:_\\d{1,7})?${GAP}(?=[A-Za-z])`);
const JOB_BEHIND = new RegExp(`${GAP}(?:${PROGRAM}|jobid)${GAP}?\\d{1,12}(?:_\\d{1,7})?$`, 'i');

/** The rank or the share of the work that a log is of. */
const PART = new RegExp(`${GAP}(?:(?:local${GAP}?)?rank|[tpde]p|part|try|attempt)${GAP}?\\d{1,4}$`, 'i');

/** Hosts of a cluster are numbered; the rest tells logs of one host apart. */
const HOST = /^(?=.*[A-Za-z])(?=.*\d)[A-Za-z0-9][A-Za-z0-9.-]{0,252}$/;
const OTHER = new RegExp(
  `^(?:(?:${names.numbered.join('|')})[-_.]?\\d+|${names.products.join('|')}|\\d+(?:th|st|nd|rd|d|h|m|s|am|pm)|.*\\d{8}.*|\\d{4}-\\d\\d-\\d\\d.*|${MONTH}[-_.]?\\d+|\\d+[-_.]?${MONTH})$`,
  'i',
);
/** A whole name that is hardly anything else: "gx-07", "dgx-pod-112.example.com", "dgx-h100-03", "ip-10-1-0-41"; what has more numbers is a note as well. */
const ALONE =
  /^(?:[a-z]+(?:\d{1,4}(?=-))?(?:-[a-z]+(?:\d{1,4}(?=-))?)*-?\d{2,6}|ip-\d{1,3}-\d{1,3}-\d{1,3}-\d{1,3}|r(?:ack)?\d{1,3}-?n(?:ode)?\d{1,4})(?:\.[a-z][\w.-]*)?$/i;
/** "-remap-pending" behind "gx-35": words that whoever saved it put there. */
const NOTE = /(?<=^[a-z]{2,}(?:-[a-z]+\d{0,4}){0,3}-?\d{2,5})(?:[-_@ ]+[a-z]+)+$/i;
/** The end of a name in a domain; where it is of one label only, none that a country has: "gx-35.ib" is a note. */
const DOMAIN = new RegExp(`\\.(?:${names.domains.join('|')})$|\\.[a-z][\\w-]*\\.[a-z]{2}$`, 'i');
/** A model, a run, a setting of either. */
const RUN = new RegExp(
  `(?:^|[-.])(?:${names.models.join('|')})(?:\\d|[-.]|$)|(?:^|-)(?:${names.products.join('|')})$|^${PROGRAM}-?\\d+$`,
  'i',
);

/** No file system has a longer name; that of a member of an archive may be of any length. */
const LONGEST_NAME = 255;

/** The host, and whether only the name of a job's or a service's log says it. */
export interface HostOfPath {
  readonly host: string;
  readonly ofProgram: boolean;
}

/** Null where no part of it does. `ofMachine`: nothing but a machine writes such a log, so that its whole name may be that of the machine. */
export function hostInPath(path: string, ofMachine = false): string | null {
  const found = hostOfPath(path, ofMachine);
  return found === null || (found.ofProgram && !ofMachine) ? null : found.host;
}

/** Besides, of what is a job's or a service's as its name says: "sglang-gx-30.log", "llama-77300-gx-30.out". */
export function hostOfPath(path: string, ofMachine = false): HostOfPath | null {
  const parts = path.split(/[/!]/).map((part) => part.replace(/#.*$/, ''));
  const name = parts.pop() ?? '';
  for (const [i, part] of [...parts.entries()].reverse()) {
    const reported = REPORT.exec(part)?.[1];
    if (reported !== undefined) return { host: reported, ofProgram: false };
    const below = parts[i + 1];
    if (FOLDERS.test(part) && below !== undefined && BELOW.test(below) && !NO_FOLDER.test(below))
      return { host: below, ofProgram: false };
  }
  if (name.length > LONGEST_NAME) return null;
  const stem = withoutEnds(name, ENDINGS, DAYS);
  const ofTool = hostOf(stripped(stem, MACHINE));
  if (ofTool !== null && isHostName(ofTool)) return { host: ofTool, ofProgram: false };
  const bare = withoutEnds(stem, JOB, JOB_BEHIND);
  const program = stripped(bare.replace(PART, ''), `(?:${PROGRAM}|${MACHINE})`);
  const ofProgram = hostOf(program ?? (bare === stem ? null : bare));
  if (ofProgram !== null && isAlone(ofProgram)) return { host: ofProgram, ofProgram: !ofMachine };
  const ofDevices = ofMachine && program === null ? hostOf((stripped(stem, DEVICES) ?? stem).replace(NOTE, '')) : null;
  if (ofDevices !== null && isAlone(ofDevices)) return { host: ofDevices, ofProgram: false };
  // "gx-35.restart-2.log", "gx-35_first_try.txt": behind another sign than a hyphen any words are a note.
  const words = stem.split(/[._@ ]/);
  const [first = '', ...others] = words.filter(isAlone);
  const isNoted = first === words[0] && words.length > 1 && others.length === 0 && !DOMAIN.test(stem);
  return isNoted ? { host: first, ofProgram: !ofMachine } : null;
}

/** More words than these has no host's name. */
const MOST_WORDS = 4;

/** The words in the name of the file that have the form of hosts that are known; null where none do, or several. */
export function hostInForm(path: string, isKnown: (name: string) => boolean): HostOfPath | null {
  const name = path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('!')) + 1);
  if (name.length > LONGEST_NAME) return null;
  const found = new Set<string>();
  for (const part of name.replace(ENDINGS, '').split(/[_.@ ()]+/)) {
    const words = part.split('-');
    for (let from = 0; from < words.length; from += 1)
      for (let to = from + 1; to <= Math.min(words.length, from + MOST_WORDS); to += 1) {
        const own = words.slice(from, to).join('-');
        if (isHostName(own) && isKnown(own)) found.add(own);
      }
  }
  const [host] = found;
  return found.size !== 1 || host === undefined ? null : { host, ofProgram: true };
}

/** Whether a name may well be that of a host of a cluster: a job's, a day's or a part's number is none. */
export function isHostName(name: string): boolean {
  return HOST.test(name) && !OTHER.test(name);
}

/** "gx-35" of "gx-35.remap" and "pending.gx-35": what is behind a dot is a note where no domain ends so. */
function hostOf(name: string | null): string | null {
  if (name === null || !name.includes('.') || DOMAIN.test(name)) return name;
  const [host, ...others] = name.split('.').filter(isHostName);
  return host === undefined || others.length > 0 ? null : host;
}

function isAlone(name: string): boolean {
  return ALONE.test(name) && isHostName(name) && !RUN.test(name);
}

function withoutEnds(name: string, ...ends: readonly RegExp[]): string {
  return ends.reduce((rest, end) => rest.replace(end, ''), name);
}

const STRIPS = new Map<string, { readonly before: RegExp; readonly behind: RegExp }>();

/** What is left of a name without what the log is, on either side, and how it was asked for; null where nothing says what it is. */
function stripped(stem: string, what: string): string | null {
  const strips = STRIPS.get(what) ?? {
    before: new RegExp(`^(?:${what})(?:${GAP}+(?:${what}|${HOW}))*${GAP}+(?=.)`, 'i'),
    behind: new RegExp(`${GAP}+(?:${what})(?:${GAP}+(?:${what}|${HOW}))*$`, 'i'),
  };
  STRIPS.set(what, strips);
  const whole = withoutEnds(stem, COPY, DAYS);
  const behind = whole.replace(strips.before, '');
  const both = behind.replace(strips.behind, '');
  if (both === whole) return null;
  return withoutEnds(behind === whole ? both : both.replace(ASKED, ''), DAYS, HOUR);
}

const ASKED = new RegExp(`${GAP}(?:${HOW})$`, 'i');

// Head: what a report says up to whom to call, in no more words than are read in half a minute; what has no room follows behind it.

import type { Incident } from '../../model/incident.ts';
import { mark } from '../../model/mark.ts';
import { plain } from '../../model/plain.ts';
import { runbookOf } from './advice.ts';
import { fewWords, MOST_WORDS, wordsIn } from './brief.ts';
import { noEffectText } from './no-effect.ts';
import { hostOnce, placeText } from './place.ts';
import { percentText } from './quantity.ts';
import type { ReportInput } from './report-input.ts';
import { effectText, lifeText, openText, rootText, seenText, shortId, unknownText } from './sentences.ts';
import { adviceText, type Row, stepRows } from './steps.ts';
import { whoseText } from './whose.ts';

export type HeadInput = Pick<ReportInput, 'incident' | 'nowMs' | 'timeZone' | 'nextTo' | 'first'> & {
  readonly place?: string | null | undefined;
  /** Folder of flight-recorder dumps that lie with what was read. */
  readonly dumps?: string | null | undefined;
};

export interface Head {
  /** The root in one sentence; without one what is seen, `No root cause yet. llama makes no progress`. */
  readonly root: string;
  /** Null of an incident without a root, which says it with the rest. */
  readonly effect: string | null;
  /** Null where no job is known, or it is behind. */
  readonly job: string | null;
  /** Of an incident without a root what it most likely is; else null. */
  readonly guess: string | null;
  readonly nextTo: readonly string[];
  /** What to do; without a root how it is found. */
  readonly does: string;
  /** Now, Call, and Then. */
  readonly steps: readonly Row[];
  readonly behind: readonly Row[];
}

/** What a head leaves out, one after the other, until it fits. */
interface Room {
  readonly root: number;
  readonly effect: number;
  /** Rows that may stand above the first step. */
  readonly job: boolean;
  readonly nextTo: boolean;
  readonly possible: boolean;
  /** The first step may end at any of its parts. */
  readonly tight: boolean;
}

const ALL: Room = { root: 32, effect: 32, job: true, nextTo: true, possible: true, tight: false };
const SMALLEST: Room = { root: 14, effect: 8, nextTo: false, possible: false, job: false, tight: true };
const ROOMS: readonly Room[] = [
  ALL,
  { ...ALL, root: 26, effect: 24, nextTo: false },
  { ...ALL, root: 26, effect: 20, nextTo: false, possible: false },
  { ...ALL, root: 26, effect: 12, nextTo: false, possible: false, job: false },
  { ...SMALLEST, root: 26, effect: 12 },
  { ...SMALLEST, root: 20, effect: 12 },
  SMALLEST,
  { ...SMALLEST, root: 10, effect: 5 },
  { ...SMALLEST, root: 7, effect: 5 },
];

/** The fullest that fits, else the shortest. */
export function headOf(input: HeadInput): Head {
  let head = inRoom(input, ALL);
  for (const room of ROOMS) {
    head = inRoom(input, room);
    if (wordsOf(input, head) <= MOST_WORDS) return head;
  }
  return head;
}

/** `INCIDENT 7f3c41`, with a mark where nothing real is behind it. */
export function titleOf({ incident }: Pick<ReportInput, 'incident'>): string {
  const made = mark(incident).trim();
  return `INCIDENT ${shortId(incident.id)}${made === '' ? '' : ` ${made}`}`;
}

/** `error`, `93 % sure`, `open, 1 min 47 s`. */
export function badgesOf({ incident, nowMs, place, timeZone }: HeadInput): readonly string[] {
  const life = place === null ? seenText(incident, timeZone) : lifeText(incident, nowMs);
  return [incident.severity, `${percentText(incident.confidence)} sure`, life];
}

function inRoom(input: HeadInput, room: Room): Head {
  const { incident, timeZone, place, first, dumps, nextTo = [] } = input;
  const whose = whoseText(incident);
  const job = (incident.whose?.length ?? 0) > 1 ? 'Jobs' : 'Job';
  const bare = incident.rootKnown ? known(input, room) : unknown(input, room);
  const head = {
    ...bare.head,
    job: room.job ? whose : null,
    nextTo: room.nextTo ? nextTo : [],
    behind: [
      ...bare.behind,
      ...(room.job || whose === null ? [] : [{ label: job, text: whose }]),
      ...(room.nextTo ? [] : nextTo.map((text) => ({ label: 'Next to it', text }))),
    ],
  };
  const fitted = room.tight ? { ...head, does: hostOnce(incident, head.does) } : head;
  const spent = wordsOf(input, { ...fitted, steps: [] });
  const steps = stepRows(incident, timeZone, place, { first, dumps: dumps ?? null, spent, tight: room.tight });
  return { ...fitted, steps };
}

type Bare = { readonly head: Omit<Head, 'job' | 'nextTo' | 'behind' | 'steps'>; readonly behind: readonly Row[] };

function known({ incident, nowMs, place, timeZone }: HeadInput, room: Room): Bare {
  const effect = effectText(incident, nowMs, '', room.effect);
  return {
    head: {
      root: shortRoot(incident, room.root),
      effect: effect === '' ? noEffectText(incident) : effect,
      guess: null,
      does: adviceText(incident, place, timeZone),
    },
    behind: [],
  };
}

function unknown({ incident, nowMs, place }: HeadInput, room: Room): Bare {
  const { what, lost, guess, possible, find } = unknownText(incident, nowMs, room.effect);
  const where = place === null && !room.tight ? ' in what was read' : '';
  const others = possible === '' ? '' : `; possible: ${possible}`;
  return {
    head: {
      root: `${openText(incident)}${where}. ${fewWords(what, room.root)}${lost === null ? '' : `; ${lost}`}`,
      effect: null,
      guess: room.possible ? `${guess}${others}` : guess,
      does: find,
    },
    behind: room.possible || possible === '' ? [] : [{ label: 'Possible', text: possible }],
  };
}

/** What the root's line has more of than fits; where it is comes last and is kept. */
function shortRoot(incident: Incident, most: number): string {
  const text = rootText(incident);
  const place = placeText(incident);
  return text.endsWith(place)
    ? fewWords(text.slice(0, text.length - place.length), most) + place
    : fewWords(text, most);
}

function wordsOf(input: HeadInput, { root, effect, job, guess, nextTo, does, steps }: Head): number {
  const upTo = steps.filter(({ label }) => label !== 'Then');
  const rows = [
    `${effect === null ? '' : 'Root cause '}${root}`,
    effect === null ? (guess ?? '') : `Effect ${effect}`,
    job === null ? '' : `Job ${job}`,
    nextTo.length === 0 ? '' : `Next to it ${nextTo.join(' ')}`,
    `${effect === null ? 'To find out' : 'Do'} ${does}`,
    `→ ${plain(runbookOf(input.incident.root.kind))}`,
    ...upTo.map(({ label, text }) => `${label} ${text}`),
  ];
  return wordsIn([titleOf(input), ...badgesOf(input), ...rows].join(' '));
}

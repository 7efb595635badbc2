// Sentences: what a report says of an incident — its life, root, effect, what to do — in every form that a report has.

import reports from '#catalog/reports.json' with { type: 'json' };
import type { Action } from '../../model/action.ts';
import { type Component, componentText } from '../../model/component.ts';
import { indexText, nameOf, nameText } from '../../model/component-name.ts';
import { couldHaveWritten } from '../../model/could-have-written.ts';
import { detailText } from '../../model/detail-text.ts';
import type { Impact, Incident } from '../../model/incident.ts';
import { hasRole, type Kind, kindEntry, kindInfo } from '../../model/kind.ts';
import { bareTitle } from '../../model/mark.ts';
import { plain } from '../../model/plain.ts';
import { isOfSwitch } from '../../model/switch-side.ts';
import { hostText } from '../../model/unnamed-host.ts';
import { actionText } from './advice.ts';
import { fewWords, wordsIn } from './brief.ts';
import { changeOf, limitOf } from './happening.ts';
import { kindStep } from './kind-step.ts';
import { lostText } from './lost.ts';
import { moreLost } from './lost-together.ts';
import { stormRoot } from './pause-storm.ts';
import { actOn, hostWords, ON_NODE, placeText, unnamedObject } from './place.ts';
import { plannedText } from './planned-down.ts';
import { changeText, percentText } from './quantity.ts';
import { refusedRoot } from './refused-joins.ts';
import { failedUnit } from './service-failed.ts';
import { sharedText } from './shared-by-hosts.ts';
import { lookFirst, silentBehind, silentRanks, silentText } from './silent-rank.ts';
import { objectText, specialOf } from './special.ts';
import { filled } from './special-step.ts';
import { switchRoot, withIt } from './switch-side.ts';
import { trialStep, trialText } from './trial.ts';
import { endedByOther } from './watchdog.ts';
import { clockText, dayText, durationText, otherDay } from './when.ts';

const MINUTE_MS = 60_000;
/** Things that one line names before it counts. */
export const LISTED = 12;

/** The first six digits: what people use of an id. */
export function shortId(id: string): string {
  return plain(id, 64).slice(0, 6);
}

/** `open, 1 min 47 s`, `resolved after 4 min, opened again twice`, `merged into 21ab09`. */
export function lifeText(incident: Incident, nowMs: number): string {
  const { mergedInto, state, openedMs, updatedMs, resolvedMs, reopened } = incident;
  if (mergedInto !== null) return `merged into ${shortId(mergedInto)}`;
  const again = reopened === 0 ? '' : `, opened again ${TIMES[reopened] ?? `${reopened} times`}`;
  if (state === 'open') return `open, ${durationText(nowMs - openedMs)}${again}`;
  return `resolved after ${durationText((resolvedMs ?? updatedMs) - openedMs)}${again}`;
}

/** Of what was read from saved text, which says neither that it lasts nor that it is over: `seen 2026-11-27 13:05:44 … 13:15:51, over 10 min`, `seen 2026-11-27 13:01:02`: such a text may be of any day. */
export function seenText({ root, events, evidence, openedMs, updatedMs }: Incident, timeZone: string): string {
  // What a tool prints of how things are has no time of its own.
  const isDated = events.some(({ attributes }) => attributes.tool === undefined && attributes.undated !== true);
  const printed = events.flatMap(({ id, timeMs, attributes }) => {
    const isOfRoot = id === root.eventId && !(isDated && attributes.undated === true);
    return !isOfRoot && (attributes.tool !== undefined || attributes.undated === true) ? [timeMs] : [];
  });
  // A line and its event may have the same time with other fractions.
  const isPrinted = (timeMs: number): boolean => printed.some((one) => Math.abs(one - timeMs) < 2);
  const own = events.filter(({ timeMs }) => !isPrinted(timeMs));
  // Of what came again and again the lines are evidence, and one event is for all.
  const lines = evidence.flatMap((one) => ('text' in one && one.timeMs <= updatedMs && !isPrinted(one.timeMs) ? [one.timeMs] : [])); // biome-ignore format: one list
  const times = own.flatMap(({ timeMs, interval }) => [Math.min(timeMs, interval.earliestMs), timeMs]);
  // A line may be dated by what is next to it, such as the start of the job whose end it tells.
  const [from, to] = [Math.min(openedMs, ...times), Math.max(openedMs, ...times, ...lines)];
  const first = `${dayText(from, timeZone)} ${clockText(from, timeZone)}`;
  const last = `${otherDay(to, from, timeZone)}${clockText(to, timeZone)}`;
  if (clockText(from, timeZone) === last) return `seen ${first}`;
  // Of less than a minute the two times say it themselves.
  const over = to - from < MINUTE_MS ? '' : `, over ${durationText(to - from)}`;
  return `seen ${first} … ${last}${over}`;
}

const TIMES: Readonly<Record<number, string>> = { 1: 'once', 2: 'twice' };

/** What is held to be the root in one sentence, with its numbers where the event is at hand. */
export function rootText(incident: Incident): string {
  const event = incident.events.find((each) => each.id === incident.root.eventId);
  const change = event === undefined ? null : changeOf([event]);
  const place = placeText(incident);
  const ofSwitch = switchRoot(incident) ?? refusedRoot(incident) ?? stormRoot(incident);
  if (ofSwitch !== null) return ofSwitch;
  if (event === undefined || change === null)
    return `${plain(bareTitle(incident))}${moreLost(incident)}${plannedText(incident)}${sharedText(incident)}${withIt(incident)}${place}`;
  const unsure = incident.unconfirmed === null || !incident.rootKnown ? '' : 'Unconfirmed: ';
  const { duration_ms: duration } = event.attributes;
  const lasted = typeof duration === 'number' ? ` for ${durationText(duration)}` : '';
  return `${unsure}${kindInfo(event.kind).title} on ${nameText(event.component)}: ${change}${lasted}${limitOf(event)}${place}`;
}

/** Equal effects on siblings as one: `llama rank 0…2, 4…7: collective timed out`. */
function impactTexts(all: readonly Impact[]): string[] {
  const impacts = all.filter((one) => !isSaidOfRank(one, all));
  const groups: { readonly what: string; readonly group: string; readonly indices: string[]; readonly text: string }[] =
    [];
  for (const impact of impacts) {
    const text = impactText(impact);
    const { group, index } = nameOf(impact.component);
    const name = nameText(impact.component);
    const what = index !== '' && text.startsWith(name) ? text.slice(name.length) : null;
    const same = what === null ? undefined : groups.find((each) => each.what === what && each.group === group);
    if (same === undefined)
      groups.push({ what: what ?? '', group: what === null ? '' : group, indices: [index], text });
    else same.indices.push(index);
  }
  return groups.map(({ what, group, indices, text }) =>
    indices.length === 1 ? text : `${group} ${indexText(indices)}${ofSeveral(what)}`,
  );
}

/** What a rank of the job did is not said of the job once more. */
function isSaidOfRank(impact: Impact, all: readonly Impact[]): boolean {
  if (impact.component.type !== 'job') return false;
  const deed = deedOf(impact);
  return all.some((one) => isRankOf(one.component, impact.component) && deedOf(one) === deed);
}

function isRankOf({ type, id }: Component, job: Component): boolean {
  return type === 'rank' && id.startsWith(`${job.id}/`);
}

function deedOf(impact: Impact): string {
  return impactText(impact).slice(nameText(impact.component).length);
}

/** What is said of one, said of several. */
function ofSeveral(what: string): string {
  return what.replace(/^ (?:is|was|has|does) /, (verb) => PLURAL[verb.trim()] ?? verb);
}

const PLURAL: Readonly<Record<string, string>> = { is: ' are ', was: ' were ', has: ' have ', does: ' do ' };

function impactText(impact: Impact): string {
  if (impact.text !== '') return plain(impact.text);
  const name = `${nameText(impact.component)} ${plain(impact.quantity, 48).replaceAll('_', ' ')}`;
  if (impact.before === null || impact.after === null) return name;
  return `${name} ${changeText([impact.before], [impact.after], plain(impact.unit, 16))}`;
}

export function listed(items: readonly string[], separator: string): string {
  const rest = items.length - LISTED;
  return items.slice(0, LISTED).join(separator) + (rest > 0 ? `${separator}and ${rest} more` : '');
}

/** Done to end what still happens: of no use once it is over, unlike a part to be replaced or a program to be debugged. */
export const WHILE_IT_LASTS: ReadonlySet<Action> = new Set([
  'restart_app',
  'reset_gpu',
  'drain_reset_gpu',
  'reset_nic',
  'reboot_node',
  'power_cycle_node',
  'drain_node',
]);

/** What no operator should do on a guess: it ends work, or takes a device or node away. */
const ON_A_GUESS: ReadonlySet<Action> = new Set([...WHILE_IT_LASTS, 'replace_part']);
const SURE_ENOUGH = 0.5;

/** Where the cause is not known and little speaks for any, what helps is to find out. */
function isGuess({ rootKnown, confidence, action }: Incident): boolean {
  return !rootKnown && confidence < SURE_ENOUGH && ON_A_GUESS.has(action.kind);
}

/** Something is to be done though nothing says why: the driver asks for it. */
export function actsAnyway(incident: Incident): boolean {
  return !incident.rootKnown && ON_A_GUESS.has(incident.action.kind) && !isGuess(incident);
}

/** What to do; of a trial, nothing. */
export function actText(incident: Incident): string {
  return trialText(incident) ?? realAct(incident);
}

/** How a reason begins that is none: what such a thing asks for whenever it comes. */
export const USUAL = 'usual for: ';

/** What is to be done about it, were it real where it is not. */
export function realAct(incident: Incident): string {
  const { kind, target } = incident.action;
  // What is usual needs no reason.
  const why = incident.action.why.startsWith(USUAL) ? '' : incident.action.why;
  if (isGuess(incident)) return `find out first: ${toFindOut(why)}`;
  const own = incident.rootKnown && specialOf(incident) === null ? (kindStep(incident)?.does ?? null) : null;
  if (own !== null) {
    // Where the target is the part itself, or the task.
    const words = target?.type === 'disk' ? own.replace('the disk of %', '%') : target?.type === 'process' ? own.replace('a task on %', '%') : own; // biome-ignore format: one line
    return filled(words, objectText(incident) ?? unnamedObject(incident) ?? hostWords(incident), hostWords(incident));
  }
  // Where nothing is to be done here it may still be known where to look.
  if (kind === 'none' && why !== '' && !hasRole(incident.root.kind, 'explains')) return plain(why);
  // Why is worth a line only where the action is not the kind's usual one.
  const usual = incident.rootKnown && target !== null && kind === kindInfo(incident.root.kind).action;
  const node = ON_NODE.has(kind) ? target?.host : undefined;
  const name = objectText(incident) ?? unnamedObject(incident);
  const special = specialOf(incident);
  if (special !== null) return filled(special.does, name ?? hostWords(incident), hostWords(incident));
  const what = actionText(
    kind,
    node === undefined ? name : hostName(incident, node),
    node !== undefined || target?.type === 'host' || (target === null && ON_NODE.has(kind)),
    target?.type === 'job' || target?.type === 'rank',
  );
  return why === '' || usual ? what : `${what} (${plain(why)})`;
}

/** The node that a target sits in, as the steps below call it where any line names it. */
function hostName(incident: Incident, node: string): string {
  return actOn(incident).hosts.length > 0 ? hostWords(incident) : plain(hostText(node));
}

/** What it did, and what it cost up to now, of what it did in about `most` words; `said` is there already. */
export function effectText(
  incident: Incident,
  nowMs: number,
  said = '',
  most = Number.POSITIVE_INFINITY,
  withLost = true,
): string {
  const effects = impactTexts(incident.impact.filter((impact) => !isRoot(impact, incident))).filter(
    (effect) => effect.replace(': ', ' ') !== said,
  );
  const silent = silentBehind(incident);
  const lost = withLost ? lostText(incident, nowMs) : null;
  const more = [silent === null ? null : silentText(silent), lost].filter((each) => each !== null);
  const shown = inWords(effects, most);
  return listed(more.length === 0 ? shown : [...shown.slice(0, LISTED - more.length), ...more], '; ');
}

/** The first of these, up to so many words, and how many are left. */
function inWords(items: readonly string[], most: number): readonly string[] {
  let words = 0;
  const end = items.findIndex((item) => {
    words += wordsIn(item);
    return words > most;
  });
  if (end === -1) return items;
  if (end === 0) return [fewWords(items[0] ?? '', most), ...(items.length > 1 ? [`and ${items.length - 1} more`] : [])];
  return [...items.slice(0, end), `and ${items.length - end} more`];
}

/** What the root is, its line says already: the rank that crashed did not have the effect of a rank that crashed. */
function isRoot({ component, quantity, text }: Impact, { rootKnown, root, impact }: Incident): boolean {
  if (!rootKnown || root.component === null) return false;
  // A launcher says of the job what its table says of the rank.
  if (component.type === 'job' && quantity === root.kind && isRankOf(root.component, component)) return true;
  if (componentText(component) !== componentText(root.component)) return false;
  // Of several that were lost the first is one of them.
  const isOnlyLoss = quantity === 'lost' && impact.length === 1 && text.endsWith(`: ${kindInfo(root.kind).title}`);
  return quantity === root.kind || isOnlyLoss;
}

const RECORDS: ReadonlyMap<unknown, string> = new Map([
  ['Ray', "Ray's own log of that node (ray logs raylet.out -ip IP)"],
  ['systemd-oomd', 'journalctl -u systemd-oomd on the host'],
  ['earlyoom', 'journalctl -u earlyoom on the host'],
  ['LSF', 'bhist -l JOB, which has the reason of its end'],
  ['PBS', 'tracejob JOB on the server, or qstat -xf JOB'],
  ['Slurm', 'sacct -j JOB --format=State,ExitCode,MaxRSS,ReqMem'],
]);

/** A line of raylet.out itself, which the driver's output has behind "(raylet) ". */
const OF_RAYLET = /^\[[\d: ,-]{19,30} [A-Z] \d{1,10} \d{1,10}\] \(raylet\) /;
const IP = /^(?:\d{1,3}\.){3}\d{1,3}$/;

/** Where the program that reported it writes what it did; null where another one would know. */
function ownRecord(incident: Incident): string | null {
  const unit = failedUnit(incident);
  if (unit !== null) return `systemctl status ${unit} on the host`;
  const { root, events } = incident;
  // What is ended before the kernel has to has no line of the kernel.
  const own = events.find(({ id }) => id === root.eventId);
  const { ended_by: by } = own?.attributes ?? {};
  const isOfRaylet = incident.evidence.some((each) => 'text' in each && OF_RAYLET.test(each.text));
  if (root.kind === 'host.oom' && isOfRaylet) return 'how Ray says that its workers ended (ray list workers --detail)';
  const record = root.kind === 'host.oom' ? (RECORDS.get(by) ?? null) : null;
  const address = root.component?.type === 'host' && IP.test(root.component.id) ? root.component.id : null;
  return address === null ? record : (record?.replace('-ip IP', `-ip ${address}`) ?? null);
}

/** What would confirm it; null where it is confirmed. */
export function confirmText(incident: Incident): string | null {
  const { root } = incident;
  const own = ownRecord(incident);
  const unconfirmed = incident.unconfirmed === null || own === null ? incident.unconfirmed : own;
  if (unconfirmed === null) return null;
  const by = unconfirmed === '' ? null : plain(unconfirmed, 200);
  // Of a job its own log is who knows best, and its user is whom it harms.
  if (by !== null && (root.component?.type === 'job' || root.component?.type === 'rank')) return `by ${by}`;
  const seen = incident.events.find(({ id }) => id === root.eventId);
  if (seen !== undefined && isOfSwitch(seen))
    return `${couldHaveWritten(root.kind, seen.attributes)}; would be confirmed by: the switch itself, or a line of the driver of the host at the other end`;
  return `${couldHaveWritten(root.kind, seen?.attributes)}${by === null ? '' : `; would be confirmed by: ${by}`}`;
}

/** How the title of an incident without a root begins, which the report says at its head; `either`: what came before and may be behind it. */
export const UNKNOWN =
  /^(?:No root cause yet|Undecided \((?<either>.+?, or what was not seen here)\))(?:, unconfirmed)?: /;

/** Of an incident without a root: `No root cause yet`, or `Undecided (link flap on node-3 nic 1, or what was not seen here)`. */
export function openText(incident: Incident): string {
  const either = UNKNOWN.exec(plain(bareTitle(incident)))?.groups?.either;
  return either === undefined ? 'No root cause yet' : `Undecided (${either})`;
}

/** How the reason of its action begins, where the label has said it. */
const FIND = /^No root cause yet\. To find out: /;

/** Of an incident without a root: what is seen, with effects in about `most` words, the GPU-hours that it took, what is likeliest, what else is possible, how to find out. */
export function unknownText(
  incident: Incident,
  nowMs: number,
  most = Number.POSITIVE_INFINITY,
): { what: string; lost: string | null; guess: string; possible: string; find: string } {
  const [likely, ...others] = [...incident.alternatives].sort((a, b) => b.confidence - a.confidence);
  const guessed = (other: Incident['alternatives'][number]): string => guessText(incident.root.kind, other);
  const { said, impact, place } = saidTogether(incident);
  const root = incident.events.find(({ id }) => id === incident.root.eventId);
  const detail = root === undefined ? null : detailText(root.kind, root.attributes, root.component);
  const silent = silentRanks(incident);
  const what = `${said}${detail === null ? '' : `: ${plain(detail, 200)}`}${place}`;
  const also = silent === null ? '' : `; ${silentText(silent)}`;
  const lost = lostText(incident, nowMs);
  const effect = effectText({ ...incident, impact }, nowMs, said, most, false);
  // All devices at once are hardly one that failed.
  const isOfPlugin = root?.attributes.what === 'plugin_ended';
  const guess = isOfPlugin
    ? 'Most likely that plugin itself, which gives a node its devices'
    : likely === undefined
      ? 'Nothing points to a cause yet'
      : `Most likely ${guessed(likely)}`;
  const { kind, why } = incident.action;
  const lacking = toFindOut(why);
  const before =
    endedByOther(incident)?.find ??
    (actsAnyway(incident) ? kindEntry(incident.root.kind).likely_roots?.[0]?.next : undefined);
  const find =
    before ??
    (kind === 'none' || isGuess(incident) ? lacking : realAct(incident).replace(`(${plain(why)})`, `(${lacking})`));
  const first = silent === null ? null : lookFirst(silent);
  return {
    what: `${what}${also}${effect === '' ? '' : `; ${effect}`}`,
    lost,
    guess,
    possible: listed(others.map(guessed), ', '),
    find: trialStep(incident, first === null ? find : `why ${first} did not join`),
  };
}

/** What the root's siblings did as well is said once, of all of them: `llama rank 0, 1, 3 collective timed out`. */
function saidTogether(incident: Incident): { said: string; impact: readonly Impact[]; place: string } {
  const { root, impact, events } = incident;
  const said = plain(bareTitle(incident)).replace(UNKNOWN, '');
  const alone = { said, impact, place: placeText(incident) };
  const name = root.component === null ? '' : nameText(root.component);
  const { group, index } = root.component === null ? { group: '', index: '' } : nameOf(root.component);
  if (index === '' || !said.startsWith(`${name} `)) return alone;
  const tail = said.slice(name.length);
  const alike = events.filter(
    ({ kind, component }) => kind === root.kind && component !== null && nameOf(component).group === group,
  );
  const deeds = new Set(
    alike.flatMap(({ attributes: { sequence, operation, did } }) =>
      sequence === undefined && did === undefined ? [] : [`${sequence} ${operation} ${did}`],
    ),
  );
  if (deeds.size > 1) return alone;
  const indices = alike.flatMap(({ component }) => (component === null ? [] : [nameOf(component).index]));
  return {
    said: `${group} ${indexText([index, ...indices])}${indices.length > 1 ? ofSeveral(tail) : tail}`,
    place: new Set(alike.map(({ attributes }) => attributes.named_host)).size > 1 ? '' : alone.place,
    impact: impact.filter((each) => !isSame(each, group, tail)),
  };
}

function isSame(impact: Impact, group: string, tail: string): boolean {
  const text = impactText(impact).slice(nameText(impact.component).length).replace(/^: /, ' ');
  return nameOf(impact.component).group === group && text === tail;
}

/** What was seen, by its place; what only is frequent, in the words of the catalogue, for nothing says where. */
function guessText(symptom: Kind, { root, confidence, why }: Incident['alternatives'][number]): string {
  const usual = kindEntry(symptom).likely_roots ?? reports.likely_roots.usual;
  const isUsual = usual.some((each) => each.kind === root.kind && each.why === why);
  const where = root.component === null ? '' : ` on ${nameText(root.component)}`;
  const what = isUsual ? (why.split(': ', 1)[0] ?? why) : `${kindInfo(root.kind).title}${where}`;
  return `${what} (${percentText(confidence)})`;
}

function toFindOut(why: string): string {
  if (why.startsWith(USUAL)) return 'read what was logged before it';
  return why === '' ? 'faultline doctor shows which sources this host lacks' : plain(why).replace(FIND, '');
}

// Steps: what to do now about an incident and whom to call, with its host, device and minute, so that none of it has to be looked up first.

import { AFTER_A_LOOK } from '../../correlation/explain/action/action.ts';
import { shellWord } from '../../helpers/shell-word.ts';
import type { Action } from '../../model/action.ts';
import { type ComponentType, canonicalPciAddress } from '../../model/component.ts';
import type { Attributes } from '../../model/event.ts';
import type { Incident } from '../../model/incident.ts';
import { hasRole, KINDS, type Kind, kindEntry, kindInfo } from '../../model/kind.ts';
import { formatTime } from '../../model/time.ts';
import { backMs } from './back.ts';
import { cutAt, MOST_WORDS, stemOnce, wordsIn } from './brief.ts';
import { caseText } from './case.ts';
import { cardReset, diagnosisText, diskName, isOfAmd, podName, resetCommand, unnamedReset } from './device-commands.ts';
import { isDoneWith } from './done-with.ts';
import { drainText, NAME } from './drain.ts';
import { startFirst } from './ended-server.ts';
import { failedWork } from './failed-work.ts';
import { serverNid } from './file-server.ts';
import { offForHeatMs } from './host-off.ts';
import { FACILITY, HANDS, HOST, kindStep, OWNER, stepOfKind } from './kind-step.ts';
import { lostDevice } from './lost-device.ts';
import { upsName } from './on-battery.ts';
import { ownerText } from './owner.ts';
import { hostOnce, hostWords, unnamedObject } from './place.ts';
import { isPortOver } from './port-over.ts';
import { actsAnyway, actText, realAct, shortId, USUAL } from './sentences.ts';
import { lookFirst, silentRanks, whereToFind } from './silent-rank.ts';
import { objectText, specialOf } from './special.ts';
import { onceUp } from './stopped-host.ts';
import { resumeText } from './taken-out.ts';
import { trialAdvice, trialCall, trialStep, trialText } from './trial.ts';
import { endedByOther } from './watchdog.ts';
import { clockText } from './when.ts';

interface Step {
  /** `%` is the target, `@` its host, `IDLE` where nothing may run, `DRAIN` how work is kept off it, `TIME` when it began, `SAVE` what the step would destroy, `CASE` how the vendor is asked, `RESET` the command, `LINES` and `FILE` what to send. */
  readonly now: string;
  readonly call: string;
}

const VENDOR = 'the support of the vendor of @';

/** The usual end of a GPU whose firmware hangs. */
const ELSE_REBOOT = '; where that fails, reboot @ once nothing runs there';

const STEPS: Readonly<Record<Action, Step | null>> = {
  none: null,
  restart_app: { now: 'end what is left of the work on %, start it again from its last checkpoint', call: OWNER },
  debug_app: {
    now: 'send LINES as evidence: most likely it is the program, and @ can stay in service unless sudo dmesg -T there has faults at TIME',
    call: OWNER,
  },
  reset_gpu: { now: `DRAIN; end what runs on IDLE, SAVEreset itRESET${ELSE_REBOOT}`, call: HOST },
  drain_reset_gpu: { now: `DRAIN; once nothing runs on IDLE, SAVEreset itRESET${ELSE_REBOOT}`, call: HOST },
  reset_nic: {
    now: 'DRAIN; once nothing runs on @, SAVEreset % from the console of @ in its BMC, for a login over this card ends with itCARD',
    call: HOST,
  },
  reboot_node: { now: 'DRAIN; once nothing runs on @, SAVEreboot it: sudo systemctl reboot', call: HOST },
  power_cycle_node: {
    now: 'DRAIN; once nothing runs on @, SAVEtake its power away through its BMC, which a reboot does not: ipmitool -I lanplus -H BMC -U USER -f PASSFILE chassis power cycle',
    call: HOST,
  },
  drain_node: { now: 'DRAIN', call: HOST },
  check_power_feed: {
    now: 'ask what UPS, transfer switch and breakers before % logged at TIME, and whether other racks saw it',
    call: FACILITY,
  },
  check_cooling: {
    now: 'see whether fans, filters and coolant of % work; take work off @ while it gets hotter',
    call: 'the facility: who runs the cooling of the site',
  },
  check_link: {
    now: 'reseat cable and transceiver of % at both ends; where its errors continue, swap them one by one',
    call: HANDS,
  },
  check_config: { now: 'compare % with one that works, and take back what was changed last', call: HOST },
  update_software: { now: 'install the release that the runbook names on @, in its next maintenance', call: HOST },
  free_space: {
    now: 'on @, see what is full (df -h) and whose it is (sudo repquota -a; lfs quota; du -xhd1 takes hours on a large one): ask the owners to move or delete, or add space; delete nothing unasked',
    call: HOST,
  },
  inspect_hardware: { now: 'DRAIN; then SAVErun the diagnosis of its vendor on %DIAGNOSIS', call: HANDS },
  replace_part: { now: 'DRAIN; then CASE', call: VENDOR },
  contact_vendor: { now: 'CASE', call: VENDOR },
};

/** Whom to call about a kind, whatever host and device it is on; null where nothing is to be done. */
export function whoToCall(kind: Kind): string | null {
  const call = stepOfKind(kind)?.call ?? STEPS[kindInfo(kind).action]?.call ?? null;
  return call === null ? null : call.replaceAll('@', 'the host').replaceAll('%', 'the device');
}

interface Place {
  /** Above the lines of the incident, not where it is only named. */
  readonly below: boolean;
  /** What a command needs to find the incident; null where no log has it. */
  readonly commands: string | null;
  /** Folder of flight-recorder dumps that lie with what was read; null where there is none. */
  readonly dumps?: string | null;
}

/** Of an incident without a root: what the driver asks for all the same, else how the root is found, empty where nothing says; and whose it is. */
function searchOf(incident: Incident, { dumps = null, commands }: Place): Step {
  const { root, action } = incident;
  const asked = actsAnyway(incident) && hasRole(root.kind, 'never_root') ? STEPS[action.kind] : null;
  if (asked !== null) return asked;
  const watched = endedByOther(incident);
  if (watched !== null) return watched;
  const { first_step: ofLog = LOOK, with_dumps: withDumps, of_saved: ofSaved = ofLog } = kindEntry(root.kind);
  const usual = commands === null ? ofSaved : ofLog;
  const own = incident.events.find(({ id }) => id === root.eventId);
  const step = lostDevice(incident) ?? failedWork(incident) ?? usual;
  const isWork = root.component?.type === 'job' || root.component?.type === 'rank';
  // Of nodes that a line names those who run them know more than who runs the scheduler.
  const isOfNodes = root.kind === 'job.node_failed' && typeof own?.attributes.possible_hosts === 'string';
  const call = isOfNodes ? HOST : (stepOfKind(root.kind)?.call ?? (isWork ? OWNER : HOST));
  return { now: dumps === null ? step : (withDumps ?? step), call };
}

/** Where nothing says more, and of words that only a user wrote. */
const LOOK =
  'on @, sudo dmesg -T | tail -n 100 shows what its kernel says of TIME and before; then the log of what ran there';

function silentWords(incident: Incident): string {
  const silent = silentRanks(incident);
  const first = silent === null ? null : lookFirst(silent);
  if (silent === null || first === null) return '';
  return `see ${first}${whereToFind(silent, incident)}: its log, and there sudo dmesg -T; then `;
}

const BEFORE_MS = 10 * 60_000;

/** Of what is open in a log the last hour; of what a saved text tells, or is over, the time of it, for it may be days ago. */
function windowWords({ state, openedMs, updatedMs, events }: Incident, commands: string | null): string {
  if (state === 'open' && commands !== null) return '--since 1h';
  const last = Math.max(updatedMs, ...events.map(({ timeMs }) => timeMs));
  return `--since ${formatTime(openedMs - BEFORE_MS, 0)} --until ${formatTime(last + 60_000, 0)}`;
}

/** Nothing is to be done to the node before more than words of a user say it. */
function isOnlySaid({ rootKnown, unconfirmed, action }: Incident): boolean {
  return rootKnown && unconfirmed !== null && action.kind === 'none' && !action.why.startsWith(USUAL);
}

/** As its kind says, and of what it does not as for its action. */
function ofKind(incident: Incident): Step | null {
  const own = kindStep(incident);
  const usual = STEPS[incident.action.kind] ?? (isOnlySaid(incident) ? { now: LOOK, call: HOST } : null);
  const now = own?.now ?? usual?.now;
  const call = own?.call ?? usual?.call;
  return now === undefined || call === undefined ? null : { now, call };
}

/** What may stand for something, and not a part of a variable's name. */
const WORD = /%|@|(?<![A-Z_])[A-Z]{2,}(?![A-Z_])/g;

/** Null where nothing is to be done. */
function stepOf(incident: Incident, timeZone: string, place: Place): Step | null {
  const { below, commands, dumps = null } = place;
  const { target } = incident.action;
  const step = incident.rootKnown ? (specialOf(incident) ?? ofKind(incident)) : searchOf(incident, place);
  if (step === null) return null;
  const again = startFirst(incident);
  const after = onceUp(incident) + afterALook(incident, step.now);
  const now = again === '' ? after : again + after.replace(/^first /, '');
  const host = hostWords(incident);
  const name = objectText(incident) ?? unnamedObject(incident) ?? host;
  const root = incident.events.find(({ id }) => id === incident.root.eventId);
  // Whole, for it is pasted into a shell of root: what another host or a saved text says of a device may have more behind it.
  const address = target?.type === 'gpu' ? canonicalPciAddress(target.id) : null;
  const words: Readonly<Record<string, string>> = {
    '%': name,
    '@': host,
    IDLE: isOfAmd(root) || target === null ? host : name,
    DRAIN: drainText(incident, host, idText(incident)),
    TIME: `${clockText(root?.timeMs ?? incident.openedMs, timeZone)} ${timeZone}`,
    OFF: `${clockText(offForHeatMs(incident) ?? incident.updatedMs, timeZone)} ${timeZone}`,
    BACK: `${clockText(backMs(incident) ?? incident.updatedMs, timeZone)} ${timeZone}`,
    RESET: address === null ? '' : ` (${resetCommand(address, root)})`,
    CARD: cardReset(target),
    DIAGNOSIS: diagnosisText(target, root),
    SAVE: saveText(incident),
    WINDOW: windowWords(incident, commands),
    SILENT: silentWords(incident),
    DISK: diskName(target),
    NID: serverNid(incident) ?? 'NID',
    POD: podName(root),
    ...(target?.type === 'process' && /^\d+$/.test(target.id) ? { PID: target.id } : {}),
    UPSNAME: upsName(incident) ?? 'UPS',
    ...failedNode(incident, root?.attributes),
    ...(dumps === null ? {} : { DIR: shellWord(dumps) }),
    LINES: below ? 'the lines below' : `the lines of faultline explain ${idText(incident)}${commands ?? ''}`,
    FILE:
      commands === null
        ? 'the logs that were scanned, and this report'
        : `the file of: faultline bundle ${idText(incident)}${commands}`,
  };
  const reset = address === null && target?.type !== 'gpu' ? unnamedReset(root) : 'reset itRESET';
  const filled = (text: string): string =>
    text
      .replace(/(?:then )?CASE/, (before) => caseText(incident, before))
      .replace('reset itRESET', reset)
      .replace(WORD, (word) => words[word] ?? word)
      .replaceAll('. let no new work', '. Let no new work')
      .replaceAll('. ask who runs', '. Ask who runs');
  const call = step.call === OWNER ? ownerText(incident) : filled(step.call);
  if (NAME.test(host) || host === '') return { now: filled(now) + resumeText(incident, host), call };
  return { now: namedOnce(filled(now.replace(REACHED, '$1 HOST')), host), call };
}

/** Before something is done on the words of a job alone. */
function afterALook({ root, action }: Incident, now: string): string {
  if (action.why !== AFTER_A_LOOK || !now.startsWith('DRAIN')) return now;
  const log = OF_DRIVER.test(root.kind) ? "grep -iE 'xid|amdgpu'" : 'tail -n 100';
  return `on @, sudo dmesg -T | ${log} at TIME. Where it says the same, ${now}`;
}

/** What to do, or that nothing is left to do, in a time zone also since when. `place` as in `stepRows`. */
export function adviceText(incident: Incident, place: string | null = '', timeZone?: string): string {
  const does = realAct(incident);
  if (incident.made !== undefined) return trialAdvice(incident, does);
  if (!isDoneWith(incident, place)) return does;
  const over = backMs(incident);
  const since = over === null || timeZone === undefined ? '' : ` since ${clockText(over, timeZone)} ${timeZone}`;
  const again = isPortOver(incident) ? 'goes down again' : 'comes back';
  return `nothing now, it is over${since}; where it ${again}: ${does}`;
}

/** What stands for a name is none that a command takes. */
const REACHED = /\b(ping -c 3|ssh) @/g;

/** `on the host of dmesg.txt; then, on that host`: what stands for a name is long. */
function namedOnce(text: string, host: string): string {
  const [first = '', ...others] = text.split(host);
  return others.length === 0 ? first : `${first}${host}${others.join('that host')}`;
}

export interface Row {
  readonly label: string;
  readonly text: string;
}

/**
 * The same as rows of a report, under what to do. `place`: what a command needs to find the incident, such as ` --config FILE`; null: it is
 * in no log. `below`: its evidence follows in the same report. `dumps`: the folder of flight-recorder dumps next to it. `first`: what is to be
 * seen before that step, which may be needless then. `spent`: words above it; where the head would become too long, what comes later is a
 * separate row behind whom to call. `tight`: there is so little room that it may end at any of its parts.
 */
export function stepRows(
  incident: Incident,
  timeZone: string,
  place: string | null = '',
  {
    below = true,
    dumps = null,
    first,
    spent = 0,
    tight = false,
  }: {
    readonly below?: boolean;
    readonly dumps?: string | null;
    readonly first?: string | undefined;
    readonly spent?: number;
    readonly tight?: boolean;
  } = {},
): Row[] {
  const step = isDoneWith(incident, place) ? null : stepOf(incident, timeZone, { below, commands: place, dumps });
  if (step === null) return [];
  const said = (text: string): string => (tight ? hostOnce(incident, text) : text);
  const what = said(first === undefined ? step.now : `${first}. Where it is not, ${step.now}`);
  const call = trialCall(incident, said(step.call));
  const [now, later] = cutAt(
    what,
    spent === 0
      ? Number.POSITIVE_INFINITY
      : MOST_WORDS - spent - LABELS - wordsIn(call) - wordsIn(trialStep(incident, '')),
    tight,
  );
  const row = (label: string, text: string | null): Row[] =>
    text === null || text === '' ? [] : [{ label, text: trialStep(incident, stemOnce(text)) }];
  return [...row('Now', now), { label: 'Call', text: call }, ...row('Then', later)];
}

/** Of these rows. */
const LABELS = 2;

/** What to do, the first step of it and whom to call, in one text. */
export function doText(incident: Incident, timeZone: string, place = ''): string {
  const trial = trialText(incident);
  if (trial !== null) return trial;
  const step = stepOf(incident, timeZone, { below: false, commands: place });
  if (step === null) return actText(incident);
  return `${actText(incident)}${step.now === '' ? '' : `; first, ${step.now}`}. Call ${step.call}`;
}

/** The same for a line of the daemon's own log, which comes with each revision: of what is over nothing is to be done, or not at once. */
export function logText(incident: Incident, timeZone: string): string {
  if (incident.state === 'open') return doText(incident, timeZone);
  const isLeft = incident.rootKnown && incident.action.kind !== 'none' && !isDoneWith(incident, '');
  if (isLeft) return `it is over; what is left to do: faultline explain ${idText(incident)}`;
  return `nothing now, it is over; what it was: faultline explain ${idText(incident)}`;
}

function idText({ id }: Pick<Incident, 'id'>): string {
  return NAME.test(id) ? shortId(id) : 'ID';
}

const HANGING: ReadonlySet<string> = new Set([
  'gpu.gsp_timeout',
  'gpu.call_stalled',
  'gpu.pmu_halt',
  'gpu.firmware_error',
  'gpu.reset_failed',
]);

/** Kinds of which the driver of a GPU or switch knows more than any log; it forgets with a reset, an unload and a reboot. */
const OF_DRIVER = /^(?:gpu|nvlink|nvswitch)\./;
const WITH_DRIVER: ReadonlySet<ComponentType | undefined> = new Set(['gpu', 'gpu_instance', 'nvlink', 'nvswitch']);

/** Where the driver waits for the GPU, so does what asks it. */
const HANGS: ReadonlySet<Kind> = new Set(
  KINDS.filter((kind) => kindEntry(kind).groups?.includes('gpu_gone') === true || HANGING.has(kind)),
);

/** What is to be saved before the step takes it away. */
function saveText(incident: Incident): string {
  const { root, action } = incident;
  const hangs = HANGS.has(root.kind) || incident.events.some(({ kind }) => HANGS.has(kind));
  if (
    hangs ||
    OF_DRIVER.test(root.kind) ||
    WITH_DRIVER.has(root.component?.type) ||
    WITH_DRIVER.has(action.target?.type)
  )
    return isOfAmd(incident.events.find(({ id }) => id === root.eventId))
      ? `save its kernel log and what its driver knows (AMD: sudo dmesg > /var/tmp/faultline-${idText(incident)}.dmesg; sudo amd-smi metric), then `
      : `save what its driver knows (NVIDIA: sudo nvidia-bug-report.sh${hangs ? ' --safe-mode' : ''}), then `;
  // A host that does not answer has no log to be read; its BMC has.
  if (action.kind === 'power_cycle_node')
    return 'save the event log of its BMC (ipmitool -I lanplus -H BMC -U USER -f PASSFILE sel elist > sel.txt), then ';
  return `save its kernel log (sudo dmesg > /var/tmp/faultline-${idText(incident)}.dmesg), then `;
}

/** The node of a job that its scheduler names as failed. */
function failedNode({ root }: Incident, { named_host: node }: Attributes = {}): { readonly NODE?: string } {
  return root.kind === 'job.node_failed' && typeof node === 'string' && NAME.test(node) ? { NODE: node } : {};
}

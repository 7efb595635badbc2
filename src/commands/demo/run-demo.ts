// Runs a demo for a terminal or a script: what is printed, what is kept, and the exit status.

import { join } from 'node:path';
import { ConfigError } from '../../config/config-error.ts';
import { ownProgram } from '../../helpers/own-program.ts';
import { shellWord } from '../../helpers/shell-word.ts';
import { renderIncidentText } from '../../incidents/report/text.ts';
import { shownJson } from '../../model/shown-json.ts';
import { nativePath } from '../../native.ts';
import { fitReport } from '../../simulator/demo/fit-report.ts';
import { type DemoResult, runDemo } from '../../simulator/demo/run-demo.ts';
import { besidesLine, verdictLine } from '../../simulator/demo/verdict-line.ts';
import { Workplace } from '../../simulator/demo/workplace.ts';
import type { DemoExport } from '../../simulator/demo-config.ts';
import { startPdu } from '../../simulator/rack/pdu.ts';
import { loadScenario } from '../../simulator/scenario/load.ts';
import type { ScenarioPlan } from '../../simulator/scenario/scenario-plan.ts';

const MAX_WIDTH = 100;
/** A run is reported in less than 40 lines. */
const MAX_LINES = 39;
/** Verdict, what else there is, where things are, how to look again, and at other logs. */
const LAST_LINES = 5;

export interface DemoOptions {
  readonly scenario: string;
  readonly seed: string;
  /** OTLP endpoint; null: nothing is sent. */
  readonly exportTo: string | null;
  readonly json: boolean;
  readonly keep: boolean;
}

/** 0 when the daemon's answer was right, 1 when it was not, 2 for wrong usage, 128 + n when signal n ended it. */
export async function demo(options: DemoOptions): Promise<number> {
  if (!/^\d{1,9}$/.test(options.seed)) {
    console.error(`FL5111 --seed ${options.seed} is not a seed. Write a whole number from 0 to 999999999`);
    return 2;
  }
  const exported = options.exportTo === null ? null : exportOf(options.exportTo);
  if (exported === undefined) {
    console.error(
      'FL5113 --export needs an http or https URL without user and password. Write: --export http://localhost:4317',
    );
    return 2;
  }
  const plan = load(options.scenario, Number(options.seed));
  if (plan === null) return 2;
  const interruption = new Interruption();
  const place = new Workplace();
  let lines = 0;
  const print = (line: string) => {
    lines += 1;
    if (!options.json && !interruption.pipeClosed) process.stdout.write(`${line}\n`);
  };
  let keep = options.keep;
  const lastWay = () => {
    if (!keep) place.remove();
  };
  process.on('exit', lastWay);
  try {
    print(headline(plan));
    const result = await runDemo({
      entry: process.argv[1] ?? '',
      plan,
      place,
      library: nativePath('libnvidia-ml.so.1'),
      startPdu,
      exported,
      print,
      stop: interruption.signal,
    });
    if (interruption.status !== null) return interruption.status;
    if (result.broken !== null) {
      keep = true;
      console.error(`FL5112 ${result.broken}\nWhat it left is in ${shellWord(place.folder)}`);
      return 1;
    }
    if (result.exports !== null) console.error(`exported as simulated to ${exported?.endpoint}: ${result.exports}`);
    keep ||= !options.json && result.read.length > 0;
    if (options.json) process.stdout.write(`${shownJson(demoDocument(plan, result))}\n`);
    else report(plan, result, place, keep, MAX_LINES - lines - LAST_LINES, print);
    return result.score.right ? 0 : 1;
  } finally {
    process.off('exit', lastWay);
    if (!keep) place.remove();
    interruption.end();
  }
}

/** How requests go to this endpoint, by its port and path; undefined for what is not one. */
function exportOf(text: string): DemoExport | undefined {
  if (!URL.canParse(text)) return undefined;
  const url = new URL(text);
  if (!['http:', 'https:'].includes(url.protocol) || url.username !== '' || url.password !== '') return undefined;
  const overHttp = url.port === '4318' || url.pathname !== '/';
  return { endpoint: text, protocol: overHttp ? 'http/protobuf' : 'grpc' };
}

/** Null when the scenario is not usable, which is then reported. */
function load(scenario: string, seed: number): ScenarioPlan | null {
  try {
    return loadScenario(scenario, seed);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    console.error(error.message);
    return null;
  }
}

function headline({ world }: ScenarioPlan): string {
  const pdus = world.pdus.length;
  const parts = [
    ...(pdus > 0 ? [`${pdus} PDU${pdus > 1 ? 's' : ''} over SNMP`] : []),
    ...(world.host.bmc === null ? [] : ['1 BMC over Redfish']),
    ...(world.host.gpus.length > 0 ? [`${world.host.gpus.length} GPUs behind a stand-in NVML`] : []),
  ];
  return `faultline demo · a simulated rack on loopback (${parts.join(', ')}) · the daemon is the real one`;
}

function report(
  plan: ScenarioPlan,
  { read, score }: DemoResult,
  place: Workplace,
  kept: boolean,
  room: number,
  print: (line: string) => void,
): void {
  const matched = score.expected.flatMap(({ incident }) => (incident === null ? [] : [incident]));
  const width = Math.min(process.stdout.columns ?? MAX_WIDTH, MAX_WIDTH);
  const colour = process.stdout.isTTY && process.stdout.hasColors();
  const shown = [...matched, ...score.falseIncidents].slice(0, 2);
  const besides = besidesLine(read.filter((incident) => !shown.includes(incident)));
  const free = besides === null ? room + 1 : room;
  for (const incident of shown) {
    const report = renderIncidentText(incident, { nowMs: Date.now(), width, colour, hint: false });
    for (const line of fitReport(`\n${report}`, Math.floor(free / shown.length))) print(line);
  }
  print(verdictLine(score, plan));
  if (besides !== null) print(besides);
  if (!kept) return;
  const folder = shellWord(place.folder);
  const log = shellWord(join(place.folder, 'log'));
  const id = shown[0]?.id.slice(0, 6);
  print(`log and evidence: ${log} · daemon.log next to it · delete: rm -r ${folder}`);
  if (id !== undefined) print(`to look again: ${ownProgram()} explain ${id} --log-directory ${log}`);
  print(`logs of your own: ${ownProgram()} scan FILE`);
}

function demoDocument(plan: ScenarioPlan, { events, incidents, score }: DemoResult): object {
  return {
    schema: 'faultline/demo/1',
    scenario: plan.name,
    seed: plan.seed,
    events,
    incidents,
    truth: {
      incidents: plan.truth.incidents.map(({ root, chain, impact, actions }) => ({ root, chain, impact, actions })),
      may: plan.truth.may,
      must_not: plan.truth.mustNot,
    },
    right: score.right,
    problems: score.problems,
    detection_ms: score.expected.map(({ detectionMs }) => detectionMs),
  };
}

/** Signals and a closed pipe end the demo in order; a second signal ends it at once. */
class Interruption {
  readonly #controller = new AbortController();
  readonly #signals: readonly [NodeJS.Signals, number][] = [
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ];
  readonly #handlers = new Map<NodeJS.Signals, () => void>();
  readonly #onPipeError = () => {
    this.pipeClosed = true;
    this.status ??= 0;
    this.#controller.abort();
  };
  status: number | null = null;
  pipeClosed = false;

  constructor() {
    for (const [signal, status] of this.#signals) {
      const handler = () => {
        if (this.status !== null) process.exit(status);
        this.status = status;
        this.#controller.abort();
      };
      this.#handlers.set(signal, handler);
      process.on(signal, handler);
    }
    process.stdout.on('error', this.#onPipeError);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  end(): void {
    for (const [signal, handler] of this.#handlers) process.off(signal, handler);
  }
}

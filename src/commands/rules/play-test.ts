// Play test: a test of a rule through the real line, from samples and events to what comes out; time is the test's own.

import { Pipeline } from '../../daemon/pipeline.ts';
import type { RulesConfig } from '../../detection/user-rules/index.ts';
import type { RuleTest, TestInput, UserRule } from '../../detection/user-rules/user-rule.ts';
import { type Component, componentText, parseComponent } from '../../model/component.ts';
import type { FaultEvent } from '../../model/event.ts';
import type { EventInput } from '../../model/record.ts';
import { native } from '../../native.ts';

const HOST = 'test-host';
const BEGIN_MS = Date.UTC(2026, 0, 1);
/** As often as event time moves in a daemon while something is open. */
const STEP_MS = 250;
const MOST_STEPS = 40_000;

interface Input {
  readonly atMs: number;
  readonly given: TestInput;
}

export interface TestResult {
  readonly rule: UserRule;
  readonly test: RuleTest;
  /** What is not as it should be, a line each; empty where the test passes. */
  readonly wrong: readonly string[];
}

export function playTest(config: RulesConfig, rule: UserRule, test: RuleTest): TestResult {
  const seen = eventsOf(config, rule, test);
  const onsets = seen.filter(({ state }) => state !== 'clear');
  const place = ({ component }: FaultEvent) => (component === null ? 'nothing' : componentText(component));
  const wrong: string[] = [];
  const { fires, component, firstByMs, cleared } = test;
  if (onsets.length !== fires) wrong.push(`it is reported ${times(onsets.length)}, not ${times(fires)}`);
  const [first] = onsets;
  if (first !== undefined && component !== null && place(first) !== component)
    wrong.push(`it is reported of ${place(first)}, not of ${component}`);
  if (first !== undefined && firstByMs !== null && first.timeMs - BEGIN_MS > firstByMs)
    wrong.push(`it is reported after ${(first.timeMs - BEGIN_MS) / 1000} s, not within ${firstByMs / 1000} s`);
  const over = onsets.length === seen.length - onsets.length;
  if (cleared !== null && over !== cleared)
    wrong.push(over ? 'it is over in the end, and should last' : 'it lasts, and should be over');
  return { rule, test, wrong };
}

function times(count: number): string {
  return count === 1 ? 'once' : count === 0 ? 'never' : `${count} times`;
}

/** The events of the rule. */
function eventsOf(config: RulesConfig, rule: UserRule, test: RuleTest): readonly FaultEvent[] {
  const core = new (native().Core)({ historySeconds: 300, maxSeries: 1024 });
  let nowMs = BEGIN_MS;
  const events = new Map<string, FaultEvent>();
  try {
    const pipeline = new Pipeline({
      host: HOST,
      core,
      latenessMs: 5_000,
      holdMs: 5_000,
      links: [],
      rules: config,
      now: () => nowMs,
      onEvent: (event) => void (event.kind === rule.kind && events.set(event.id, event)),
      onIncident: () => {},
    });
    const inputs = test.given.flatMap(repeats).sort((a, b) => a.atMs - b.atMs);
    for (const { given } of inputs) if (given.model !== null) pipeline.discovery({ component: componentOf(given), links: [], attributes: { model: given.model } }); // biome-ignore format: one line
    const pass = (toMs: number) => {
      const stepMs = Math.max(STEP_MS, (toMs - nowMs) / MOST_STEPS);
      while (nowMs + stepMs < toMs) {
        nowMs += stepMs;
        pipeline.advance(nowMs);
      }
      nowMs = Math.max(nowMs, toMs);
    };
    for (const { atMs, given } of inputs) {
      pass(BEGIN_MS + atMs);
      give(pipeline, given, rule, nowMs);
    }
    pass(nowMs + test.waitMs);
    pipeline.advance(nowMs);
  } finally {
    core.close();
  }
  return [...events.values()];
}

function repeats(given: TestInput): Input[] {
  return Array.from({ length: given.times }, (_, i) => ({ atMs: given.atMs + i * given.everyMs, given }));
}

function give(pipeline: Pipeline, given: TestInput, rule: UserRule, nowMs: number): void {
  if (given.kind !== null) pipeline.event(eventOf(given, nowMs));
  if (given.value === null) return;
  const key = `${componentText(componentOf(given))}#${given.series ?? seriesOf(rule)}`;
  pipeline.samples({ source: 'rules test', trust: 'system', keys: [key], timesMs: [nowMs], values: [given.value] });
}

function eventOf(given: TestInput, nowMs: number): EventInput {
  const { kind, severity, state, attributes, job } = given;
  if (kind === null) throw new Error('only of an event');
  const component: Component = job === null ? componentOf(given) : { type: 'job', id: job, host: HOST };
  return {
    kind,
    component,
    ...(severity === null ? {} : { severity }),
    timeMs: nowMs,
    observedMs: nowMs,
    trust: 'system',
    state,
    source: 'rules test',
    attributes,
    discriminator: nowMs,
  };
}

function componentOf({ component }: TestInput): Component {
  return (component === null ? null : parseComponent(component, HOST)) ?? { type: 'host', id: HOST, host: HOST };
}

function seriesOf({ condition }: UserRule): string {
  if (condition.is === 'threshold') return condition.detector.spec.select.quantity;
  return condition.is === 'no-series' ? condition.quantity : 'value';
}

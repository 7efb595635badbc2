// What tests of the Kubernetes source share: a source on folders of their own, and what it said.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { Identity } from '../../../src/identity/identity.ts';
import type { ProcessFact } from '../../../src/identity/work/facts.ts';
import type { EventInput } from '../../../src/model/record.ts';
import { KubernetesSource } from '../../../src/sources/kubernetes/kubernetes-source.ts';
import { type KubernetesSettings, STEPS } from '../../../src/sources/kubernetes/settings.ts';

export function temporary(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'faultline-kubernetes-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

export interface Started {
  readonly source: KubernetesSource;
  readonly identity: Identity;
  readonly events: EventInput[];
  readonly failures: unknown[];
}

/** Looks often, at nothing but `folder`; `settings` says otherwise. */
export function started(t: TestContext, folder: string, settings: Partial<KubernetesSettings> = {}): Started {
  const identity = new Identity('node-3');
  const events: EventInput[] = [];
  const failures: unknown[] = [];
  const source = new KubernetesSource(
    {
      enabled: 'auto',
      kubeletRoot: folder,
      podLogs: join(folder, 'log', 'pods'),
      steps: STEPS,
      cdi: [join(folder, 'cdi')],
      intervalMs: 50,
      node: 'node-3',
      tokenFile: null,
      kubelet: null,
      apiServer: null,
      userLabels: [],
      ...settings,
    },
    {
      host: 'node-3',
      proc: join(folder, 'proc'),
      now: Date.now,
      identity,
      logger: { info() {}, warn() {} },
      lasting: true,
    },
  );
  const abort = new AbortController();
  t.after(() => source.stop());
  source.start(
    {
      samples() {},
      text() {},
      discovery() {},
      event: (input) => void events.push(input),
      failed: (error) => void failures.push(error),
    },
    abort.signal,
  );
  return { source, identity, events, failures };
}

export function processIn(pod: string, pid: number): ProcessFact {
  return {
    pid,
    startTicks: pid,
    startedMs: null,
    parent: 1,
    owner: [1000],
    innerPid: pid,
    place: { pod, container: null, runtime: null, batch: null },
    variables: {},
    readable: true,
    root: '',
    role: '',
    launcher: null,
    said: null,
    framework: null,
    folders: [],
    writes: [],
    devices: [],
  };
}

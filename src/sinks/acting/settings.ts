// The acting section, from what is written to what is in force. Null means off.

import type { Findings } from '../../config/findings.ts';
import { durationMs } from '../../config/quantity.ts';
import type { FromSchema } from '../../config/schema-parts.ts';
import type { Resolving } from '../../config/section.ts';
import { isPlainBeyondLoopback } from '../../helpers/loopback.ts';
import type { ActionName, acting as schema } from './schema.ts';

const ACCOUNT = '/var/run/secrets/kubernetes.io/serviceaccount';

export interface ActingRule {
  readonly action: ActionName;
  readonly kinds: readonly string[];
  readonly hosts: readonly string[];
}

export interface Breaker {
  readonly maxNodes: number;
  readonly maxShare: number;
  readonly storm: number;
  readonly stormMs: number;
  readonly actionsADay: number;
}

export interface KubernetesTarget {
  readonly taint: string;
  readonly effect: 'NoSchedule' | 'NoExecute';
  readonly condition: string;
  /** Null where nothing says where it is. */
  readonly url: string | null;
  readonly caFile: string | null;
  readonly tokenFile: string | null;
  readonly node: string;
}

export interface SlurmTarget {
  readonly programs: string;
  readonly conf: string | null;
  readonly node: string;
}

export interface ActingConfig {
  readonly dryRun: boolean;
  readonly rules: readonly ActingRule[];
  readonly minConfidence: number;
  readonly settleMs: number;
  /** Null: in the state directory. */
  readonly stopFile: string | null;
  readonly breaker: Breaker;
  /** Whether taints and drains of ours are taken back, and how long the fault must have been gone after its remedy. */
  readonly takeBack: { readonly on: boolean; readonly verifiedMs: number };
  readonly kubernetes: KubernetesTarget;
  readonly slurm: SlurmTarget;
  readonly resetProgram: string;
  readonly rebootProgram: string;
}

export function resolveActing(raw: FromSchema<typeof schema>, at: Resolving): ActingConfig | null {
  const { absolute, findings, host, environment } = at;
  const { breaker, kubernetes, slurm } = raw;
  if (raw.mode === 'off') return null;
  const path = (written: string | undefined): string | null => (written === undefined ? null : absolute(written));
  const inPod = (environment.KUBERNETES_SERVICE_HOST ?? '') !== '';
  checkRules(raw, findings);
  return {
    dryRun: raw.mode === 'dry_run',
    rules: raw.rules,
    minConfidence: raw.min_confidence,
    settleMs: durationMs(raw.settle),
    stopFile: path(raw.stop_file),
    breaker: {
      maxNodes: breaker.max_nodes,
      maxShare: breaker.max_share,
      storm: breaker.storm,
      stormMs: durationMs(breaker.storm_window),
      actionsADay: breaker.actions_a_day,
    },
    takeBack: { on: raw.take_back.mode === 'on', verifiedMs: durationMs(raw.take_back.verified_for) },
    kubernetes: {
      taint: kubernetes.taint,
      effect: kubernetes.effect,
      condition: kubernetes.condition,
      url: kubernetes.api_server ?? ownCluster(environment),
      caFile: path(kubernetes.api_ca) ?? (inPod ? `${ACCOUNT}/ca.crt` : null),
      tokenFile: path(kubernetes.token_file) ?? (inPod ? `${ACCOUNT}/token` : null),
      node: kubernetes.node ?? (environment.NODE_NAME || host.toLowerCase()),
    },
    slurm: { programs: path(slurm.programs) ?? '/usr/bin', conf: path(slurm.conf), node: slurm.node ?? host },
    resetProgram: path(raw.gpu_reset.program) ?? '/usr/bin/nvidia-smi',
    rebootProgram: path(raw.reboot.program) ?? '/usr/bin/systemctl',
  };
}

function checkRules({ rules, kubernetes }: FromSchema<typeof schema>, findings: Findings): void {
  if (rules.length === 0)
    findings.problem('FL1106', '/acting/rules', 'allows nothing: write a rule, or mode: off'); // biome-ignore format: one line
  for (const [at, { kinds, hosts }] of rules.entries()) {
    if (kinds.includes('*'))
      findings.problem('FL1106', `/acting/rules/${at}/kinds`, 'is every kind there is. Write those that you would act on at night, such as gpu.lost'); // biome-ignore format: one line
    if (hosts.length === 0 || kinds.length === 0)
      findings.problem('FL1106', `/acting/rules/${at}`, 'allows nothing: write kinds and hosts');
  }
  if (kubernetes.api_server !== undefined && isPlainBeyondLoopback(kubernetes.api_server))
    findings.problem('FL1110', '/acting/kubernetes/api_server', 'sends the token in the clear. Write: https://…');
}

function ownCluster({ KUBERNETES_SERVICE_HOST: service, KUBERNETES_SERVICE_PORT: port = '443' }: Resolving['environment']): string | null {
  if (service === undefined || service === '') return null;
  return `https://${service.includes(':') ? `[${service}]` : service}:${port}`;
} // biome-ignore format: signature

// Health event: an incident as NVSentinel's platform connector takes it; what each field means is in catalog/nvsentinel.json.

import catalogue from '#catalog/nvsentinel.json' with { type: 'json' };
import type { Action } from '../../model/action.ts';
import type { Component, ComponentType } from '../../model/component.ts';
import { componentText } from '../../model/component.ts';
import type { Incident } from '../../model/incident.ts';
import { plain } from '../../model/plain.ts';
import { compareSeverity, type Severity } from '../../model/severity.ts';
import type { Facts } from '../message/facts.ts';

export interface Entity {
  readonly entityType: string;
  readonly entityValue: string;
}

export interface HealthEvent {
  readonly version: number;
  readonly agent: string;
  readonly componentClass: string;
  readonly checkName: string;
  readonly isFatal: boolean;
  readonly isHealthy: boolean;
  readonly message: string;
  readonly recommendedAction: string;
  readonly customRecommendedAction: string;
  readonly errorCode: readonly string[];
  readonly entitiesImpacted: readonly Entity[];
  readonly metadata: Readonly<Record<string, string>>;
  readonly generatedTimestamp: { readonly seconds: number; readonly nanos: number };
  readonly nodeName: string;
  readonly processingStrategy: string;
}

export interface EventOptions {
  readonly nodeName: string;
  /** Least severity of a fault that NVSentinel may act upon. */
  readonly fatal: Severity;
  /** 0 to 1: below it nothing is fatal. */
  readonly minConfidence: number;
  readonly processing: 'store_only' | 'execute_remediation';
}

const AGENT = 'faultline';
const LONGEST_MESSAGE = 900;
const GPU_UUID = /^(?:GPU|MIG)-[0-9a-f-]{4,64}$/i;

const ACTIONS: Readonly<Record<Action, string>> = catalogue.actions;
const CLASSES: Readonly<Partial<Record<ComponentType, string>>> = catalogue.classes;
const ENTITIES: Readonly<Partial<Record<ComponentType, string>>> = catalogue.entities;

/** Of an open incident. */
export function unhealthy(incident: Incident, facts: Facts, options: EventOptions): HealthEvent {
  const { root, action, severity, updatedMs, confidence, traceId, made } = incident;
  // What a user of the host could have written all of takes no node out of service; neither does a guess, nor a drill.
  const sure = incident.rootKnown && incident.unconfirmed === null && confidence >= options.minConfidence;
  const mayAct = sure && made === undefined;
  const recommended = sure ? ACTIONS[action.kind] : 'NONE';
  return {
    version: catalogue.protocol,
    agent: AGENT,
    componentClass: CLASSES[root.component?.type ?? 'host'] ?? 'Node',
    checkName: checkName(root.kind),
    isFatal: mayAct && recommended !== 'NONE' && compareSeverity(severity, options.fatal) >= 0,
    isHealthy: false,
    message: plain(`${facts.title}. ${facts.action}. ${facts.explain}`, LONGEST_MESSAGE),
    recommendedAction: recommended,
    customRecommendedAction: recommended === 'CUSTOM' ? action.kind.toUpperCase() : '',
    errorCode: errorCodes(incident),
    entitiesImpacted: entitiesOf(root.component, options.nodeName),
    metadata: {
      trace_id: traceId,
      incident_id: incident.id,
      kind: root.kind,
      severity,
      confidence: confidence.toFixed(2),
      action: action.kind,
      runbook: facts.runbook_url ?? facts.runbook,
      ...(facts.jobs === null ? {} : { jobs: facts.jobs }),
      ...(made === undefined ? {} : { made }),
    },
    generatedTimestamp: timestamp(updatedMs),
    nodeName: options.nodeName,
    processingStrategy: mayAct && options.processing === 'execute_remediation' ? 'EXECUTE_REMEDIATION' : 'STORE_ONLY',
  };
}

/** What clears it: the same check and entities. It takes the same way through NVSentinel as what it clears. */
export function healthy(event: HealthEvent, atMs: number): HealthEvent {
  return {
    ...event,
    isFatal: false,
    isHealthy: true,
    message: 'resolved',
    recommendedAction: 'NONE',
    customRecommendedAction: '',
    errorCode: [],
    generatedTimestamp: timestamp(atMs),
  };
}

/** Of one that is over by the time that it can be sent: for the record alone. */
export function late(event: HealthEvent): HealthEvent {
  return { ...event, isFatal: false, processingStrategy: 'STORE_ONLY' };
}

/** What NVSentinel tells faults apart by. */
export function checkKey({ checkName: check, entitiesImpacted }: HealthEvent): string {
  return JSON.stringify([
    check,
    ...entitiesImpacted.map(({ entityType, entityValue }) => `${entityType} ${entityValue}`),
  ]);
}

/** `gpu.memory.dbe` → FaultlineGpuMemoryDbe: it becomes the type of a node's condition. */
export function checkName(kind: string): string {
  return `Faultline${kind
    .split(/[._]/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('')}`;
}

/** The number of the driver's error where there is one, as NVSentinel's own monitors write it. */
function errorCodes({ events, root }: Incident): readonly string[] {
  const { xid, sxid } = events.find(({ id }) => id === root.eventId)?.attributes ?? {};
  const code = xid ?? sxid;
  return [typeof code === 'number' || typeof code === 'string' ? String(code) : root.kind];
}

function entitiesOf(component: Component | null, nodeName: string): readonly Entity[] {
  if (component === null || component.type === 'host') return [{ entityType: 'v1/Node', entityValue: nodeName }];
  const type = ENTITIES[component.type];
  if (type === undefined) return [{ entityType: component.type, entityValue: plain(component.id, 200) }];
  const address = component.type === 'nvlink' ? component.id : (component.id.split('/')[0] ?? component.id);
  const uuids = component.aliases?.filter((alias) => GPU_UUID.test(alias)) ?? [];
  return [
    { entityType: type, entityValue: address },
    ...uuids.slice(0, 1).map((uuid) => ({ entityType: 'GPU_UUID', entityValue: uuid })),
    ...(type === 'PCI' ? [] : [{ entityType: 'component', entityValue: plain(componentText(component), 200) }]),
  ];
}

function timestamp(ms: number): HealthEvent['generatedTimestamp'] {
  const seconds = Math.floor(ms / 1000);
  return { seconds, nanos: Math.round((ms - seconds * 1000) * 1000) * 1000 };
}

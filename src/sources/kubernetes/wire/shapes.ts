// Shapes of the messages that kubelet serves: of v1.Pod what is read of it, PodResources v1, Pods v1alpha1.
// Numbers: k8s.io/api/core/v1/generated.proto, k8s.io/apimachinery/…/meta/v1/generated.proto, k8s.io/kubelet/pkg/apis/podresources/v1
// and …/pods/v1alpha1/api.proto.

import type { Shape } from './decode.ts';

const TIME: Shape = { 1: ['seconds', 'number'], 2: ['nanos', 'number'] };

const METADATA: Shape = {
  1: ['name', 'text'],
  3: ['namespace', 'text'],
  5: ['uid', 'text'],
  8: ['creationTimestamp', TIME],
  9: ['deletionTimestamp', TIME],
  11: ['labels', 'map'],
  12: ['annotations', 'map'],
  13: [
    'ownerReferences',
    { 1: ['kind', 'text'], 3: ['name', 'text'], 4: ['uid', 'text'], 5: ['apiVersion', 'text'], 6: ['controller', 'flag'] },
    '[]',
  ],
}; // biome-ignore format: as the messages are

const VARIABLE: Shape = {
  1: ['name', 'text'],
  2: ['value', 'text'],
  3: ['valueFrom', { 1: ['fieldRef', { 2: ['fieldPath', 'text'] }] }],
};

const CONTAINER: Shape = { 1: ['name', 'text'], 7: ['env', VARIABLE, '[]'] };

const SPEC: Shape = {
  2: ['containers', CONTAINER, '[]'],
  10: ['nodeName', 'text'],
  11: ['hostNetwork', 'flag'],
  20: ['initContainers', CONTAINER, '[]'],
  24: ['priorityClassName', 'text'],
};

const STATE: Shape = {
  1: ['waiting', { 1: ['reason', 'text'], 2: ['message', 'text'] }],
  2: ['running', { 1: ['startedAt', TIME] }],
  3: [
    'terminated',
    {
      1: ['exitCode', 'number'],
      2: ['signal', 'number'],
      3: ['reason', 'text'],
      4: ['message', 'text'],
      5: ['startedAt', TIME],
      6: ['finishedAt', TIME],
    },
  ],
};

const CONTAINER_STATUS: Shape = {
  1: ['name', 'text'],
  2: ['state', STATE],
  3: ['lastState', STATE],
  5: ['restartCount', 'number'],
  8: ['containerID', 'text'],
  14: [
    'allocatedResourcesStatus',
    {
      1: ['name', 'text'],
      2: ['resources', { 1: ['resourceID', 'text'], 2: ['health', 'text'], 3: ['message', 'text'] }, '[]'],
    },
    '[]',
  ],
};

const STATUS: Shape = {
  1: ['phase', 'text'],
  2: [
    'conditions',
    { 1: ['type', 'text'], 2: ['status', 'text'], 4: ['lastTransitionTime', TIME], 5: ['reason', 'text'], 6: ['message', 'text'] },
    '[]',
  ],
  3: ['message', 'text'],
  4: ['reason', 'text'],
  7: ['startTime', TIME],
  8: ['containerStatuses', CONTAINER_STATUS, '[]'],
  10: ['initContainerStatuses', CONTAINER_STATUS, '[]'],
}; // biome-ignore format: as the messages are

export const POD: Shape = { 1: ['metadata', METADATA], 2: ['spec', SPEC], 3: ['status', STATUS] };

/** Of the Pods API: each pod is a message in bytes. */
export const WATCH_EVENT: Shape = { 1: ['type', 'number'], 2: ['pod', 'bytes'] };

const CLAIM: Shape = {
  2: ['claim_name', 'text'],
  3: ['claim_namespace', 'text'],
  4: [
    'claim_resources',
    {
      1: ['cdi_devices', { 1: ['name', 'text'] }, '[]'],
      2: ['driver_name', 'text'],
      3: ['pool_name', 'text'],
      4: ['device_name', 'text'],
      5: ['share_id', 'text'],
    },
    '[]',
  ],
};

export const POD_RESOURCES: Shape = {
  1: [
    'pod_resources',
    {
      1: ['name', 'text'],
      2: ['namespace', 'text'],
      3: [
        'containers',
        {
          1: ['name', 'text'],
          2: ['devices', { 1: ['resource_name', 'text'], 2: ['device_ids', 'text', '[]'] }, '[]'],
          5: ['dynamic_resources', CLAIM, '[]'],
        },
        '[]',
      ],
    },
    '[]',
  ],
};

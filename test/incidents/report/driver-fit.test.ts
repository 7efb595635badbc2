// A driver that does not fit: what to do now, with both versions, by what the lines say of it.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { doText } from '../../../src/incidents/report/steps.ts';
import type { FaultEvent } from '../../../src/model/event.ts';
import { event, incident } from '../sample.ts';

test('a driver that does not fit is loaded now, with both versions; one that is not there, and one for another GPU, in their own words', () => {
  const host = { type: 'host', id: 'node-3' } as const;
  const { root } = incident('7f3c41d2a0b1');
  const text = (attributes: FaultEvent['attributes'], line = '') => {
    const evidence = line === '' ? [] : [{ source: 'job-log', timeMs: 0, text: line }];
    const seen = event(root.eventId, 'gpu.driver_unsupported', host, { attributes, evidence });
    const action = { kind: 'update_software', target: host, why: '' } as const;
    const more = { host: 'node-3', whose: [], events: [seen], root: { ...root, kind: seen.kind, component: host } };
    return doText(incident('7f3c41d2a0b1', { action, ...more }), 'UTC');
  };
  const mismatch = text({ mismatch: true, library: '550.90.07', module: '550.54.15' });
  assert.match(
    mismatch,
    /^reload the driver of node-3: an upgrade replaced its library \(550\.90\.07\), and the old module 550\.54\.15 is still loaded/,
  );
  assert.match(mismatch, /state=drain .*modprobe -r nvidia_uvm .*reboot it: sudo systemctl reboot\. .*apt-mark hold/);
  assert.match(
    text({}, 'Failed to initialize NVML: Driver/library version mismatch'),
    /^reload the driver of node-3: an upgrade replaced its library, and the old module is still loaded/,
  );
  assert.match(
    text({ mismatch: true, client: 'python3' }),
    /nvidia-smi on node-3 itself works: then only the container/,
  );
  assert.match(text({ driver_loaded: false }), /dkms status; mokutil --sb-state/);
  assert.match(text({ bound_to: 'nouveau' }), /nouveau has it/);
  assert.match(text({ unsupported: true, module: 'open' }), /install the proprietary ones/);
  assert.match(
    text({ message: 'CUDA driver version is insufficient for CUDA runtime version' }),
    /the newest CUDA that it runs/,
  );
  for (const each of [{ mismatch: true }, { driver_loaded: false }, { unsupported: true }, {}])
    assert.doesNotMatch(text(each), /runbook names|next maintenance|[A-Z]{5,}(?<!NVIDIA)/);
});

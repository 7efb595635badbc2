// What a scan says of a node that is not ready: what its kubelet lacks, where it says so, and else whether the host is up at all.

import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { scannedLogs } from './scanned.ts';

const described = (t: TestContext, ready: string): Promise<string> =>
  scannedLogs(t, {
    'node.txt': [
      'Name:               hx-21',
      'Roles:              <none>',
      'Conditions:',
      '  Type             Status  LastHeartbeatTime                 LastTransitionTime                Reason                       Message',
      '  ----             ------  -----------------                 ------------------                ------                       -------',
      ready,
    ],
  });
const TIMES = 'Sun, 29 Nov 2026 10:22:01 +0000   Sun, 29 Nov 2026 10:11:44 +0000';

test('a kubelet whose container runtime does not answer sends to the runtime of its host', async (t) => {
  for (const line of [
    'E1129 05:44:17.402211    2911 kubelet.go:2412] "Skipping pod synchronization" err="PLEG is not healthy: pleg was last seen active 4m2.1s ago; threshold is 3m0s"',
    'E1129 05:44:17.402211    2911 kubelet.go:2412] "Skipping pod synchronization" err="container runtime is down"',
    'I1129 05:44:22.911100    2911 setters.go:602] "Node became not ready" node="hx-20" condition={"type":"Ready","status":"False","reason":"KubeletNotReady","message":"container runtime is down"}',
  ]) {
    const text = await scannedLogs(t, { 'kubelet.log': [`Nov 29 05:44:17 hx-20 kubelet[2911]: ${line}`] });
    assert.match(text, /on hx-20: its container runtime does not answer/);
    assert.match(text, /Now +on hx-20, sudo crictl info; sudo systemctl status containerd crio/);
    assert.doesNotMatch(text, /dead node|chassis power/);
  }
});

test('a described node says what its kubelet says: the network plugin, or its own words', async (t) => {
  const network = await described(t, `  Ready            False   ${TIMES}   KubeletNotReady              container runtime network not ready: NetworkReady=false reason:NetworkPluginNotReady message:docker: network plugin is not ready: cni config uninitialized`); // biome-ignore format: one line
  assert.match(network, /on hx-21: its network plugin \(CNI\) is not ready/);
  assert.match(network, /--field-selector spec.nodeName=hx-21: .* on hx-21, ls \/etc\/cni\/net\.d/);
  const other = await described(t, `  Ready            False   ${TIMES}   KubeletNotReady              [container runtime status check may not have completed yet, CSINode is not yet initialized]`); // biome-ignore format: one line
  assert.doesNotMatch(`${network} ${other}`, /dead node|chassis power/);
});

test('of a node whose kubelet says nothing any more it is seen first whether it is up', async (t) => {
  const text = await described(t, `  Ready            Unknown   ${TIMES}   NodeStatusUnknown            Kubelet stopped posting node status.`); // biome-ignore format: one line
  assert.match(text, /Now +ping -c 3 hx-21; ssh hx-21 uptime; .* may be a dead node/);
});

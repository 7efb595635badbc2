// What a scan says of services of the cluster itself: etcd, name servers, and the runtime of a node.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { scannedLogs } from './scanned.ts';

test('a slow disk of etcd is named as such, with how long it took', async (t) => {
  const line = '{"level":"warn","ts":"2026-11-29T02:51:00.1Z","caller":"wal/wal.go:805","msg":"slow fdatasync","took":"2.31s","expected-duration":"1s"}'; // biome-ignore format: one line
  const text = await scannedLogs(t, { 'etcd.log': [line] }, '--host', 'cp-1');
  assert.match(text, /storage stalled on cp-1: etcd waits for its disk, 2\.31s for one fdatasync/);
  assert.match(text, /Do +see why the disk of etcd on cp-1 is slow/);
  assert.match(text, /Call +who runs the control plane/);
});

test('a service that was killed for memory is to be started again by who runs its host', async (t) => {
  const text = await scannedLogs(t, {
    'ns-1.syslog': [
      'Nov 29 14:29:55 ns-1 kernel: Out of memory: Killed process 1801 (named) total-vm:9121212kB, anon-rss:7121234kB, file-rss:0kB, shmem-rss:0kB, UID:53 pgtables:14412kB oom_score_adj:0',
      'Nov 29 14:29:56 ns-1 systemd[1]: named.service: Main process exited, code=killed, status=9/KILL',
      "Nov 29 14:29:56 ns-1 systemd[1]: named.service: Failed with result 'oom-kill'.",
    ],
  });
  assert.match(text, /Do +start named of ns-1 again, which was killed when memory ran out/);
  assert.match(text, /sudo systemctl\s+restart named/);
  assert.match(text, /Call +who runs ns-1\n/);
  assert.match(text, /1 incident out of/);
});

test('a process that was killed, of no service, stays the matter of its owner', async (t) => {
  const text = await scannedLogs(t, {
    'hx-1.syslog': [
      'Nov 29 14:29:55 hx-1 kernel: Out of memory: Killed process 1801 (python3) total-vm:9121212kB, anon-rss:7121234kB, file-rss:0kB, shmem-rss:0kB, UID:5312 pgtables:14412kB oom_score_adj:0',
    ],
  });
  assert.match(text, /see what filled the memory of hx-1/);
  assert.doesNotMatch(text, /systemctl/);
});

test('what a kubelet says of its runtime counts next to a table of nodes', async (t) => {
  const text = await scannedLogs(t, {
    'hx-9.journal': [
      'Nov 29 13:24:12 hx-9 kubelet[2750]: I1129 13:24:12.100121    2750 setters.go:602] "Node became not ready" node="hx-9" condition={"type":"Ready","status":"False","reason":"KubeletNotReady","message":"container runtime is down, PLEG is not healthy: pleg was last seen active 3m1.2s ago; threshold is 3m0s"}',
    ],
    'nodes.txt': [
      'NAME   STATUS     ROLES    AGE    VERSION',
      'hx-8   Ready      <none>   212d   v1.31.4',
      'hx-9   NotReady   <none>   212d   v1.31.4',
    ],
  });
  assert.match(text, /Do +see why the container runtime of hx-9 does not answer/);
  assert.match(text, /sudo systemctl restart containerd[\s\S]*sudo systemctl restart\s+kubelet/);
  assert.doesNotMatch(text, /ping -c|chassis power/);
});

test('a kubelet whose API server shows a certificate that is over asks for a new one, and drains nothing', async (t) => {
  const line = (clock: string, day: string): string =>
    `Nov 15 ${clock} k8s-cp1 kubelet[5783]: E1115 ${clock}.000000    5783 reflector.go:150] k8s.io/client-go/informers/factory.go:160: Failed to watch *v1.Node: failed to list *v1.Node: Get "https://10.20.0.10:6443/api/v1/nodes": tls: failed to verify certificate: x509: certificate has expired or is not yet valid: current time 2026-11-15T${clock}Z is ${day} 2026-11-15T09:20:11Z`;
  const text = await scannedLogs(t, { syslog: [line('09:21:40', 'after'), line('09:22:40', 'after')] });
  assert.match(
    text,
    /Root cause .*control plane of Kubernetes not reached on k8s-cp1: the certificate of the API server is over/,
  );
  assert.match(text, /Now +on each host of the control plane, sudo kubeadm certs check-expiration/);
  assert.doesNotMatch(text, /state=drain|kubectl cordon/);
  assert.doesNotMatch(
    await scannedLogs(t, { syslog: [line('09:21:40', 'before')] }),
    /certificate of the API server is over/,
  );
});

// Which network a pod is in: the node's, or interfaces of its own as its CNI's annotation has them.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { networkOf } from '../../../../src/sources/kubernetes/pod/network.ts';

// As multus writes it for a pod with a function of the SR-IOV device plugin.
const STATUS = `[{
    "name": "kindnet",
    "interface": "eth0",
    "ips": ["10.244.1.7"],
    "default": true
},{
    "name": "ml/sriov-net",
    "interface": "net1",
    "mac": "22:13:8a:c2:40:00",
    "dns": {},
    "device-info": {"type": "pci", "version": "1.1.0", "pci": {"pci-address": "0000:d0:00.1", "rdma-device": "mlx5_8"}}
}]`;
const withStatus = (text: unknown, spec = {}) =>
  networkOf({ metadata: { annotations: { 'k8s.v1.cni.cncf.io/network-status': text } }, spec });

test('interfaces with a device, by its address', () => {
  assert.deepEqual(withStatus(STATUS), { net1: '0000:d0:00.1' });
});

test("the node's own network", () => {
  assert.equal(withStatus(STATUS, { hostNetwork: true }), 'host');
});

test('what says nothing of devices, or is not in this form, is not known', () => {
  for (const text of [undefined, '', '[', '{}', 'null', '[null, 7, {"interface": "net1"}]', `[${' '.repeat(20_000)}]`])
    assert.equal(withStatus(text), null, String(text).slice(0, 40));
  const odd = JSON.stringify([{ interface: '../net1', 'device-info': { pci: { 'pci-address': '0000:d0:00.1' } } }]);
  assert.equal(withStatus(odd), null);
});

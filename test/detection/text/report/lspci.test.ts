// lspci -vv: the lines that version 3.9 printed of configuration spaces that were put together for it (lspci -F).

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readReport } from './read-report.ts';

const NAMES = {
  port: 'PCI bridge: Intel Corporation Sunrise Point-LP PCI Express Root Port #1 (rev f1) (prog-if 00 [Normal decode])',
  gpu: '3D controller: NVIDIA Corporation GH100 [H100 SXM5 80GB] (rev a1)',
  nic: 'Infiniband controller: Mellanox Technologies MT2910 Family [ConnectX-7]',
  disk: 'Non-Volatile memory controller: Samsung Electronics Co Ltd NVMe SSD Controller PM9A1/PM9A3/980PRO (prog-if 02 [NVM Express])',
};

interface Device {
  readonly at: string;
  readonly is: keyof typeof NAMES;
  readonly able: string;
  readonly link: string;
  readonly below?: string;
  readonly errors?: string;
}

function device({ at, is, able, link, below, errors = '' }: Device): string {
  return `${at} ${NAMES[is]}
	Control: I/O- Mem+ BusMaster+ SpecCycle- MemWINV- VGASnoop- ParErr- Stepping- SERR- FastB2B- DisINTx+
	Status: Cap+ 66MHz- UDF- FastB2B- ParErr- DEVSEL=fast >TAbort- <TAbort- <MAbort- >SERR- <PERR- INTx-
${below === undefined ? '' : `	Bus: primary=00, secondary=${below}, subordinate=${below}, sec-latency=0\n`}	Capabilities: [70] Express (v2) Endpoint, MSI 00
		DevSta:	CorrErr+ NonFatalErr+ FatalErr+ UnsupReq+ AuxPwr+ TransPend-
		LnkCap:	Port #0, ${able}, ASPM L1, Exit Latency L1 <8us
			ClockPM+ Surprise- LLActRep- BwNot- ASPMOptComp+
		LnkSta:	${link}
			TrErr- Train- SlotClk+ DLActive- BWMgmt- ABWMgmt-
		DevCap2: Completion Timeout: Range ABCD, TimeoutDis+ NROPrPrP- LTR+
			 10BitTagComp+ 10BitTagReq- OBFF Not Supported, ExtFmt- EETLPPrefix-
${errors}	Kernel driver in use: nvidia
`;
}

test('a link below what card and slot can do', () => {
  const { faults, findings, forms } = readReport(
    device({ at: '3b:00.0', is: 'gpu', able: 'Speed 32GT/s, Width x16', link: 'Speed 32GT/s, Width x8 (downgraded)' }) +
      device({ at: '0002:5d:00.0', is: 'nic', able: 'Speed 32GT/s, Width x16', link: 'Speed 8GT/s (downgraded), Width x16' }) + // biome-ignore format: a device a line
      device({ at: '7f:00.0', is: 'disk', able: 'Speed 16GT/s, Width x4', link: 'Speed 16GT/s (ok), Width x2 (downgraded)' }), // biome-ignore format: a device a line
  );
  assert.deepEqual(forms, ['lspci']);
  assert.deepEqual(faults, [
    ['pcie.link_degraded', 'gpu/0000:3b:00.0'],
    ['pcie.link_degraded', 'nic/0002:5d:00.0'],
    ['pcie.link_degraded', 'pcie/0000:7f:00.0'],
  ]);
  assert.deepEqual(findings[0]?.attributes, { speed_gt_s: 32, width_lanes: 8, full_speed_gt_s: 32, full_width_lanes: 16 }); // biome-ignore format: one line
});

test('a card in a slot that can do no more, a GPU that saves power and a link at full are as they should be', () => {
  const { faults, states } = readReport(
    device({ at: '00:03.0', is: 'port', able: 'Speed 32GT/s, Width x8', link: 'Speed 32GT/s, Width x8', below: '4c' }) +
      device({
        at: '4c:00.0',
        is: 'gpu',
        able: 'Speed 32GT/s, Width x16',
        link: 'Speed 32GT/s, Width x8 (downgraded)',
      }) + // biome-ignore format: a device a line
      device({
        at: '19:00.0',
        is: 'gpu',
        able: 'Speed 32GT/s, Width x16',
        link: 'Speed 2.5GT/s (downgraded), Width x16',
      }) + // biome-ignore format: a device a line
      device({ at: '5e:00.0', is: 'nic', able: 'Speed 32GT/s, Width x16', link: 'Speed 32GT/s, Width x16' }),
  );
  assert.deepEqual(faults, []);
  assert.deepEqual(states.map(({ component, name, value }) => `${component} ${name} ${value}`).slice(0, 2), [
    'gpu/0000:4c:00.0 pcie_link_speed_gt_s 32',
    'gpu/0000:4c:00.0 pcie_link_width_lanes 8',
  ]);
});

test('error bits that are still set, over several lines; masks and what probing sets are none', () => {
  const errors = `	Capabilities: [100 v2] Advanced Error Reporting
		UESta:	DLP- SDES- TLP- FCP- CmpltTO+ CmpltAbrt- UnxCmplt+ RxOF- MalfTLP-
			ECRC- UnsupReq+ ACSViol- UncorrIntErr+ BlockedTLP- AtomicOpBlocked- TLPBlockedErr-
			PoisonTLPBlocked- DMWrReqBlocked- IDECheck- MisIDETLP- PCRC_CHECK- TLPXlatBlocked-
		UEMsk:	DLP+ SDES+ TLP+ FCP- CmpltTO- CmpltAbrt- UnxCmplt+ RxOF- MalfTLP-
			ECRC+ UnsupReq- ACSViol-
		UESvrt:	DLP+ SDES+ TLP- FCP+ CmpltTO- CmpltAbrt- UnxCmplt- RxOF+ MalfTLP+
		CESta:	RxErr+ BadTLP- BadDLLP- Rollover- Timeout- AdvNonFatalErr+
		CEMsk:	RxErr- BadTLP- BadDLLP+ Rollover- Timeout- AdvNonFatalErr+
`;
  const full = { able: 'Speed 32GT/s, Width x16', link: 'Speed 32GT/s, Width x16' };
  const { findings } = readReport(device({ at: '3b:00.0', is: 'gpu', ...full, errors }));
  assert.deepEqual(
    findings.map(({ kind, severity, attributes }) => [kind, severity, attributes.bits]),
    [['pcie.uncorrected', 'warning', 'CmpltTO'], ['pcie.uncorrected', 'warning', 'CmpltTO UncorrIntErr'], ['pcie.corrected', 'info', 'RxErr']], // biome-ignore format: one line
  );
});

test('a device that reads as ones is gone; a port that contained an error is named', () => {
  const { faults } = readReport(`3b:00.0 3D controller: NVIDIA Corporation GH100 [H100 SXM5 80GB] (rev ff) (prog-if ff)
	!!! Unknown header type 7f
	Kernel driver in use: nvidia
5d:00.0 Infiniband controller: Mellanox Technologies MT2910 Family [ConnectX-7] (rev ff) (prog-if ff)
	!!! Unknown header type 7f
6e:00.0 Unassigned class [ffff]: Illegal Vendor ID Device ffff (rev ff) (prog-if ff)
	!!! Unknown header type 7f
00:04.0 PCI bridge: Intel Corporation Device 352a (rev 04) (prog-if 00 [Normal decode])
		DpcSta:	Trigger+ Reason:01 INT+ RPBusy- TriggerExt:00 RP PIO ErrPtr:1f
00:05.0 PCI bridge: Intel Corporation Device 352a (rev 04) (prog-if 00 [Normal decode])
		DpcSta:	Trigger- Reason:00 INT- RPBusy- TriggerExt:00 RP PIO ErrPtr:1f`);
  assert.deepEqual(faults, [
    ['gpu.lost', 'gpu/0000:3b:00.0'],
    ['nic.lost', 'nic/0000:5d:00.0'],
    ['pcie.link_down', 'pcie/0000:6e:00.0'],
    ['pcie.uncorrected_fatal', 'pcie/0000:00:04.0'],
  ]);
});

test('of a card that is gone the other functions say no more', () => {
  const { faults } =
    readReport(`1a:00.0 VGA compatible controller: NVIDIA Corporation TU102GL [Quadro RTX 6000/8000] (rev a1)
1c:00.0 VGA compatible controller: NVIDIA Corporation TU102GL [Quadro RTX 6000/8000] (rev ff)
1c:00.1 Audio device: NVIDIA Corporation TU102 High Definition Audio Controller (rev ff)
1c:00.2 USB controller: NVIDIA Corporation TU102 USB 3.1 Host Controller (rev ff)`);
  assert.deepEqual(faults, [['gpu.lost', 'gpu/0000:1c:00.0']]);
});

test('its own list without -v, with domains and numbers; the graphics chip of a board does not compute', () => {
  const { faults } = readReport(`0001:3b:00.0 0302: 10de:2330 (rev ff)
03:00.0 VGA compatible controller: ASPEED Technology, Inc. ASPEED Graphics Family (rev ff)`);
  assert.deepEqual(faults, [
    ['gpu.lost', 'gpu/0001:3b:00.0'],
    ['pcie.link_down', 'pcie/0000:03:00.0'],
  ]);
});

test('lines that begin like an address, and what follows the list, are left alone', () => {
  assert.deepEqual(
    readReport('10:15.3 Starting: step 4\n3b:00.0 Loss: 2.1\n\tat module.forward\n09:30:15 controller: up').taken,
    [false, false, false, false],
  );
});

test('a width that lspci calls downgraded is enough where the rest was not copied; a speed is not, which a card at rest takes', () => {
  const cut = (link: string): string => `01:00.0 ${NAMES.gpu}\n\t\tLnkSta:\t${link}\n`;
  const [found] = readReport(cut('Speed 2.5GT/s (downgraded), Width x8 (downgraded)')).findings;
  assert.equal(found?.kind, 'pcie.link_degraded');
  assert.deepEqual(readReport(cut('Speed 2.5GT/s (downgraded), Width x16')).findings, []);
});

test('the link of a device that was asked for by its address', () => {
  const asked = (width: number): string =>
    `$ lspci -s 47:00.0 -vv | grep Lnk\n    LnkCap: Speed 32GT/s, Width x16\n    LnkSta: Speed 32GT/s, Width x${width}\n`;
  assert.equal(readReport(asked(8)).findings[0]?.component?.id, '0000:47:00.0');
  assert.deepEqual(readReport(asked(16)).findings, []);
});

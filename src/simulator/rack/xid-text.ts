// What the NVIDIA kernel module writes behind the number of an XID.

export const XID_TEXT: Readonly<Record<number, string>> = {
  13: 'Graphics Exception: ESR 0x504648=0x1f0009 0x504650=0x4 0x504644=0xd3eff2 0x50464c=0x17f',
  31: 'MMU Fault: ENGINE GRAPHICS GPCCLIENT_T1_0 faulted @ 0x7f2c_a0000000. Fault is of type FAULT_PDE ACCESS_TYPE_VIRT_READ',
  43: 'Ch 00000010, engmask 00000101, intr 00000000',
  45: 'Ch 00000010, intr 00000000',
  48: 'DBE (double bit error) ECC Error. A process was affected.',
  79: 'GPU has fallen off the bus.',
  119: 'Timeout after 6s of waiting for RPC response from GPU0 GSP! Expected function 76 (GSP_RM_CONTROL) (0x2080a068 0x4).',
};

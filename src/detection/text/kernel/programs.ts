// Programs of whose lines the decoders of kernel text know any: what they print of devices, clocks and file systems.

export const SPEAKS_OF_DEVICES = /^(?:chronyd|ntpd|systemd-timesyncd|mmfs|nv-fabricmanager|systemd\[1\])/;

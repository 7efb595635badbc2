// The table of a firmware, built structure by structure as DSP0134 lays them out.

export interface Module {
  readonly locator: string;
  readonly bank: string;
  readonly serial: string;
  readonly part: string;
  readonly sizeMb: number;
}

function structure(type: number, length: number, fill: (bytes: Buffer) => void, texts: readonly string[]): Buffer {
  const bytes = Buffer.alloc(length);
  bytes.writeUInt8(type, 0);
  bytes.writeUInt8(length, 1);
  fill(bytes);
  const tail = texts.length === 0 ? '\0\0' : `${texts.join('\0')}\0\0`;
  return Buffer.concat([bytes, Buffer.from(tail, 'latin1')]);
}

export function systemInformation(uuid: string, serial: string): Buffer {
  return structure(
    1,
    0x1b,
    (bytes) => {
      bytes.writeUInt8(1, 0x04);
      bytes.writeUInt8(2, 0x07);
      bytes.write(uuid, 0x08, 'hex');
    },
    ['Maker', serial],
  );
}

export function memoryDevice({ locator, bank, serial, part, sizeMb }: Module): Buffer {
  const texts = [locator, bank, serial, part].filter((text) => text !== '');
  return structure(
    17,
    0x28,
    (bytes) => {
      bytes.writeUInt16LE(sizeMb, 0x0c);
      bytes.writeUInt8(texts.indexOf(locator) + 1, 0x10);
      bytes.writeUInt8(texts.indexOf(bank) + 1, 0x11);
      bytes.writeUInt8(texts.indexOf(serial) + 1, 0x18);
      bytes.writeUInt8(texts.indexOf(part) + 1, 0x1a);
    },
    texts,
  );
}

export function smbiosTable(...structures: readonly Buffer[]): Buffer {
  return Buffer.concat([...structures, structure(127, 4, () => {}, [])]);
}

// Names: users and hosts by numbers, the same name by the same number throughout a bundle.

/** Names that say nothing about whose host it is. */
const COMMON = new Set(
  'localhost localdomain root daemon host node gpu cpu user users admin nvidia slurm system'.split(' '),
);
/** What devices are called: "gpu0" is none of the hosts "gpu12" is one of. */
const DEVICE =
  /^(?:gpu|cpu|nic|psu|fan|rank|node|eth|ib|en[ops]?|nvme|mlx\d?_?|sd|dimm|port|numa|socket|link|pcie?|job|step|pod)$/i;
const SHORTEST = 3;
const MOST = 4096;
const USERS =
  /(?:\/(?:home|Users)\/|\b(?:USER|LOGNAME|SUDO_USER|user(?:name)?)[=:]\s?["']?|\bfor user )([A-Za-z_][\w.-]{1,63})|\b([\w.+-]{1,64})@[\w-]{1,64}\.[\w.-]{2,64}/g;
const IPV4 = /(?<![\w.-])(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)\.){3}(?:25[0-5]|2[0-4]\d|1?\d?\d)(?![\w.-]*\w)/g;
const MAC = /(?<![\w:])(?:[0-9a-f]{2}:){5}[0-9a-f]{2}(?![\w:])/gi;
const TAIL = '(?![A-Za-z0-9_]|-[A-Za-z0-9])';
const HEAD = '(?<![A-Za-z0-9_.-])';

type What = 'user' | 'host' | 'address';

export class Names {
  readonly #known = new Map<string, string>();
  readonly #counts = new Map<What, number>();
  #pattern: RegExp | null = null;

  host(name: string | null | undefined): void {
    const short = (name ?? '').split('.')[0] ?? '';
    this.#learn('host', short);
  }

  user(name: string | null | undefined): void {
    this.#learn('user', name ?? '');
  }

  /** The users that a text names by their folder, variable or address. */
  learnFrom(text: string): void {
    for (const [, folder, mail] of text.matchAll(USERS)) this.user(folder ?? mail);
  }

  replace(text: string): string {
    const named = this.#known.size === 0 ? text : text.replace(this.#all(), (found) => this.#nameOf(found));
    return named
      .replace(/\b(user-\d+)@[A-Za-z0-9.-]{1,253}/g, '$1@host')
      .replace(IPV4, (found) =>
        found.startsWith('127.') || found === '0.0.0.0' ? found : this.#number('address', found),
      )
      .replace(MAC, (found) => this.#number('address', found));
  }

  #learn(what: What, name: string): void {
    if (name.length < SHORTEST || COMMON.has(name.toLowerCase()) || this.#known.size >= MOST) return;
    const before = this.#known.size;
    this.#number(what, name);
    if (this.#known.size > before) this.#pattern = null;
  }

  #number(what: What, name: string): string {
    const key = name.toLowerCase();
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const count = (this.#counts.get(what) ?? 0) + 1;
    this.#counts.set(what, count);
    this.#known.set(key, `${what}-${count}`);
    return `${what}-${count}`;
  }

  #nameOf(found: string): string {
    const bare = found.toLowerCase().split('.')[0] ?? '';
    const known = this.#known.get(found.toLowerCase()) ?? this.#known.get(bare);
    if (known !== undefined) return known;
    return bare.includes('[') ? 'host-[…]' : this.#number('host', bare);
  }

  /** Longest first; a host with its domain, its neighbours of the same row, and lists of them. */
  #all(): RegExp {
    if (this.#pattern !== null) return this.#pattern;
    const names = [...this.#known].filter(([, put]) => !put.startsWith('address-'));
    const stems = new Set(
      names.flatMap(([name, put]) => {
        const stem = /^(.*?)\d+$/.exec(name)?.[1] ?? '';
        return put.startsWith('host-') && stem.length >= SHORTEST && !DEVICE.test(stem) ? [escaped(stem)] : [];
      }),
    );
    const rows = [...stems].flatMap((stem) => [
      `${stem}\\[[\\d,-]{1,200}\\]`,
      `${stem}\\d{1,8}(?:\\.[A-Za-z][\\w-]{0,62}){0,6}`,
    ]);
    const each = names
      .sort(([a], [b]) => b.length - a.length)
      .map(([name, put]) => escaped(name) + (put.startsWith('host-') ? '(?:\\.[A-Za-z][\\w-]{0,62}){0,6}' : ''));
    this.#pattern = new RegExp(`${HEAD}(?:${[...each, ...rows].join('|')})${TAIL}`, 'gi');
    return this.#pattern;
  }
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
}

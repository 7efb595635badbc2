// Users: the names of this host's users, as its own file has them.

const NAME = /^[^\s:\p{C}]{1,64}$/u;

/** Of /etc/passwd: number → name. Of two names of one number the first counts. */
export function usersOf(passwd: string): Map<number, string> {
  const users = new Map<number, string>();
  for (const line of passwd.split('\n')) {
    const [name = '', , id = ''] = line.split(':');
    if (NAME.test(name) && /^\d{1,10}$/.test(id) && !users.has(Number(id))) users.set(Number(id), name);
  }
  return users;
}

// Special step: the words of an action where its own are not right.

/** In the placeholders of a step; `does`: what to do, `%` being the object. */
export interface Special {
  readonly does: string;
  readonly now: string;
  readonly call: string;
}

/** The first of each in its place, at once: a name such as "10.40.0.2@o2ib" has the signs in it. */
export function filled(does: string, name: string, host: string): string {
  let left = '%@';
  return does.replace(/[%@]/g, (sign) => {
    if (!left.includes(sign)) return sign;
    left = left.replace(sign, '');
    return sign === '%' ? name : host;
  });
}

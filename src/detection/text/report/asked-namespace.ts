// Asked namespace: in which namespace a pasted kubectl command asked, for the table below it has no column for what it was asked for.

/** "$ kubectl get pods -n serve -o wide", "kubectl --namespace=ml get events", "oc -n ml describe pod x". */
const COMMAND =
  /^(?:.{0,120}[$#%>] {0,2})?(?:sudo )?(?:kubectl|oc|k) (?=.{0,400}\b(?:get|describe|logs?|events?|top)\b)(.{1,400})$/;
const NAMED = /(?:^|\s)(?:-n ?|--namespace[ =])([a-z0-9][a-z0-9-]{0,62})(?=\s|$)/;

/** Null where the line names another command; an empty text where it names none, or all. */
export function askedNamespace(line: string): string | null {
  const asked = COMMAND.exec(line)?.[1];
  return asked === undefined ? null : (NAMED.exec(asked)?.[1] ?? '');
}

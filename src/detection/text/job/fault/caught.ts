// Caught: what a line says of an exception that its program got over — it tries again, leaves something out, or only warns.

/** Of an exception that was caught, as the line says; "NCCL_DEBUG=INFO" is what NCCL proposes. */
const GOES_ON =
  /(?<!=)\b(?:WARN|WARNING|INFO|DEBUG|[Rr]etry|[Rr]etrying|[Ii]gnor\w{2,4}|[Ss]kipp\w{2,4}|[Cc]ontinu\w{2,4}|[Cc]aught|[Ff]all(?:s|ing)? back|fallback|attempt \d)\b/;
/** The same of the line before a traceback, whose level alone says nothing of it; what Python's logging heads is where a line was logged. */
const LEFT =
  /\b(?:WARN|WARNING|[Rr]etry|[Rr]etrying|[Ii]gnor\w{2,4}|[Ss]kipp\w{2,4}|[Cc]aught|[Ff]all(?:s|ing)? back|Logging error|Call stack:|Stack \(most)/;
/** Of the class of an exception: "gcsfs.retry.HttpError" says nothing of what is done. */
const MODULES = /(?:[a-z_]\w{0,63}\.){1,8}(?=_?[A-Z]\w{2,63}: )/;

export function goesOn(text: string): boolean {
  return GOES_ON.test(text.replace(MODULES, ''));
}

/** A traceback behind `head`, under the line `before`. */
export function isCaught(head: string, before: string): boolean {
  return GOES_ON.test(head) || LEFT.test(before);
}

/** Asks again only after some real time, on demand, or when the last answer was a failure. */
export function rememberFor<Answer>(
  maxAgeMs: number,
  ask: () => Promise<Answer>,
): (again?: boolean) => Promise<Answer> {
  let last: { readonly at: number; readonly answer: Promise<Answer> } | null = null;
  return (again = false) => {
    if (last !== null && !again && performance.now() - last.at < maxAgeMs) return last.answer;
    const entry = { at: performance.now(), answer: ask() };
    last = entry;
    entry.answer.catch(() => {
      if (last === entry) last = null;
    });
    return entry.answer;
  };
}

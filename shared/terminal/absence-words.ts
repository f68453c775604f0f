import { describeAbsence, isAbsenceType } from '#shared/core/messages/absence-sentences.ts';

interface AbsenceEvent {
  readonly type: string;
  readonly data: {
    readonly current?: Readonly<Record<string, unknown>> | null | undefined;
    readonly observed?: { readonly by: string } | undefined;
  };
}

/** `no clock-in, planned 08:00 (15 minutes ago)`; null for an event about anything else. */
export function describeAbsenceEvent({ type, data }: AbsenceEvent, timeZone: string): string | null {
  const { current, observed } = data;
  if (!isAbsenceType(type) || current == null || observed === undefined) return null;
  const day = typeof current.date === 'string' ? current.date : null;
  const onItsDay = { timeZone, day, year: day?.slice(0, 4) ?? null };
  return describeAbsence(type, { data: { current, observed }, onItsDay });
}

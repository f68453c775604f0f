import { describeMissing } from './absence-sentences.ts';

const ABSENCE = /\.clock_(?<side>in|out)_missing$/;

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
  const { side } = ABSENCE.exec(type)?.groups ?? {};
  if (side === undefined || current == null || observed === undefined) return null;
  const day = typeof current.date === 'string' ? current.date : null;
  const onItsDay = { timeZone, day, year: day?.slice(0, 4) ?? null };
  return describeMissing(side === 'in' ? 'clockIn' : 'clockOut', { data: { current, observed }, onItsDay });
}

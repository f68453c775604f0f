import { describe, vi } from 'vitest';
import type * as FoldModule from '#kit/fold.ts';
import type * as MassChangeModule from '#shared/core/compare/mass-change.ts';
import type * as FormModule from '#shared/core/compare/source-form.ts';
import type * as NewsModule from '#shared/core/outcome/news-of-watching.ts';
import type { PollFindings } from '#shared/core/outcome/poll-findings.ts';
import type * as DefinitionModule from '#shared/core/records/feed-definition.ts';
import type * as EpochsModule from '#shared/core/snapshot/epochs.ts';
import type * as RecognizeModule from '#shared/core/snapshot/recognize-table.ts';
import type * as KeepLookingModule from '#shared/flow/poll/process-due-slices.ts';
import type * as BuildModule from '#shared/people/build-alert.ts';
import type * as MatchModule from '#shared/people/match-channels.ts';
import type { Names } from '#shared/people/names/names.ts';
import type * as QuietModule from '#shared/people/quiet-hours.ts';
import type * as DeliveryEventsModule from '#shared/systems/delivery-events.ts';
import { BROAD_PUBLISHERS } from '../broad-publishers.ts';
import { testPlantedFaults } from '../planted-faults.ts';

/** Mistakes in the engine, in the delivery, or in the fold of subscribers. */
const PLANTED = {
  form: 'takes a source that changed its form for a few bad records',
  restored: 'does not say that the source has its form again',
  believed: 'believes at once that most of a slice lost a fact',
  unsaid: 'does not say that it doubts what most of a slice lost',
  padded: 'takes a field that was appended for unset',
  epochs: 'begins every epoch at the same instant',
  baseline: 'forgets its baseline when its table was restored',
  looks: 'takes waiting within a poll for looking',
  fold: 'folds without minding epochs',
  failed: 'gives up a delivery without a word',
  endings: 'tells people that something began and not that it ended',
  late: 'tells people of nothing that comes late',
  night: 'sends in quiet hours what can wait',
  morning: 'holds in the morning what came at night',
  names: 'calls people by the names of others',
  hours: 'tells people an hour more than there is to pay',
} as const;

const planted = vi.hoisted(() => ({ name: '' }));

vi.mock('#shared/core/compare/source-form.ts', async (original) => {
  const right = await original<typeof FormModule>();
  const checkForm: typeof right.checkForm = (scan, heads) => {
    const check = right.checkForm(scan, heads);
    return planted.name === PLANTED.form ? { ...check, change: null } : check;
  };
  return { ...right, checkForm };
});

vi.mock('#shared/core/compare/mass-change.ts', async (original) => {
  const right = await original<typeof MassChangeModule>();
  const guardLosses: typeof right.guardLosses = (...given) =>
    planted.name === PLANTED.believed ? [] : right.guardLosses(...given);
  return { ...right, guardLosses };
});

vi.mock('#shared/core/outcome/news-of-watching.ts', async (original) => {
  const right = await original<typeof NewsModule>();
  const tellNews: typeof right.tellNews = (...given) =>
    right.tellNews(...given).filter(({ type, subject, data }) => {
      if (planted.name === PLANTED.restored) return subject !== 'form' || type !== 'trouble.ended';
      return (
        planted.name !== PLANTED.unsaid || type !== 'trouble.began' || !/^lost /.test(String(data.cause))
      );
    });
  return { ...right, tellNews };
});

vi.mock('#shared/core/records/feed-definition.ts', async (original) => {
  const right = await original<typeof DefinitionModule>();
  const toState: typeof right.toState = (definition, row) => {
    if (planted.name !== PLANTED.padded) return right.toState(definition, row);
    const missing = Array.from({ length: definition.fields.length - row.length }, () => null);
    return right.toState(definition, [...row, ...missing]);
  };
  return { ...right, toState };
});

vi.mock('#shared/core/snapshot/epochs.ts', async (original) => {
  const right = await original<typeof EpochsModule>();
  const beginEpoch: typeof right.beginEpoch = (at, rule) =>
    planted.name === PLANTED.epochs ? 0 : right.beginEpoch(at, rule);
  return { ...right, beginEpoch };
});

vi.mock('#shared/core/snapshot/recognize-table.ts', async (original) => {
  const right = await original<typeof RecognizeModule>();
  const recognizeTable: typeof right.recognizeTable = (state, sighting) => {
    const recognized = right.recognizeTable(state, sighting);
    const isRestored = recognized.restoredAt !== state?.restoredAt;
    return planted.name === PLANTED.baseline && isRestored ? { ...recognized, baseline: null } : recognized;
  };
  return { ...right, recognizeTable };
});

vi.mock('#shared/flow/poll/process-due-slices.ts', async (original) => {
  const right = await original<typeof KeepLookingModule>();
  const scanPulledDates: typeof right.scanPulledDates = async (agenda, run) => {
    if (planted.name !== PLANTED.looks) return await right.scanPulledDates(agenda, run);
    const findings: PollFindings = run.memory.findings;
    const at = run.ports.clock.now();
    findings.completeScans = new Map(
      [...findings.completeScans].map(([slice, scan]) => [slice, { ...scan, at }]),
    );
    return agenda;
  };
  return { ...right, scanPulledDates };
});

vi.mock('#kit/fold.ts', async (original) => {
  const right = await original<typeof FoldModule>();
  const fold: typeof right.fold = (state, event, options) => {
    const { epoch, ...rest } = event;
    return right.fold(state, planted.name === PLANTED.fold ? (rest as typeof event) : event, options);
  };
  return { ...right, fold };
});

vi.mock('#shared/systems/delivery-events.ts', async (original) => {
  const right = await original<typeof DeliveryEventsModule>();
  const isAboutWebhook: typeof right.isAboutWebhook = (event) =>
    planted.name === PLANTED.failed || right.isAboutWebhook(event);
  return { ...right, isAboutWebhook };
});

vi.mock('#shared/people/match-channels.ts', async (original) => {
  const right = await original<typeof MatchModule>();
  const isEnding = (type: string) => /\.(?:ended|reopened)$/.test(type);
  const matchEvent: typeof right.matchEvent = (event, to) => {
    if (planted.name === PLANTED.endings && isEnding(event.type)) return [];
    const data = planted.name === PLANTED.late ? { ...event.data, late: [] } : event.data;
    return right.matchEvent({ ...event, data } as typeof event, to);
  };
  return { ...right, matchEvent };
});

vi.mock('#shared/people/quiet-hours.ts', async (original) => {
  const right = await original<typeof QuietModule>();
  const isQuiet: typeof right.isQuiet = (hours, instant, timeZone) => {
    if (planted.name === PLANTED.night) return false;
    const isStill = planted.name === PLANTED.morning && right.isQuiet(hours, instant - 7_200_000, timeZone);
    return isStill || right.isQuiet(hours, instant, timeZone);
  };
  return { ...right, isQuiet };
});

vi.mock('#shared/people/build-alert.ts', async (original) => {
  const right = await original<typeof BuildModule>();
  const buildAlert: typeof right.buildAlert = (event, given) => {
    const context = planted.name === PLANTED.names ? { ...given, names: swapNames(given.names) } : given;
    const { current } = event.data as { readonly current?: { readonly hoursToPay?: number } };
    if (planted.name !== PLANTED.hours || current?.hoursToPay === undefined)
      return right.buildAlert(event, context);
    const more = { ...event.data, current: { ...current, hoursToPay: current.hoursToPay + 1 } };
    return right.buildAlert({ ...event, data: more } as typeof event, context);
  };
  return { ...right, buildAlert };
});

/** Each employee gets the name of the one before. */
function swapNames(names: Names): Names {
  const all = [...names.employees.values()];
  const employees = [...names.employees.keys()].map((id, place) => [id, all[place - 1] ?? ''] as const);
  return { ...names, employees: new Map(employees) };
}

describe('something that', () => {
  testPlantedFaults(
    '%s is caught',
    [...Object.values(PLANTED), ...BROAD_PUBLISHERS].map((each) =>
      typeof each === 'string' ? { name: each } : { name: each.name, engine: each },
    ),
    planted,
  );
});

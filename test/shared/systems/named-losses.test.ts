import { expect, test } from 'vitest';
import { ProvedWeek, RECEIVERS } from './proved-week.ts';

const HOUR_MINUTES = 60;
const STEP_MINUTES = 5;

test.each(RECEIVERS)(
  'the %s names exactly the message that was taken out of its queue, until it is sent again',
  async (receiver) => {
    const week = new ProvedWeek();
    const liveOn = async (minutes: number) => {
      for (let minute = 0; minute < minutes; minute += STEP_MINUTES) await week.live(STEP_MINUTES);
    };
    await liveOn(2 * HOUR_MINUTES);
    for (const kind of ['event', 'watermark'] as const) {
      const stolen = week.stealFrom(receiver, kind);
      await liveOn(HOUR_MINUTES);
      expect(stolen()).not.toBe('');
      for (const each of RECEIVERS)
        expect(week.subscribers[each].findLacking()).toEqual(each === receiver ? [stolen()] : []);
      week.sendAgain(stolen(), receiver);
      await liveOn(STEP_MINUTES);
      expect(week.subscribers[receiver].findLacking()).toEqual([]);
    }
  },
);

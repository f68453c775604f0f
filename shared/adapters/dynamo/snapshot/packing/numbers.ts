import { type BitReader, type BitWriter, bitLengthOf, countBits } from './bits.ts';

/** Whole numbers up to this, and the differences between them, are exact. */
export const MAX_EXACT_NUMBER = 2 ** 50;

const WIDTH_BITS = 6;
const MODE_BITS = 2;

/**
 * How a column of numbers is written. `range`: the least of them, and each one's distance from it in a fixed number
 * of bits. `steps`: the same of the differences between neighbours. `counts`: each difference in as few bits as it
 * needs. Whichever is shortest.
 */
const MODES = ['range', 'steps', 'counts'] as const;

export function writeNumbers(writer: BitWriter, numbers: readonly number[]): void {
  if (numbers.length === 0) return;
  const steps = computeSteps(numbers);
  const range = computeRange(numbers);
  const stepRange = computeRange(steps);
  const costs = [
    computeCost(range, numbers.length),
    computeCost(stepRange, numbers.length),
    computeCountsCost(steps),
  ];
  const mode = costs.indexOf(Math.min(...costs));
  writer.write(MODE_BITS, mode);
  switch (MODES[mode]) {
    case 'range':
      writeRange(writer, numbers, range);
      break;
    case 'steps':
      writeRange(writer, steps, stepRange);
      break;
    default:
      for (const step of steps) writer.writeCount(zigzagEncode(step));
  }
}

export function readNumbers(reader: BitReader, length: number): number[] {
  if (length === 0) return [];
  switch (MODES[reader.read(MODE_BITS)]) {
    case 'range':
      return readRange(reader, length);
    case 'steps':
      return sumSteps(readRange(reader, length));
    default:
      return sumSteps(Array.from({ length }, () => zigzagDecode(reader.readCount())));
  }
}

interface Range {
  readonly least: number;
  readonly width: number;
}

function computeRange(numbers: readonly number[]): Range {
  let least = numbers[0] ?? 0;
  let most = least;
  for (const number of numbers) {
    if (number < least) least = number;
    if (number > most) most = number;
  }
  return { least, width: bitLengthOf(most - least) };
}

function computeCost({ least, width }: Range, length: number): number {
  return countBits(zigzagEncode(least)) + WIDTH_BITS + width * length;
}

function computeCountsCost(steps: readonly number[]): number {
  let cost = 0;
  for (const step of steps) cost += countBits(zigzagEncode(step));
  return cost;
}

function writeRange(writer: BitWriter, numbers: readonly number[], { least, width }: Range): void {
  writer.writeCount(zigzagEncode(least));
  writer.write(WIDTH_BITS, width);
  for (const number of numbers) writer.write(width, number - least);
}

function readRange(reader: BitReader, length: number): number[] {
  const least = zigzagDecode(reader.readCount());
  const width = reader.read(WIDTH_BITS);
  return Array.from({ length }, () => least + reader.read(width));
}

/** The first number and then the differences between neighbours. */
function computeSteps(numbers: readonly number[]): number[] {
  return numbers.map((number, index) => number - (numbers[index - 1] ?? 0));
}

function sumSteps(steps: readonly number[]): number[] {
  let sum = 0;
  return steps.map((step) => {
    sum += step;
    return sum;
  });
}

/** 0, -1, 1, -2, 2 as 0, 1, 2, 3, 4. */
function zigzagEncode(number: number): number {
  return number < 0 ? -2 * number - 1 : 2 * number;
}

function zigzagDecode(count: number): number {
  return count % 2 === 1 ? -(count + 1) / 2 : count / 2;
}

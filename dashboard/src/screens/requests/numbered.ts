// Numbers the parts of something that does not change any more, so that a list of them has keys.
export const numbered = <Value>(values: readonly Value[]): { number: number; value: Value }[] =>
  values.map((value, number) => ({ number, value }))

// The English words of dates and times, with what each may be.

/** A word may have several of these bits. */
export const dateWord = {
  month: 1,
  /** Has another meaning as often: may, march, sun, fall. */
  ambiguous: 1 << 1,
  weekday: 1 << 2,
  /** A day by itself: today, tomorrow. */
  deictic: 1 << 3,
  /** Refers to a period: this, next, last. */
  pointer: 1 << 4,
  /** From a day to a century. */
  unit: 1 << 5,
  /** An hour or less. */
  shortUnit: 1 << 6,
  partOfDay: 1 << 7,
  cardinal: 1 << 8,
  ordinal: 1 << 9,
  holiday: 1 << 10,
  season: 1 << 11,
  meridiem: 1 << 12,
  /** A part of a period: end, beginning, mid. */
  edge: 1 << 13,
  /** Joins the ends of a range. */
  until: 1 << 14,
  /** Before a date or time: on, at, since. */
  lead: 1 << 15,
  the: 1 << 16,
  of: 1 << 17,
  /** After a length of time: ago, later, hence. */
  shift: 1 << 18,
  and: 1 << 19,
  every: 1 << 20,
  ordinalEnding: 1 << 21,
  /** A period's end as one word: EOD. */
  closing: 1 << 22,
  clock: 1 << 23,
  fraction: 1 << 24,
  pastOrTo: 1 << 25,
  /** Between two dates it only joins them: at, on, of, in. */
  joint: 1 << 26,
  /** Early, late, earlier, later. */
  stage: 1 << 27,
  now: 1 << 28,
  /** May follow a bare day or hour, because a number does not count it: please, and, today. */
  follower: 1 << 29,
  few: 1 << 30,
  /** May begin a holiday's name of several words: labor, new, yom. */
  holidayHead: 1 << 31,
} as const

const w = dateWord

const lists: readonly (readonly [bits: number, words: string])[] = [
  [w.month, 'january february april june july august september october november december'],
  [w.month, 'jan feb apr jun jul aug sep sept oct nov dec'],
  [w.month | w.ambiguous, 'may march mar mars mai mei agosto'],
  [w.month | w.ambiguous, 'januar februar märz juni juli oktober dezember januari februari maart augustus'],
  [
    w.month | w.ambiguous,
    'janvier février fevrier avril juin juillet août aout septembre octobre novembre décembre decembre',
  ],
  [w.month | w.ambiguous, 'enero febrero marzo abril mayo junio julio septiembre octubre noviembre diciembre'],
  [w.month | w.ambiguous, 'gennaio febbraio aprile maggio giugno luglio settembre ottobre dicembre'],
  [w.month | w.ambiguous, 'janeiro fevereiro março maio junho julho setembro outubro novembro dezembro'],
  [w.ambiguous, 'jan jun dec oct apr sep nov feb jul aug'],
  [w.weekday, 'monday tuesday wednesday thursday friday saturday sunday weds tues thurs thur fri'],
  [w.weekday | w.ambiguous, 'mon tue wed thu sat sun'],
  [w.deictic, 'today tomorrow yesterday tonight tonite overmorrow tmrw tmr'],
  [w.pointer, 'this next last past previous coming upcoming following same current'],
  [
    w.unit,
    'day days week weeks weekend weekends month months year years quarter quarters decade decades century centuries',
  ],
  [w.unit, 'fortnight workweek workweeks yr yrs nights night semester'],
  [w.shortUnit, 'hour hours minute minutes min mins hr hrs'],
  [
    w.partOfDay,
    'morning afternoon evening night noon midday midnight lunchtime daytime nighttime dinnertime mornings evenings',
  ],
  [w.cardinal, 'one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen'],
  [w.cardinal, 'seventeen eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred thousand'],
  [
    w.ordinal,
    'first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth',
  ],
  [w.ordinal, 'sixteenth seventeenth eighteenth nineteenth twentieth thirtieth'],
  [
    w.holiday,
    'christmas xmas easter thanksgiving halloween hanukkah chanukah ramadan diwali kwanzaa juneteenth purim yule',
  ],
  [w.holiday, 'epiphany pentecost whitsun passover'],
  [w.season, 'summer winter autumn'],
  [w.season | w.ambiguous, 'spring fall'],
  [w.meridiem, 'am pm'],
  [w.edge, 'end beginning start middle mid'],
  [w.until, 'to till until til through thru'],
  [
    w.lead,
    'at on by before after since around about until till til from between in during for circa starting beginning sometime',
  ],
  [w.the, 'the'],
  [w.of, 'of de'],
  [w.shift, 'ago later earlier hence from before after prior'],
  [w.and, 'and'],
  [w.every, 'every each per'],
  [w.ordinalEnding, 'st nd rd th'],
  [w.closing, 'eod eoy eom eow eoq fy cy'],
  [w.clock, 'oclock'],
  [w.fraction, 'half quarter'],
  [w.pastOrTo, 'past to after before till'],
  [w.joint, 'at on of in around about by from within'],
  [w.stage, 'early late earlier later'],
  [w.now, 'now'],
  [w.few, 'few couple several a an half'],
  [
    w.holidayHead,
    'labor labour memorial independence earth boxing columbus veterans veteran presidents groundhog mothers mother',
  ],
  [
    w.holidayHead,
    'fathers father valentine valentines patrick patricks fools fool workers worker women bastille canada australia',
  ],
  [
    w.holidayHead,
    'mlk king teacher teachers children saints remembrance armistice flag good black cyber palm ash eid mardi yom',
  ],
  [w.holidayHead, 'rosh winter summer new st saint international april martin lunar chinese all christmas xmas easter'],
  [
    w.follower,
    `please for with and or but if then when thanks thank instead sharp to we i is at on in tonight tomorrow today if so i'd would
     will works should could can est pst cst pt et gmt utc cet ish does because since it tho though my our under name no not have
     has be are was am pm as until till by i okay ok what how yes lands`,
  ],
]

const months = 'january february march april may june july august september october november december'.split(' ')

const numbers: readonly (readonly [first: number, words: string])[] = [
  [
    1,
    'one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen',
  ],
  [
    1,
    'first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth sixteenth',
  ],
  [17, 'seventeenth eighteenth nineteenth twentieth'],
]

/** Bits by word, in lower case. */
export const dateBitsByWord: ReadonlyMap<string, number> = (() => {
  const bits = new Map<string, number>()
  for (const [bit, words] of lists) {
    for (const word of words.split(/\s+/)) if (!word.includes("'")) bits.set(word, (bits.get(word) ?? 0) | bit)
  }
  return bits
})()

/** The value of number words: one 1, twentieth 20, hundred 100; and of months, 1 to 12. */
export const dateValueByWord: ReadonlyMap<string, number> = (() => {
  const values = new Map<string, number>()
  for (const [first, words] of numbers)
    for (const [index, word] of words.split(' ').entries()) values.set(word, first + index)
  const tens = 'twenty thirty forty fifty sixty seventy eighty ninety'.split(' ')
  for (const [index, word] of tens.entries()) values.set(word, 20 + index * 10)
  values.set('thirtieth', 30).set('hundred', 100).set('thousand', 1_000)
  for (const [index, month] of months.entries()) values.set(month, index + 1).set(month.slice(0, 3), index + 1)
  return values.set('sept', 9)
})()

/** The words that a date may begin with. */
export const wordStarters =
  w.month |
  w.weekday |
  w.deictic |
  w.pointer |
  w.unit |
  w.partOfDay |
  w.cardinal |
  w.ordinal |
  w.holiday |
  w.holidayHead |
  w.season |
  w.edge |
  w.stage |
  w.the |
  w.closing |
  w.fraction |
  w.few |
  w.joint |
  w.now

/** Whether a date may begin with this word, in lower case. Of the joints only "in" and "within" begin one. */
export function mayStartDate(word: string): boolean {
  const bits = (dateBitsByWord.get(word) ?? 0) & wordStarters
  return bits === w.joint ? word === 'in' || word === 'within' : bits !== 0
}

/** Words that the grammar itself names: the next four business days, 3 p . m . */
const wordsOfGrammar = new Set('business working calendar fiscal school more exactly another just ish clock'.split(' '))

/** Whether a date may contain this word, in lower case, though it has no bits. */
export function mayBeInDate(word: string): boolean {
  return word.length === 1 || wordsOfGrammar.has(word)
}

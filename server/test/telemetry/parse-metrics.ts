// A strict reader of Prometheus's text format, which throws on whatever a scraper might take amiss: words out of place,
// a family told twice or in pieces, a series twice, buckets that do not add up. Knows no metric by name.

export interface Metrics {
  types: ReadonlyMap<string, string>
  /** `name{label="value",…}` with the labels in their order → value. */
  samples: ReadonlyMap<string, number>
  /** Zero where there is no such series. */
  value(series: string): number
  /** The values of a gauge: one for each process of the product that reports it. */
  gauges(series: string): number[]
}

interface Sample {
  series: string
  name: string
  labels: [string, string][]
  value: number
}

const nameGrammar = /^[a-zA-Z_:][a-zA-Z0-9_:]*$/
const types = ['counter', 'gauge', 'histogram']

export function parseMetrics(text: string): Metrics {
  if (!text.endsWith('\n')) throw new Error('the last line does not end')
  const found = new Map<string, string>()
  const samples = new Map<string, Sample>()
  let family = ''
  let told: 'help' | 'type' | 'samples' = 'samples'
  const helped = new Set<string>()
  for (const line of text.slice(0, -1).split('\n')) {
    const [, word, name = '', rest = ''] = /^# (HELP|TYPE) (\S+) (.+)$/.exec(line) ?? []
    if (word === 'HELP') {
      if (told !== 'samples' || helped.has(name)) throw new Error(`HELP out of place: ${line}`)
      if (rest.replace(/\\[\\n]/g, '').includes('\\')) throw new Error(`a bare backslash: ${line}`)
      helped.add(name)
      family = checkName(name)
      told = 'help'
    } else if (word === 'TYPE') {
      if (told !== 'help' || name !== family || found.has(name)) throw new Error(`TYPE out of place: ${line}`)
      if (!types.includes(rest)) throw new Error(`no type: ${line}`)
      found.set(name, rest)
      told = 'type'
    } else {
      const sample = parseSample(line)
      if (told === 'help' || !belongsTo(sample.name, family, found.get(family)))
        throw new Error(`out of place: ${line}`)
      if (samples.has(sample.series)) throw new Error(`a series twice: ${line}`)
      samples.set(sample.series, sample)
      told = 'samples'
    }
  }
  if (told !== 'samples') throw new Error(`${family} has no sample`)
  for (const [name, type] of found) {
    if (type === 'histogram') checkHistogram(name, [...samples.values()])
    if (type === 'counter') checkCounter(name, [...samples.values()])
  }
  const values = new Map([...samples].map(([series, { value }]) => [series, value]))
  return {
    types: found,
    samples: values,
    value: series => values.get(series) ?? 0,
    gauges: series => [...values].filter(([known]) => withoutProcess(known) === series).map(([, value]) => value),
  }
}

/** Several processes label their gauges with their number. */
function withoutProcess(series: string): string {
  return series.replace(/,?process="\d+"\}$/, '}').replace(/\{\}$/, '')
}

function checkName(name: string): string {
  if (!nameGrammar.test(name)) throw new Error(`no name: ${name}`)
  return name
}

function belongsTo(name: string, family: string, type: string | undefined): boolean {
  if (type !== 'histogram') return name === family
  return ['_bucket', '_sum', '_count'].some(suffix => name === family + suffix)
}

function parseSample(line: string): Sample {
  const [, name = '', , inside, number = ''] = /^([^{ ]+)(\{(.*)\})? (\S+)$/.exec(line) ?? []
  checkName(name)
  const value = number === '+Inf' ? Number.POSITIVE_INFINITY : Number(number)
  if (!/^(\+Inf|-?[0-9].*)$/.test(number) || Number.isNaN(value)) throw new Error(`no number: ${line}`)
  const labels = inside === undefined ? [] : parseLabels(inside)
  if (new Set(labels.map(([label]) => label)).size < labels.length) throw new Error(`a label twice: ${line}`)
  const series =
    labels.length === 0 ? name : `${name}{${labels.map(([label, text]) => `${label}="${text}"`).join(',')}}`
  return { series, name, labels, value }
}

function parseLabels(text: string): [string, string][] {
  const labels: [string, string][] = []
  let rest = text
  while (rest !== '') {
    const [whole, label = '', value = ''] =
      /^([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\["\\n])*)"(?:,|$)/.exec(rest) ?? []
    if (whole === undefined) throw new Error(`no label: ${rest}`)
    labels.push([label, value])
    rest = rest.slice(whole.length)
  }
  return labels
}

function checkCounter(name: string, samples: Sample[]): void {
  if (!name.endsWith('_total')) throw new Error(`${name} is a counter and does not say so`)
  if (samples.some(sample => sample.name === name && sample.value < 0)) throw new Error(`${name} is negative`)
}

/** The bounds rise, the buckets add up, `+Inf` is the count. */
function checkHistogram(name: string, samples: Sample[]): void {
  const groups = new Map<string, { le: number; value: number }[]>()
  for (const { name: own, labels, value } of samples) {
    if (own !== `${name}_bucket`) continue
    const le = labels.find(([label]) => label === 'le')?.[1]
    if (le === undefined) throw new Error(`${name} has a bucket without a bound`)
    const key = JSON.stringify(labels.filter(([label]) => label !== 'le'))
    const bound = le === '+Inf' ? Number.POSITIVE_INFINITY : Number(le)
    groups.set(key, [...(groups.get(key) ?? []), { le: bound, value }])
  }
  const of = (suffix: string, key: string) =>
    samples.find(sample => sample.name === name + suffix && JSON.stringify(sample.labels) === key)?.value
  for (const [key, buckets] of groups) {
    buckets.reduce((last, next) => {
      if (next.le <= last.le || next.value < last.value) throw new Error(`${name} does not rise: ${key}`)
      return next
    })
    if (buckets.at(-1)?.le !== Number.POSITIVE_INFINITY) throw new Error(`${name} has no last bucket: ${key}`)
    if (buckets.at(-1)?.value !== of('_count', key)) throw new Error(`${name} counts otherwise: ${key}`)
    if (of('_sum', key) === undefined) throw new Error(`${name} has no sum: ${key}`)
  }
}

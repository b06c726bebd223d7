// `npm run guardrails:eval`: measures precision and recall of the guardrails on labelled texts that you provide. Reads
// files and prints tables. Not part of the product.

import { parseArgs } from 'node:util'
import {
  isAttackRecord,
  isPii,
  type LabelledRecord,
  readLabelledRecords,
  UnreadableRecord,
} from './labelled-records.ts'
import { showAlarms, showPii, showPublic, showSentinel } from './tables.ts'

const usage = `Usage: npm run guardrails:eval -- [--by-source] [--sources a,b] [--without c,d] FILE|FOLDER…
       npm run guardrails:eval -- --public

Reads JSON lines, all .jsonl files of a folder. A record with "spans" is for PII Shield, one with "label" for Sentinel.
  --by-source   for PII Shield a line for each source too
  --sources     only records of these sources
  --without     none of these sources
  --public      counts Sentinel's false positives per MB on files of this machine: this repository's TypeScript, the packages
                of its lockfile, Debian's documents and libraries`

async function run(): Promise<number> {
  const options = readOptions()
  if (options === null || options.isPublic !== (options.paths.length === 0)) {
    process.stderr.write(`${usage}\n`)
    return 2
  }
  if (options.isPublic) {
    process.stdout.write(`${await measurePublicTexts()}\n`)
    return 0
  }
  const records = readLabelledRecords(options.paths).filter(options.isWanted)
  if (records.length === 0) {
    process.stderr.write('No records there.\n')
    return 1
  }
  for (const part of await evaluate(records, options.isBySource)) process.stdout.write(`${part}\n\n`)
  return 0
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
      },
    })
    const [wanted, unwanted] = [values.sources?.split(','), values.without?.split(',') ?? []]
    return {
      isPublic: values.public ?? false,
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

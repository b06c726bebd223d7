// `npm run docs:examples`: runs contract tests, and makes docs/api-examples.json of what they sent and received. With
// arguments, which are parts of paths as for `npm test`, it runs those instead, keeps the examples that are still sound,
// and adds what lacks.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Example, examplesFile, readExamples } from '../../../src/pages/reference/examples.ts'
import type { RecordedExchange } from '../../support/runner/record-exchange.ts'
import { type ExampleChecker, openExampleChecker } from './check-examples.ts'
import { tidyExample, worthOf } from './tidy-example.ts'

const checkout = join(import.meta.dirname, '../../../..')
const docsFolder = join(checkout, 'docs')
/** What no test of every operation can make by itself is in the tests of its room. */
const allTests = [
  'docs/examples/every-operation',
  'inference/memory/stored-responses',
  'management/anonymous/anonymous.test',
  'management/people/device-sign-in',
  'management/projects/playground-routes',
  'management/requests/requests.test',
  'management/sso/linking',
]

async function record(paths: readonly string[]): Promise<RecordedExchange[]> {
  const folder = mkdtempSync(join(tmpdir(), 'sallyport-exchanges-'))
  try {
    const env = { ...process.env, RECORD_EXCHANGES: folder }
    const run = spawn('sh', ['server/test/run.sh', ...paths], { cwd: checkout, env, stdio: 'inherit' })
    await once(run, 'close')
    return globSync('*.ndjson', { cwd: folder })
      .flatMap(name => readFileSync(join(folder, name), 'utf8').split('\n'))
      .filter(line => line !== '')
      .map(line => JSON.parse(line) as RecordedExchange)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** By operation id, the best sound example of each. */
function chooseBest(exchanges: readonly RecordedExchange[], checker: ExampleChecker): Map<string, Example> {
  const chosen = new Map<string, { worth: number; example: Example }>()
  for (const exchange of exchanges) {
    const listed = checker.find(exchange.method, exchange.path)
    const worth = worthOf(exchange)
    if (
      listed === undefined ||
      worth <= (chosen.get(listed.operation.operationId)?.worth ?? Number.NEGATIVE_INFINITY)
    ) {
      continue
    }
    const example = tidyExample(exchange)
    if (checker.faultsOf(listed, example).length > 0) continue
    chosen.set(listed.operation.operationId, { worth, example })
  }
  return new Map([...chosen].map(([id, { example }]) => [id, example]))
}

const paths = process.argv.slice(2)
const checker = await openExampleChecker()
const recorded = chooseBest(await record(paths.length === 0 ? allTests : paths), checker)
const before = readExamples(docsFolder)
const isKept = paths.length > 0
const examples: Record<string, Example> = {}
const lacking: string[] = []
for (const listed of checker.operations.toSorted((a, b) =>
  a.operation.operationId < b.operation.operationId ? -1 : 1,
)) {
  const { operationId } = listed.operation
  const known = before[operationId]
  const sound = known !== undefined && checker.faultsOf(listed, known).length === 0 ? known : undefined
  const example = isKept ? (sound ?? recorded.get(operationId)) : (recorded.get(operationId) ?? sound)
  if (example === undefined) lacking.push(operationId)
  else examples[operationId] = example
}
writeFileSync(join(docsFolder, examplesFile), `${JSON.stringify(examples, null, 2)}\n`)
console.log(`${Object.keys(examples).length} operations have an example.`)
for (const id of lacking) console.log(`No test made a sound request of ${id}.`)

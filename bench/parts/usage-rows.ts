// Measures what usage rows cost in the embedded database: the processor time of the main thread and of all threads for
// each row, in batches as the product writes them.
// Usage: node bench/parts/usage-rows.ts [--projects=400] [--batches=100] [--rounds=5]
import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { createLog } from '../../server/src/log/log.ts'
import { addUsageRows, type UsageRow } from '../../server/src/storage/add-usage-rows.ts'
import { openDatabase } from '../../server/src/storage/open-database.ts'

const { values } = parseArgs({
  options: {
    projects: { type: 'string', default: '400' },
    batches: { type: 'string', default: '100' },
    rounds: { type: 'string', default: '5' },
  },
})
const rowsOfBatch = 512
const usersOfProject = 3
const day = new Date().toISOString().slice(0, 10)
const projects = Array.from({ length: Number(values.projects) }, () => randomUUID())
const tenant = randomUUID()
const now = Date.now
let count = 0

/** Ids are in the order of time, as those of requests. */
function makeRow(): UsageRow {
  count++
  return {
    request_id: `${now().toString(16).padStart(12, '0')}${count.toString(16).padStart(8, '0')}-${randomUUID().slice(20)}`,
    tenant_id: tenant,
    project_id: projects[count % projects.length]!,
    user_id: `user-${Math.floor(count / projects.length) % usersOfProject}`,
    tier: 'measured',
    day,
    model: 'openai/gpt-4o-mini',
    provider: 'openai',
    endpoint: 'chat_completions',
    prompt_tokens: 210,
    completion_tokens: 110,
    total_tokens: 320,
    cached_tokens: 0,
    reasoning_tokens: 0,
    cost_nanousd: 97_500,
    is_estimated: 0,
    created_at: now(),
    budget_day: null,
  }
}

const folder = mkdtempSync(join(tmpdir(), 'sallyport-bench-usage-'))
const log = createLog({ level: 'warn' })
const { sql, close } = await openDatabase({ databaseUrl: null, dataDir: folder, log, now })
try {
  for (let round = 0; round <= Number(values.rounds); round++) {
    const batches = Array.from({ length: Number(values.batches) }, () => Array.from({ length: rowsOfBatch }, makeRow))
    const [main, all] = [process.threadCpuUsage(), process.cpuUsage()]
    for (const rows of batches) await addUsageRows({ sql, now }, rows)
    const [ofMain, ofAll] = [process.threadCpuUsage(main), process.cpuUsage(all)]
    const perRow = ({ user, system }: NodeJS.CpuUsage) => ((user + system) / (batches.length * rowsOfBatch)).toFixed(2)
    // The first round warms up.
    if (round > 0) process.stdout.write(`main thread ${perRow(ofMain)} µs a row, all threads ${perRow(ofAll)} µs\n`)
  }
} finally {
  await close()
  rmSync(folder, { recursive: true, force: true })
}

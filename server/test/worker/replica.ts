// A copy of the worker in a process of its own, with one job that writes into a table when it begins and ends.
// Arguments: database URL, holder, how long the job takes, its interval, the lease; all in milliseconds.
import { setTimeout as sleep } from 'node:timers/promises'
import { sql as text } from 'kysely'
import type { Log } from '../../src/domain/log.ts'
import { createProcessStore } from '../../src/kv/process/store.ts'
import { createOutbound } from '../../src/outbound/outbound.ts'
import { parseOutboundAllow } from '../../src/outbound/policy.ts'
import { openDatabase } from '../../src/storage/open-database.ts'
import { startWorker } from '../../src/worker/loop.ts'

const [databaseUrl = '', holder = '', ...times] = process.argv.slice(2)
const [jobMs = 0, everyMs = 0, leaseMs = 0] = times.map(Number)
const ignore = (): void => undefined
const log: Log = { debug: ignore, info: ignore, warn: ignore, error: ignore }
const now = Date.now
const { sql } = await openDatabase({ databaseUrl, dataDir: '', log, now })

const note = (what: string) =>
  text`insert into notes (holder, what, at) values (${holder}, ${what}, ${now()})`.execute(sql)

const job = {
  name: 'job',
  everyMs,
  runsBeforeReady: false,
  async run() {
    await note('begin')
    await sleep(jobMs)
    await note('end')
  },
}
startWorker(
  [job],
  {
    sql,
    kv: createProcessStore({ now, log }),
    outbound: createOutbound({ allow: parseOutboundAllow(''), log }),
    now,
    log,
  },
  { holder, leaseMs },
)

// A replica's jobs of meters in a process of its own, which may be killed. Its clock runs faster, so that pauses and
// claims of minutes end within seconds. Arguments: database URL or '', data folder, encryption key in hexadecimal, when
// the clock started, how much faster it runs.
import { randomUUID } from 'node:crypto'
import { createSecretBox } from '../../../src/crypto/secrets/secret-box.ts'
import type { Log } from '../../../src/domain/log.ts'
import { createProcessStore } from '../../../src/kv/process/store.ts'
import { createOutbound } from '../../../src/outbound/outbound.ts'
import { parseOutboundAllow } from '../../../src/outbound/policy.ts'
import { openDatabase } from '../../../src/storage/open-database.ts'
import { startWorker } from '../../../src/worker/loop.ts'
import { deleteMeterEvents, queueMeterEvents } from '../../../src/worker/meters/queue-meter-events.ts'
import { sendMeterEvents } from '../../../src/worker/meters/send-meter-events.ts'

const [databaseUrl = '', dataDir = '', key = '', startedAt = '', factor = ''] = process.argv.slice(2)
const now = () => Math.round(Number(startedAt) + (Date.now() - Number(startedAt)) * Number(factor))
const ignore = (): void => undefined
const log: Log = { debug: ignore, info: ignore, warn: ignore, error: console.error }
const { sql } = await openDatabase({ databaseUrl: databaseUrl === '' ? null : databaseUrl, dataDir, log, now })
const secretBox = createSecretBox({ current: Buffer.from(key, 'hex'), previous: [] })
const metrics = { meterEvents: ignore }
startWorker(
  [
    { ...queueMeterEvents, everyMs: 50 },
    { ...deleteMeterEvents(metrics), everyMs: 200 },
    sendMeterEvents({ secretBox, randomId: randomUUID, metrics, pollMs: 20 }),
  ],
  {
    sql,
    kv: createProcessStore({ now, log }),
    outbound: createOutbound({ allow: parseOutboundAllow('127.0.0.1'), log }),
    now,
    log,
  },
  { holder: databaseUrl === '' ? null : randomUUID(), leaseMs: 3_000 },
)

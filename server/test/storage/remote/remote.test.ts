// Runs the contract for the embedded database of another process, and checks what a process that dies leaves behind.
import { describe, expect, it, onTestFinished } from 'vitest'
import type { Link } from '../../../src/sockets/link.ts'
import type { Database } from '../../../src/storage/open-database.ts'
import { openRemoteDatabase } from '../../../src/storage/remote/open-remote.ts'
import { serveDatabase } from '../../../src/storage/remote/serve-database.ts'
import { transact } from '../../../src/storage/transact.ts'
import { createLinks } from '../../processes/linked.ts'
import { roomFor } from '../../support/slowness.ts'
import { describeStorage } from '../contract.ts'
import { keepLog, openMigrated } from '../fixtures.ts'

async function openRemote(): Promise<{ own: Database; remote: Database; link: Link; served: Link }> {
  const own = await openMigrated()
  const { first, other } = await createLinks()
  serveDatabase(first, own, keepLog())
  const remote = openRemoteDatabase(other)
  onTestFinished(async () => {
    await remote.close()
    other.close()
  })
  return { own, remote, link: other, served: first }
}

/** Resolves when the function of this name is called at the other end. */
function noteCall(link: Link, name: string): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const call = link.call.bind(link)
  link.call = (called, args) => {
    if (called === name) resolve()
    return call(called, args)
  }
  return promise
}

describe('SQLite of another process', () => {
  describeStorage(async () => (await openRemote()).remote)

  it('rolls back the transaction of a process that ends', async () => {
    const { own, remote, link } = await openRemote()
    const { promise: inserted, resolve } = Promise.withResolvers<void>()
    const cut = transact(remote.sql, async trx => {
      await trx.insertInto('revisions').values({ name: 'cut', revision: 1 }).execute()
      resolve()
      await link.closed
      await trx.selectFrom('revisions').selectAll().execute()
    })
    await inserted
    link.close()
    await expect(cut).rejects.toThrow()
    // Waits for the connection, which the transaction held.
    const rows = await own.sql.selectFrom('revisions').selectAll().where('name', '=', 'cut').execute()
    expect(rows).toEqual([])
  })

  it('rolls back a transaction whose process ended while it waited for the connection', async () => {
    const { own, remote, link, served } = await openRemote()
    served.serve({ ping: () => null })
    const [sent, holds, mayEnd] = [noteCall(link, 'begin'), Promise.withResolvers(), Promise.withResolvers()]
    const holding = transact(own.sql, async () => {
      holds.resolve(null)
      await mayEnd.promise
    })
    await holds.promise
    const begins = transact(remote.sql, async () => undefined).catch((error: unknown) => error)
    await sent
    // Answered after the other message was taken, which now waits for the connection.
    await link.call('ping', [])
    link.close()
    expect(await begins).toBeInstanceOf(Error)
    // From here on the serving side knows that nobody will end the transaction.
    await served.closed
    mayEnd.resolve(null)
    await holding
    const startedAt = performance.now()
    await transact(own.sql, async trx => {
      await trx.insertInto('revisions').values({ name: 'next', revision: 1 }).execute()
    })
    // Without the roll-back the connection is free only after 15 seconds.
    expect(performance.now() - startedAt).toBeLessThan(roomFor(5_000))
  })

  it('carries bytes', async () => {
    const { remote } = await openRemote()
    const { rows } = await remote.sql.executeQuery<{ bytes: Uint8Array }>({
      ...remote.sql.selectNoFrom([]).compile(),
      sql: 'select ? as bytes',
      parameters: [new Uint8Array([0, 255, 7])],
    })
    expect(rows).toEqual([{ bytes: new Uint8Array([0, 255, 7]) }])
  })
})

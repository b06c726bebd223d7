// Runs the contract for the store of another process, and checks what a process that dies leaves behind.
import { expect, onTestFinished, test } from 'vitest'
import { serveStore } from '../../../src/kv/remote/serve-store.ts'
import { createRemoteStore } from '../../../src/kv/remote/store.ts'
import { type Store, StoreUnavailable } from '../../../src/kv/store.ts'
import { createSubscribers } from '../../../src/kv/subscribers.ts'
import type { Link } from '../../../src/sockets/link.ts'
import { createLinks } from '../../processes/linked.ts'
import { describeStore } from '../contract.ts'
import {
  createHandClock,
  createMemoryLog,
  demandOf,
  type OpenOptions,
  openProcessStore,
  requestOf,
  seed,
} from '../stores.ts'

async function openRemote(options: OpenOptions): Promise<{ own: Store; remote: Store; link: Link }> {
  const own = await openProcessStore(options)
  const { first, other } = await createLinks()
  serveStore(first, own, createMemoryLog().log)
  return { own, remote: createRemoteStore(other, createSubscribers(createMemoryLog().log)), link: other }
}

describeStore('of another process', async options => {
  const { own, remote, link } = await openRemote(options)
  return {
    ...remote,
    async close() {
      link.close()
      await own.close()
    },
  }
})

async function open() {
  const clock = createHandClock(Date.UTC(2026, 4, 1, 12))
  const opened = await openRemote({ clock })
  await seed(opened.own, ['project'])
  onTestFinished(() => opened.own.close())
  return opened
}

const tokensSpent = (store: Store): Promise<number> => store.findSpend('project', '2026-05-01')
const admitAll = { projectTokens: 30, tokens: demandOf() }

test('settles the reservations of a process that ends at their last checkpoint, and at once', async () => {
  const { own, remote, link } = await open()
  const settled = requestOf(admitAll)
  expect((await remote.admit(settled)).admitted).toBe(true)
  await remote.settle('project', settled.requestId, 5)
  const held = requestOf({ ...admitAll, tokens: demandOf({ prompt: 4 }) })
  expect((await remote.admit(held)).admitted).toBe(true)
  await remote.checkpoint('project', held.requestId, 7)
  // All tokens of the day are reserved.
  expect((await own.admit(requestOf(admitAll))).admitted).toBe(false)
  link.close()
  await expect.poll(() => tokensSpent(own)).toBe(12)
  const next = await own.admit(requestOf({ ...admitAll, tokens: demandOf({ prompt: 4, completion: 14 }) }))
  expect(next).toMatchObject({ admitted: true, reserved: 18 })
})

test('settles budgets of a process that ends, too', async () => {
  const { own, remote, link } = await open()
  const demand = { period: 'month:2026-05', scope: 'tenant', limit: 100, spent: 0, keepMs: 60_000 }
  const request = (requestId: string) => ({ tenantId: 't', requestId, amount: 100, checkpoint: 10, demands: [demand] })
  expect((await remote.reserveBudgets(request('one'))).outcome).toBe('reserved')
  expect((await own.reserveBudgets(request('two'))).outcome).toBe('over')
  link.close()
  await expect.poll(() => own.findBudgetSpend('t', 'month:2026-05')).toMatchObject([{ spent: 10 }])
  expect((await own.reserveBudgets({ ...request('three'), amount: 90 })).outcome).toBe('reserved')
})

test('leaves reservations alone that the process itself has settled or withdrawn', async () => {
  const { own, remote, link } = await open()
  const [settled, withdrawn] = [requestOf({ tokens: demandOf() }), requestOf({ tokens: demandOf() })]
  await remote.admit(settled)
  await remote.admit(withdrawn)
  await remote.settle('project', settled.requestId, 3)
  await remote.withdraw('project', withdrawn.requestId)
  // As a second process would, with the same request id.
  await own.admit(withdrawn)
  link.close()
  await own.settle('project', withdrawn.requestId, 6)
  expect(await tokensSpent(own)).toBe(9)
})

test('rejects calls as unavailable when the link has closed', async () => {
  const { remote, link } = await open()
  const asked = remote.findSlug('slug')
  link.close()
  await expect(asked).rejects.toBeInstanceOf(StoreUnavailable)
  await expect(remote.findSlug('slug')).rejects.toBeInstanceOf(StoreUnavailable)
})

test('carries the class of an error', async () => {
  const { remote } = await open()
  await expect(remote.settle('project', 'id', -1)).rejects.toBeInstanceOf(RangeError)
})

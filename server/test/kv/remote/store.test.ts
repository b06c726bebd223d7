// Runs the contract for the store of another process, and checks what happens when a process has died.
import { expect, onTestFinished, test } from 'vitest'
import { serveStore } from '../../../src/kv/remote/serve-store.ts'
import { createRemoteStore } from '../../../src/kv/remote/store.ts'
import { type Store, StoreUnavailable } from '../../../src/kv/store.ts'
import { createSubscribers } from '../../../src/kv/subscribers.ts'
import type { Link } from '../../../src/sockets/link.ts'
import { createLinks } from '../../processes/linked.ts'
import { describeStore } from '../contract.ts'
import { createHandClock, createMemoryLog, type OpenOptions, openProcessStore, seed } from '../stores.ts'

async function openRemote(options: OpenOptions): Promise<{ own: Store; remote: Store; link: Link }> {
  const own = await openProcessStore(options)
  const { first, other } = await createLinks()
  serveStore(first, own)
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

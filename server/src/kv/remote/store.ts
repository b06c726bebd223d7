// The key-value store of another process of this machine, reached over a link: every intention is one call. The process
// at the other end runs serve-store.ts.
import type { Link } from '../../sockets/link.ts'
import type { Store, StoreChange } from '../store.ts'
import type { createSubscribers } from '../subscribers.ts'
import { type Intentions, intentionNames } from './intentions.ts'

export function createRemoteStore(link: Link, { notify, subscribe }: ReturnType<typeof createSubscribers>): Store {
  link.serve({ storeChanged: (change: StoreChange) => notify(change) })
  const calls = intentionNames.map(name => [name, (...args: unknown[]) => link.call(name, args)])
  return {
    // As in the process: it does not fail apart from this one, so nothing needs to prepare for an outage.
    kind: 'process',
    shelf: null,
    ...(Object.fromEntries(calls) as Intentions),
    subscribe,
    close: () => Promise.resolve(),
  }
}

// Serves this process's store to another process of the machine over a link, and publishes its changes there. Settles
// what the other process holds when the link closes.
import type { Log } from '../../domain/log.ts'
import type { Link, LinkHandler } from '../../sockets/link.ts'
import type { Store } from '../store.ts'
import { intentionNames } from './intentions.ts'
import { watchReservations } from './watch-reservations.ts'

export function serveStore(link: Link, store: Store, log: Log): void {
  const watched = watchReservations(store, log)
  const serving = { ...store, ...watched.intentions }
  const handlers = intentionNames.map(name => [name, serving[name] as LinkHandler])
  link.serve(Object.fromEntries(handlers) as Record<string, LinkHandler>)
  const unsubscribe = store.subscribe(change => link.notify('storeChanged', [change]))
  void link.closed.then(() => {
    unsubscribe()
    return watched.settleAll()
  })
}

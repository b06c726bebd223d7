// Serves this process's store to another process of the machine over a link, and publishes its changes there.
import type { Link, LinkHandler } from '../../sockets/link.ts'
import type { Store } from '../store.ts'
import { intentionNames } from './intentions.ts'

export function serveStore(link: Link, store: Store): void {
  const handlers = intentionNames.map(name => [name, store[name] as LinkHandler])
  link.serve(Object.fromEntries(handlers) as Record<string, LinkHandler>)
  const unsubscribe = store.subscribe(change => link.notify('storeChanged', [change]))
  void link.closed.then(unsubscribe)
}

// Work in pages, each a short piece, so that others come in between. Knows nothing of what is on a page.
import { setImmediate as nextTurn } from 'node:timers/promises'

/**
 * Goes on until a page says that there is no further one, or the signal comes. SQLite answers within the turn of the loop
 * that asks: without one of its own for each page, this process would do nothing else before the last of them.
 */
export async function inPages(signal: AbortSignal, page: () => Promise<boolean>): Promise<void> {
  while (!signal.aborted && (await page())) await nextTurn()
}

// Runs work in short pages, so that other work comes in between.
import { setImmediate as nextTurn } from 'node:timers/promises'

/**
 * Continues until a page returns that there is no further one, or until the signal. SQLite responds within the same
 * turn of the event loop: without a turn for each page, this process would do nothing else until the last one.
 */
export async function inPages(signal: AbortSignal, page: () => Promise<boolean>): Promise<void> {
  while (!signal.aborted && (await page())) await nextTurn()
}

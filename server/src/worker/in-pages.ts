// Runs work in short pages, so that other work comes in between.
import { setImmediate as nextTurn } from 'node:timers/promises'

/**
 * Runs pages until one of them returns false, or the signal is aborted. SQLite responds within the same turn of the
 * event loop: without a new turn for each page, this process would do nothing else until the last page.
 */
export async function inPages(signal: AbortSignal, page: () => Promise<boolean>): Promise<void> {
  while (!signal.aborted && (await page())) await nextTurn()
}

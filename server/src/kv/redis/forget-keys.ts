// Deletes all keys that begin with a text. Searches the whole server, because there is no list of such keys; in steps,
// so that none blocks the server for long.

import type { RedisConnection } from './client/connection.ts'
import { listOf, textOf } from './client/replies.ts'

const scanCount = '1000'

export async function forgetKeys(connection: RedisConnection, start: string): Promise<void> {
  const pattern = `${escapeGlob(start)}*`
  let cursor = '0'
  do {
    const [next, found] = listOf(await connection.send('SCAN', cursor, 'MATCH', pattern, 'COUNT', scanCount))
    const names = listOf(found).map(textOf)
    if (names.length > 0) await connection.send('UNLINK', ...names)
    cursor = textOf(next)
  } while (cursor !== '0')
}

/** Makes the installation's prefix and the ids match literally. */
function escapeGlob(text: string): string {
  return text.replace(/[\\*?[\]^-]/g, '\\$&')
}
